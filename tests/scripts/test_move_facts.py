"""Facts about moves: two counts that share no code."""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path
from types import ModuleType

import move_facts
import pytest
import recount_moves

from tablebase.cli import run as program

SOURCE = Path(recount_moves.__file__)


@pytest.fixture(scope="module")
def plain(two_pieces: Path) -> recount_moves.Facts:
    """The plain counts of two pieces."""
    return recount_moves.recount(two_pieces, 2)


def run(data: Path, pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the script."""
    monkeypatch.setattr(sys, "argv", ["move_facts.py", "--data", str(data), "--pieces", str(pieces)])
    move_facts.main()


def test_both_counts_agree(two_pieces: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """All facts are printed, those of moves for each kind, too; only captures never give a win of two pieces away."""
    run(two_pieces, 2, monkeypatch)
    lines = [line.rsplit(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert all(mined == counted for _, mined, counted in lines)
    moves = recount_moves.MOVE_FACTS + recount_moves.ONLY_FACTS
    # Distinct slices of two pieces have neither dogs nor panthers.
    of_kinds = [f"{name}: {letter}" for name in moves for letter in "RCWTLE"]
    assert sorted(name for name, *_ in lines) == sorted([*recount_moves.POSITION_FACTS, *moves, *of_kinds])
    assert [name for name, mined, _ in lines if mined == "0" and ":" not in name] == ["captures that give a win away"]


def test_captures_and_stalemates(
    shut_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With three pieces, captures lead to other slices, some of them aliases, and a few positions have no move."""
    folder = tmp_path / "tables"
    shutil.copytree(shut_in, folder)
    assert program(["build", "doushouqi", "--material", "RCvE", "--data", str(folder)]) == 0
    for name in ("POSITIONS", "MOVES"):
        chosen = getattr(move_facts, name).replace("WHERE pieces", "WHERE material IN ('CvWD', 'WDvC', 'RCvE', 'EvRC') AND pieces")
        monkeypatch.setattr(move_facts, name, chosen)
    capsys.readouterr()
    run(folder, 3, monkeypatch)
    lines = [line.rsplit(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    counts = {name: int(mined.replace(",", "")) for name, mined, _ in lines}
    # Three pieces on 49 squares, and a rat on 61 with two on 49 of these, each with either side to move.
    assert counts["positions"] == 2 * (49 * 48 * 47 + 59 * 49 * 48)
    assert 0 < counts["captures that give a win away"] < counts["captures in won positions"]


def test_workers_change_nothing(two_pieces: Path, plain: recount_moves.Facts) -> None:
    """Slices are counted in other threads, but all of them once."""
    assert recount_moves.recount(two_pieces, 2, workers=3) == plain


@pytest.mark.parametrize("name", [*recount_moves.POSITION_FACTS, "only winning moves: R"])
def test_a_count_that_is_off_by_one(
    name: str, two_pieces: Path, plain: recount_moves.Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script fails, and says how many counts differ."""
    monkeypatch.setattr(move_facts, "mined", lambda **_: plain)
    monkeypatch.setattr(move_facts, "recount", lambda **_: plain + recount_moves.Facts({name: 1}))
    with pytest.raises(SystemExit, match="1 counts differ"):
        run(two_pieces, 2, monkeypatch)


def test_a_statement_that_counts_something_else(
    two_pieces: Path, plain: recount_moves.Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `mine` counts is compared, too."""
    monkeypatch.setattr(move_facts, "recount", lambda **_: plain)
    monkeypatch.setattr(move_facts, "POSITIONS", move_facts.POSITIONS.replace("(WHERE zugzwang)", "(WHERE NOT zugzwang)"))
    with pytest.raises(SystemExit, match="1 counts differ"):
        run(two_pieces, 2, monkeypatch)


def test_a_wrong_rule_is_noticed(two_pieces: Path) -> None:
    """Positions are not worth what their best move is if rats take no elephants."""
    rule = "if hunter == RAT and victim == ELEPHANT:"
    assert SOURCE.read_text().count(rule) == 1
    wrong = ModuleType("wrong_rule")
    exec(compile(SOURCE.read_text().replace(rule, "if False:"), SOURCE, "exec"), vars(wrong))
    with pytest.raises(SystemExit, match=r"RvE: .* positions are not worth what their best move is"):
        wrong.recount(two_pieces, 2)


def test_the_recount_shares_no_code() -> None:
    """It imports nothing of the package or the rules."""
    imports = [node for node in ast.walk(ast.parse(SOURCE.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name for node in imports for name in [getattr(node, "module", None), *(each.name for each in node.names)] if name}
    assert {"h5py", "numba", "sqlite3"} <= modules
    assert not [name for name in modules if name.startswith(("tablebase", "move_facts"))]


@pytest.mark.parametrize(("pieces", "sentence"), [(2, "has no catalog: build tables there"), (3, "has no tables of 3 pieces")])
def test_tables_that_are_missing(pieces: int, sentence: str, two_pieces: Path, tmp_path: Path) -> None:
    """No count is better than one of nothing."""
    with pytest.raises(SystemExit, match=sentence):
        recount_moves.recount(two_pieces if pieces == 3 else tmp_path, pieces)
