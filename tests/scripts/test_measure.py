"""What `scripts.measure` says of tables, of right codes only and of all placements, and of looking ahead."""

from contextlib import closing
from pathlib import Path

import pytest
from support.wrong_solvers import wrong_by

from scripts.measure import tables
from tablebase.catalog.catalog import Catalog


def test_every_step_of_a_table() -> None:
    """Each solver and each check has a rate, and the baseline is once as fast as itself."""
    report = tables.measure_tables("hexapawn", "PPvPP")
    steps = {row["step"]: row for row in report["steps"]}
    assert list(steps) == ["solve, groups", "solve, reference", "check", "check, general", "write", "read"]
    assert steps["solve, reference"]["times_faster_than_reference"] == 1
    assert all(row["cpu_seconds"] > 0 for row in steps.values())
    # Two white pawns and two black ones, each on six squares, of which they share three; Black to move is White turned round.
    [whole] = report["table"]
    assert whole["placements"] == len(pairs())


def pairs() -> list[tuple[int, ...]]:
    """Placements of two pawns a side on 3x3, by hand: White's on ranks 1 and 2, Black's on ranks 2 and 3."""
    white = [(a, b) for a in range(6) for b in range(a)]
    black = [(a, b) for a in range(3, 9) for b in range(3, a)]
    return [(*one, *other) for one in white for other in black if not set(one) & set(other)]


def test_all_tables_are_solved_by_both(two_pieces: Path) -> None:
    """The placements are those of the catalog, and the baseline comes first."""
    report = tables.measure_sums(2)
    with closing(Catalog(two_pieces)) as catalog:
        _, [(number, placements)] = catalog.sql("SELECT count(DISTINCT table_id), sum(placements) FROM solutions")
    expected = [(name, number, placements) for name in ("groups", "planes")]
    assert [(row["solver"], row["tables"], row["placements"]) for row in report["sums"]] == expected
    [ratio] = report["ratio"]
    assert 0 < ratio["least"] <= ratio["median"] <= ratio["most"]


def test_solvers_that_differ_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate of wrong codes would be worth nothing."""
    monkeypatch.setattr(tables, "solve_material", wrong_by(tables.solve_material, "reference"))
    with pytest.raises(SystemExit, match="reference and groups differ on"):
        tables.measure_tables("hexapawn", "PPvPP")
