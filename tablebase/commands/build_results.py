"""Results of builds and estimates, which notebooks show as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

from tablebase.building.records import BuildResult
from tablebase.compute.messages import in_bytes, in_time
from tablebase.probe.html import titled_table

if TYPE_CHECKING:
    from tablebase.building.estimate import Estimate
    from tablebase.building.exact_kind import Estimate as ExactEstimate
    from tablebase.building.layer_kind import Estimate as LayerEstimate

    AnyEstimate: TypeAlias = Estimate | LayerEstimate | ExactEstimate

SHOWN = 10
"""Tables that a notebook shows, the slowest first."""


class ShownResult(BuildResult):
    """The outcome of a build, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        slowest = sorted(self.records, key=lambda record: -record.seconds)[:SHOWN]
        rows = [
            {
                "table": record.material,
                "placements": f"{record.placements:,}",
                "engine": record.engine,
                "time": in_time(record.seconds),
                "on disk": in_bytes(record.bytes),
            }
            for record in slowest
        ]
        return titled_table(repr(self), [], rows)


class Estimates(list["AnyEstimate"]):
    """The needs of a build: one line for each number of pieces, material, layer or table of exact values. Notebooks show a table.

    Parameters
    ----------
    lines : iterable of Estimate
    workers : int
        Number of processes that the times by the clock are for.

    Attributes
    ----------
    rows : list of dict
    """

    def __init__(self, lines: Iterable[AnyEstimate], workers: int = 1) -> None:
        super().__init__(lines)
        self.workers = workers

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The lines as ``tablebase estimate --format json`` writes them."""
        return [asdict(line) for line in self]

    def _repr_html_(self) -> str:
        return titled_table("estimate", [], self.rows)
