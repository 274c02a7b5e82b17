"""The sums of two solvers over all tables with a number of pieces."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import solver_sums

from tablebase.catalog.catalog import Catalog


def test_all_tables_are_solved_by_both(two_pieces: Path) -> None:
    """The placements are those of the catalog, the baseline comes first, and each step has its share."""
    report = solver_sums.measure_sums(two_pieces, 2)
    with closing(Catalog(two_pieces)) as catalog:
        _, [(tables, placements)] = catalog.sql("SELECT count(DISTINCT table_id), sum(placements) FROM solutions")
    assert [(row["solver"], row["tables"], row["placements"]) for row in report["sums"]] == [
        ("bitrow", tables, placements),
        ("planes", tables, placements),
    ]
    assert report["sums"][0]["times_faster"] == 1
    assert sum(row["share"] for row in report["steps"]) == pytest.approx(1)
    [ratio] = report["ratio"]
    assert 0 < ratio["least"] <= ratio["median"] <= ratio["most"]


def test_solvers_that_differ_are_not_measured(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate of wrong codes would be worth nothing."""
    solve = solver_sums.solve_material

    def wrong(game: Any, material: Any, load: Any, engine: str) -> Any:
        codes, *rest = solve(game, material, load, engine)
        codes = [np.array(source) for source in codes]
        if engine == "planes":
            codes[-1][-1] ^= 1
        return codes, *rest

    monkeypatch.setattr(solver_sums, "solve_material", wrong)
    with pytest.raises(SystemExit, match="bitrow and planes differ on"):
        solver_sums.measure_sums(two_pieces, 2)
