"""Answers of an open tablebase in Python: short in a terminal, a table in a notebook, and the JSON contract as data."""

import copy
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.checks import at_least_one, before_release

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.probe.html import titled_table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
LOST = "7/7/7/7/3c3/7/7/R6/7 w"
WON = "7/3C3/7/7/7/7/7/7/c6 w"
SHUT_IN = "7/7/7/7/7/7/7/w6/Cd5 w"
DRAWN = "7/7/5c1/R6/7/7/7/7/7 b"


def test_answers_are_one_short_line(tables: Tablebase) -> None:
    """No answer, and nothing that holds the game, fills the screen with rules."""
    probe, line = tables.probe(GAME, LOST), tables.line(GAME, LOST)
    assert repr(probe) == f"Probe(doushouqi, {LOST!r}, loss in 8, best a2a1)"
    assert repr(probe.moves[0]) == "RatedMove(a2a1, loss in 8)"
    assert repr(line) == f"Line(doushouqi, {LOST!r}, loss in 8: a2a1 d5d4 a1a2 d4d3 …)"
    assert repr(tables.line(GAME, WON, plies=0)).endswith(", win in 1: d8d9)")
    assert repr(tables.probe(GAME, DRAWN)).split(", ")[2] == "draw"
    assert repr(GAME) == "Game('doushouqi')"
    assert repr(tables) == f"Tablebase({str(tables.folder)!r})"

    answers = tables.probe_many(GAME, [LOST, WON, "nowhere", LOST, LOST])
    assert repr(answers) == "Answers(doushouqi, 5 positions, 1 without an answer)"


COPIES = pytest.mark.parametrize(
    "copied",
    [lambda one: pickle.loads(pickle.dumps(one)), *before_release(copy.copy, copy.deepcopy)],
    ids=["pickle", "copy", "deepcopy"],
)
"""What pools of processes and programs do with answers."""


@COPIES
def test_answers_can_be_copied(copied: Callable[[Any], Any], two_pieces: Path) -> None:
    """Copies of answers need no tables, a copy of a query opens them itself, and a copy of an engine searches."""
    with tablebase.open(two_pieces) as tables:
        texts = [LOST, "3R3/7/7/7/7/7/7/7/c6 b", "nowhere", "7/7/3t3/7/7/R6/4E2/7/7 w", DRAWN]
        many = tables.probe_many(GAME, texts)
        again = copied(many)
        plain = [tables.probe(GAME, LOST), tables.line(GAME, LOST), tables.stats(GAME), tables.sql("SELECT 1").fetchall()]
        copies = copied(plain)
        query = copied(tables.mine(GAME, "SELECT count(*) FROM positions WHERE material = 'RvC'"))
        engine = copied(tables.engine(GAME, threads=2))
        assert next(engine.analyse(LOST, depth=1)).value == ("loss", 8)
        assert engine.options.threads == 2
        expected, rows, bare = [one.to_dict() for one in many], list(many.to_dicts()), list(many.to_dicts(moves=False))
    assert [one.to_dict() for one in again] == list(again.to_dicts()) == expected == rows
    assert list(copied(again).to_dicts(moves=False)) == bare
    assert (type(again), repr(again), again.values()) == (type(many), repr(many), many.values())
    assert (again.outcomes.tolist(), again.distances.tolist()) == (many.outcomes.tolist(), many.distances.tolist())
    assert {place: str(error) for place, error in again.errors.items()} == {
        place: str(error) for place, error in many.errors.items()
    }
    with pytest.raises(TablebaseError, match="'nowhere'"):
        again.sheet()
    assert copies == plain
    assert query.fetchall() == [(49 * 60,)]


def test_a_line_begins_at_the_start(pawn_tables: Tablebase) -> None:
    """As the command does; in the position at the start, White loses in 6 plies."""
    line = pawn_tables.line("hexapawn")
    assert (line[0].position, len(line.to_dict())) == ("ppp/3/PPP w", 7)


