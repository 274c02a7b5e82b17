"""Patterns as an open tablebase returns them."""

from __future__ import annotations

from tablebase.patterns.search import Patterns

SHOWN = 10
"""Features, and pairs of features, that a notebook shows."""


class Findings(list[Patterns]):
    """The patterns of one set of positions, or of several, which notebooks show with their charts."""

    def _repr_html_(self) -> str:
        from tablebase.charts.report import patterns_html

        return "".join(patterns_html(each, SHOWN) for each in self)
