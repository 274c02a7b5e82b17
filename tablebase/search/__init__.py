"""Search from positions that no table holds: move counts, alpha-beta, and an engine that ends in the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.compute.lazy import lazy
from tablebase.search.choices import Options, RepeatedLines, Repetition

if TYPE_CHECKING:
    from tablebase.search.engine import Analysis, Engine
    from tablebase.search.perft import counts, divide, perft

__all__ = ["Analysis", "Engine", "Options", "RepeatedLines", "Repetition", "counts", "divide", "perft"]

__getattr__ = lazy(
    __name__,
    {
        "Analysis": "tablebase.search.engine",
        "Engine": "tablebase.search.engine",
        "counts": "tablebase.search.perft",
        "divide": "tablebase.search.perft",
        "perft": "tablebase.search.perft",
    },
)
