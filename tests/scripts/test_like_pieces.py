"""The measurements of tables of identical pieces."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import like_pieces
import pytest
from support.wrong_solvers import wrong_by


def test_a_table_is_solved_by_both() -> None:
    """The baseline comes first, every step has a rate, and the last one is the sum of those of the solver of groups."""
    rows = like_pieces.measure_slice("hexapawn", "PPvPP")
    steps = {row["step"]: row["cpu_seconds"] for row in rows}
    assert list(steps)[:2] == ["solve, reference", "solve, groups"]
    assert rows[0]["times_faster"] == 1
    assert steps["groups, all steps"] == pytest.approx(steps["solve, groups"] + steps["check, groups"] + steps["write"])
    # Two white pawns and two black ones, each on six squares, four of which they share.
    assert {row["placements"] for row in rows} == {sum(1 for _ in pairs())}


def pairs() -> list[tuple[int, ...]]:
    """Placements of two pawns a side on 3x3, by hand: White's on ranks 1 and 2, Black's on ranks 2 and 3."""
    white = [(a, b) for a in range(6) for b in range(a)]
    black = [(a, b) for a in range(3, 9) for b in range(3, a)]
    return [(*one, *other) for one in white for other in black if not set(one) & set(other)]


def test_solvers_that_differ_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate of wrong codes would be worth nothing."""
    monkeypatch.setattr(like_pieces, "solve_material", wrong_by(like_pieces.solve_material, "reference"))
    with pytest.raises(SystemExit, match="reference and groups differ on"):
        like_pieces.measure_slice("hexapawn", "PPvPP")


def test_the_example_of_the_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows the game once it is where Python looks."""
    like_pieces.install_example(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    done = subprocess.run([sys.executable, "-m", "tablebase", "games"], capture_output=True, text=True, check=True)
    assert "Breakthrough 3x4" in done.stdout
