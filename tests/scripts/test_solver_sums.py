"""The sums of two solvers over all tables with a number of pieces."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import solver_sums
from support.wrong_solvers import wrong_by

from tablebase.catalog.catalog import Catalog


def test_all_tables_are_solved_by_both(two_pieces: Path) -> None:
    """The placements are those of the catalog, the baseline comes first, and each step has its share."""
    report = solver_sums.measure_sums(two_pieces, 2)
    with closing(Catalog(two_pieces)) as catalog:
        _, [(tables, placements)] = catalog.sql("SELECT count(DISTINCT table_id), sum(placements) FROM solutions")
    assert [(row["solver"], row["tables"], row["placements"]) for row in report["sums"]] == [
        ("groups", tables, placements),
        ("planes", tables, placements),
    ]
    assert report["sums"][0]["times_faster"] == 1
    assert sum(row["share"] for row in report["steps"]) == pytest.approx(1)
    [ratio] = report["ratio"]
    assert 0 < ratio["least"] <= ratio["median"] <= ratio["most"]


def test_solvers_that_differ_are_not_measured(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate of wrong codes would be worth nothing."""
    monkeypatch.setattr(solver_sums, "solve_material", wrong_by(solver_sums.solve_material, "planes"))
    with pytest.raises(SystemExit, match="groups and planes differ on"):
        solver_sums.measure_sums(two_pieces, 2)
