"""Patterns as an open tablebase returns them."""

from __future__ import annotations

from tablebase.patterns.pattern_search import Patterns
from tablebase.patterns.wording import title

SHOWN = 10
"""Features, and pairs of features, that a notebook shows."""


class Findings(list[Patterns]):
    """The patterns of one set of positions, or of several, which notebooks show with their charts."""

    def __repr__(self) -> str:
        return f"Findings({'; '.join(map(title, self))})"

    def _repr_html_(self) -> str:
        from tablebase.charts.report import patterns_html

        return "".join(patterns_html(each, SHOWN) for each in self)
