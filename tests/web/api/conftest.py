"""Fixtures of the tests of the interface."""

from __future__ import annotations

from support.web import pawns

__all__ = ["pawns"]
