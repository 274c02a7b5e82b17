"""Retrograde analysis on rows of 64 positions."""

from tablebase.solvers.bitrow.solve import solve

__all__ = ["solve"]
