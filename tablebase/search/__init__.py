"""Search from positions that no table holds: move counts, alpha-beta, and an engine that ends in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.search.choices import Options, RepeatedLines, Repetition
from tablebase.system.compute.modules import lazy

if TYPE_CHECKING:
    from tablebase.search.engine import Analysis, Engine
    from tablebase.search.perft import leaves, leaves_by_depth, leaves_by_move

__all__ = ["Analysis", "Engine", "Options", "RepeatedLines", "Repetition", "leaves", "leaves_by_depth", "leaves_by_move"]

__getattr__ = lazy(__name__)