def test_no_other_logger_is_changed(tables: Tablebase, caplog: pytest.LogCaptureFixture) -> None:
    """A statement that sqlglot cannot parse is reported by the database alone, while other users of sqlglot hear of theirs."""
    import sqlglot

    with caplog.at_level(logging.DEBUG):
        with pytest.raises(TablebaseError):
            tables.sql("COMMENT ON nothing")
        tables.sql("EXPLAIN SELECT 1")
        tables.mine(GAME, "EXPLAIN SELECT count(*) FROM positions")
    assert caplog.messages == []
    logger = logging.getLogger("sqlglot")
    assert (logger.level, logger.filters) == (logging.NOTSET, [])
    sqlglot.parse_one("EXPLAIN SELECT 1")
    assert len(caplog.messages) == 1


def test_a_stalemate_has_no_best_move(shut_in: Path) -> None:
    """Neither in text, nor in HTML, nor in a line."""
    with tablebase.open(shut_in) as tables:
        assert repr(tables.probe(GAME, SHUT_IN)) == f"Probe(doushouqi, {SHUT_IN!r}, draw)"
        html = tables.probe(GAME, SHUT_IN)._repr_html_()
        assert html == f"<p>{SHUT_IN}: draw</p><div>{tablebase.svg.board(GAME, SHUT_IN)}</div>"
        assert repr(tables.line(GAME, SHUT_IN)) == f"Line(doushouqi, {SHUT_IN!r}, draw: )"


def test_notebooks_show_boards_and_tables(tables: Tablebase) -> None:
    """A board and a row for each move; a board and a row for each position of a line."""
    probe, line = tables.probe(GAME, LOST), tables.line(GAME, LOST)
    html = probe._repr_html_()
    picture = tablebase.svg.board(GAME, LOST, arrows=["a2a1"])
    headings = "<tr><th>move</th><th>position</th><th>outcome</th><th>distance</th></tr>"
    assert html.startswith(f"<p>{LOST}: loss in 8</p><div>{picture}</div><table>{headings}")
    assert html.count("<tr>") == 1 + len(probe.moves)
    assert all(f"<td>{move.move}</td>" in html for move in at_least_one(probe.moves))
    assert line._repr_html_().count("<tr>") == 1 + len(line.to_dict())
    assert line._repr_html_().count("<svg ") == len(line.to_dict()) == 9
    assert "<td></td>" in line._repr_html_()


def test_pictures_show_the_moves(tables: Tablebase) -> None:
    """The best move of each position as an arrow, and the move that led to it as the last one; options go on to the board."""
    line = tables.line(GAME, LOST)
    first, *_, before, end = line.pictures(size=100, theme="mono")
    assert first == line[0].picture(size=100, theme="mono") != line[0].picture(size=100)
    won = line[-1].moves[0]
    assert before == line[-1].picture(last_move=line[-2].best, size=100, theme="mono")
    assert end == tablebase.svg.board(GAME, won.position, last_move=won.move, size=100, theme="mono")
    assert line[0].picture(arrows=[]) == tablebase.svg.board(GAME, LOST)


def test_nothing_in_html_is_markup() -> None:
    """Letters come from rules modules, which may hold anything."""
    html = titled_table("a <b", ["<svg/>", "<svg/>"], [{"x&": "<i>", "y": None}, {"x&": 3, "y": '"'}])
    rows = "<tr><th>x&amp;</th><th>y</th></tr><tr><td>&lt;i&gt;</td><td></td></tr><tr><td>3</td><td>&quot;</td></tr>"
    assert html == f"<p>a &lt;b</p><div><svg/> <svg/></div><table>{rows}</table>"


def test_the_folder_is_that_of_the_environment(two_pieces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless one is named; without either it is `data`, as for the commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABLEBASE_DATA", str(two_pieces))
    with tablebase.open() as tables:
        assert tables.folder == two_pieces
    with pytest.raises(TablebaseError, match="there is no tablebase in elsewhere"):
        tablebase.open("elsewhere")
    for empty in ("", None):
        monkeypatch.setenv("TABLEBASE_DATA", "") if empty is not None else monkeypatch.delenv("TABLEBASE_DATA")
        with pytest.raises(TablebaseError, match="there is no tablebase in data"):
            tablebase.open()
