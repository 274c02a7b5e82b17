"""Questions to a tablebase: against the naive rules, one by one and together, and the line to the end."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support import toys
from support.checks import at_least_one
from support.installs import functions_installed
from support.program import random_position
from twins import naive

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError, NotationError
from tablebase.game import Outcome, load_game
from tablebase.game.moves import Position, legal_moves, wins_at_once
from tablebase.game.notation import parse, read, render, render_move
from tablebase.positions.material import material_name, materials, parse_material
from tablebase.probe.answers import RatedMove
from tablebase.probe.from_slices import SliceSource
from tablebase.probe.prober import Prober
from tablebase.tables.values import Value
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
TWO = toys.positions(GAME, 2)
KNOWN_WIN = "7/3C3/7/7/7/7/7/7/c6 w"
THREE = "7/7/3t3/7/7/R6/4E2/7/7 w"


def pair(value: Value) -> naive.Pair:
    """A value as the naive twin writes it."""
    return str(value.outcome), value.distance


def key(rated: RatedMove) -> tuple[int, int, str]:
    """The documented order of moves: wins by growing distance, draws, losses by falling distance, then the text."""
    outcome, distance = pair(rated.value)
    rank = {"win": 0, "draw": 1, "loss": 2}[outcome]
    return rank, {"win": 1, "draw": 0, "loss": -1}[outcome] * (distance or 0), rated.move


def longest(folder: Path, pieces: int) -> list[str]:
    """The longest wins and losses of the ten distinct slices that have the longest."""
    condition = f"NOT is_alias AND pieces = {pieces} ORDER BY MAX(longest_win, longest_loss) DESC LIMIT 10"
    with closing(Catalog(folder)) as catalog:
        found = catalog.sql(f"SELECT longest_win_position, longest_loss_position FROM slice_counts WHERE {condition}")[1]
    return [text for row in found for text in row]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("pieces", [2, 3])
def test_a_probe_is_the_value_and_the_naive_moves(pieces: int, side: int, more_tables: Tablebase) -> None:
    """Positions of every slice, aliases too: text, side and value, and each naive move once with where it leads and its worth.

    Moves are in the documented order, and the position is worth what the first one is.
    """
    random, seen, each = Random(side), set(), 8 if pieces == 2 else 2
    for position in [random_position(GAME, one, side, random) for one in materials(GAME, pieces) for _ in range(each)]:
        answer = more_tables.probe(GAME, position)
        assert (answer.game, answer.asked, answer.position) == (GAME, position, render(GAME, position))
        assert answer.side == "wb"[side]
        assert (answer.outcome, answer.distance) == answer.value == more_tables.probe_value(GAME, position)
        by_text = {render_move(GAME, move): move for move in naive.moves(GAME, position)}
        assert sorted(one.move for one in answer.moves) == sorted(by_text)
        for one in answer.moves:
            child = naive.after(position, by_text[one.move])
            assert one.position == render(GAME, child)
            wins = wins_at_once(GAME, position, by_text[one.move])
            assert pair(one.value) == (("win", 1) if wins else naive.parent(pair(more_tables.probe_value(GAME, child))))
        assert list(answer.moves) == sorted(answer.moves, key=key)
        assert answer.best == (answer.moves[0].move if answer.moves else None)
        assert pair(answer.value) == (pair(answer.moves[0].value) if answer.moves else ("draw", None))
        seen.add(frozenset(one.value.outcome for one in answer.moves))
    assert pieces == 2 or frozenset(Outcome) in seen


def test_what_is_missing_is_an_error_or_the_default(tables: Tablebase, two_pieces: Path) -> None:
    """`probe_…` raises where the table is not built and names the command, `get_…` gives the default; else they agree."""
    for ask in (tables.probe, tables.probe_value, tables.line):
        with pytest.raises(MissingTableError, match=f"'tablebase build doushouqi --material REvT --data {two_pieces}'") as caught:
            ask("doushouqi", THREE)
        assert isinstance(caught.value, KeyError)
    assert (tables.get("doushouqi", THREE), tables.get("doushouqi", THREE, "?")) == (None, "?")
    assert (tables.get_value("doushouqi", THREE), tables.get_value("doushouqi", THREE, 0)) == (None, 0)
    assert tables.get("doushouqi", KNOWN_WIN, "?") == tables.probe("doushouqi", KNOWN_WIN)
    assert tables.get_value("doushouqi", KNOWN_WIN, 0) == Value(Outcome.WIN, 1)


def test_a_missing_child_is_named(three_pieces: Path, tmp_path: Path) -> None:
    """Where only the table that a capture leads to is missing, its move is of unknown value, or an error if that is asked for."""
    (tmp_path / "doushouqi/3").mkdir(parents=True)
    shutil.copy(three_pieces / "doushouqi/3/RCvW.h5", tmp_path / "doushouqi/3")
    position = "7/7/7/7/7/7/wC5/6R/7 b"
    with tablebase.open(tmp_path) as partial, tablebase.open(three_pieces) as whole:
        assert partial.probe_value("doushouqi", position) == whole.probe_value("doushouqi", position)
        with pytest.raises(MissingTableError, match="the table RvW of doushouqi has not been built"):
            partial.probe("doushouqi", position, strict=True)
        found, expected = partial.probe("doushouqi", position), whole.probe("doushouqi", position)
        assert found.value == expected.value
        *known, unknown = found.moves
        assert (unknown.move, unknown.value, unknown.missing) == ("a3b3", None, "RvW")
        assert [move for move in expected.moves if move.move != "a3b3"] == known
        assert len(known) == 2
        # Where a known move attains the value, an unknown one does not matter.
        sure = partial.probe("doushouqi", "7/2R4/7/7/7/7/C6/w6/7 b")
        assert (sure.moves[-1].value, sure.best) == (None, "a2a1")


def check_line(tables: Tablebase, text: str) -> int:
    """Check a decided line ply by ply; its length."""
    line = tables.line(GAME, text)
    first = line[0]
    assert first.position == text
    assert first.distance is not None
    assert [one.distance for one in line] == list(range(first.distance, 0, -1))
    for before, after in pairwise(line):
        assert after.outcome == before.outcome.reversed
        assert after.position == before.moves[0].position
        assert {before.side, after.side} == {"w", "b"}
        assert after == tables.probe(GAME, after.position)
    last = parse(GAME, line[-1].position)
    ending = [move for move in naive.moves(GAME, last) if render_move(GAME, move) == line[-1].best]
    assert [wins_at_once(GAME, last, move) for move in ending] == [True]
    return len(line)


@pytest.mark.parametrize(("pieces", "plies"), [(2, 34), (3, 67)])
def test_the_line_is_as_long_as_the_probe_says(pieces: int, plies: int, more_tables: Tablebase, three_pieces: Path) -> None:
    """The longest wins and losses play out with the distance falling by one and the outcome changing at every ply."""
    assert max(check_line(more_tables, text) for text in longest(three_pieces, pieces)) == plies


@given(TWO)
def test_any_line_ends(tables: Tablebase, position: Position) -> None:
    """A decided line ends after its distance; a drawn one stays drawn and never shows a position twice."""
    value = tables.probe_value(GAME, position)
    if value.distance is not None:
        assert check_line(tables, render(GAME, position)) == value.distance
    else:
        line = tables.line(GAME, position)
        assert {one.outcome for one in line} == {Outcome.DRAW}
        assert len({one.position for one in line}) == len(line)
        back = line[-1].moves[0].position
        assert back in {one.position for one in line}


def test_threads_get_the_same_answers(three_pieces: Path, more_tables: Tablebase) -> None:
    """Eight threads that ask one freshly opened tablebase at once get what one gets alone."""
    random = Random(8)
    asked = [random_position(GAME, one, random.randrange(2), random) for n in (2, 3) for one in materials(GAME, n)[::3]]
    expected = [more_tables.probe_value(GAME, one) for one in asked]
    whole = [more_tables.probe(GAME, one) for one in asked[:40]]

    def ask(seed: int) -> bool:
        order = list(range(len(asked)))
        Random(seed).shuffle(order)
        right = all(fresh.probe_value(GAME, asked[n]) == expected[n] for n in order)
        right &= fresh.probe_values(GAME, [asked[n] for n in order]) == [expected[n] for n in order]
        return right and all(fresh.probe(GAME, asked[n]) == whole[n] for n in order if n < len(whole))

    with tablebase.open(three_pieces) as fresh, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [True] * 8


def test_arrays_are_as_many_single_probes(more_tables: Tablebase) -> None:
    """Arrays of squares of one material, aliases and swapped ones too, have the values of their positions."""
    random = Random(11)
    signs = {"win": 1, "draw": 0, "loss": -1}
    for name in ("RvC", "EvT", "DRvP", "TvWD", "LEvC", "CvWD"):
        for side in (0, 1):
            asked = [random_position(GAME, parse_material(GAME, name), side, random) for _ in range(40)]
            squares = np.array([[square for _, square in one.pieces] for one in asked], dtype=np.int8)
            outcomes, distances = more_tables.probe_squares("doushouqi", name, side, squares)
            values = [more_tables.probe_value(GAME, one) for one in asked]
            assert outcomes.tolist() == [signs[value.outcome] for value in values]
            assert distances.tolist() == [-1 if value.distance is None else value.distance for value in values]


def test_every_alias_is_asked_for_by_its_own_name(tmp_path: Path) -> None:
    """In an empty folder each slice's error names the slice as it was asked for, not what stands for it."""
    random = Random(1)
    with tablebase.open(tmp_path) as empty:
        for material in at_least_one(materials(GAME, 2)):
            with pytest.raises(MissingTableError, match=f"the table {material_name(GAME, material)} of doushouqi"):
                empty.probe_value(GAME, random_position(GAME, material, 1, random))


def test_a_move_by_two_ways_is_one_move(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps from a square to the same target are listed once."""
    game = toys.corners(3, 3)
    position = read(game, "3/1c1/A2 b")
    assert len(legal_moves(game, position)) == 8
    # There are no files of this toy, and what its positions are worth does not matter here.
    monkeypatch.setattr(SliceSource, "look_up", lambda *_: Value(Outcome.DRAW, None))
    monkeypatch.setattr(SliceSource, "reached", lambda *_: Value(Outcome.DRAW, None))
    with closing(Prober(two_pieces)) as prober:
        rated = prober.of(game).probe(position).moves
    assert sorted(one.move for one in rated) == ["b2a1", "b2a3", "b2c1", "b2c3"]


def test_a_king_as_the_documents_make_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every position of a line is probed with the line's value, alone and among many, also the last one, where a rook is left."""
    with functions_installed(tmp_path, monkeypatch):
        game = load_game("court")
        tablebase.build(game, pieces=3, data=tmp_path / "tables")
        with tablebase.open(tmp_path / "tables") as tables:
            starts = [random_position(game, material, side, Random(side)) for material in materials(game, 3) for side in (0, 1)]
            lines = [line.to_dict() for start in starts for line in [tables.line(game, start)]]
            ends = {line[-1]["position"] for line in lines if line[-1]["distance"] == 0}
            assert any(text.endswith(" lost") and {"R", "r"} & set(text) for text in ends)
            for row in [row for line in lines for row in line]:
                many = next(tables.probe_many(game, [row["position"]]).to_dicts())
                alone = tables.probe(game, row["position"])
                assert (alone.outcome, alone.distance) == (row["outcome"], row["distance"])
                assert many == alone.to_dict()
                for move in many["moves"]:
                    plies = tables.probe(game, move["position"]).distance
                    assert move["distance"] == (None if plies is None else plies + 1)


PIECES = ((0, 20), (9, 44))
NO_POSITIONS = {
    "nonsense": "nonsense",
    "a text with one side alone": "7/7/7/7/7/7/7/7/R6 w",
    "the side that has won to move": Position(((0, 59), (9, 0)), 0),
    "bytes": b"7/7/7/7/3c3/7/7/R6/7 w",
    "a list": [PIECES, 0],
    "pieces that are text": Position("Rc", 0),  # type: ignore[arg-type]
    "a list of pieces": Position(list(PIECES), 0),  # type: ignore[arg-type]
    "pieces in another order": Position(PIECES[::-1], 0),
    "kinds that are letters": Position((("R", 20), ("c", 30)), 0),  # type: ignore[arg-type]
    "a kind too large": Position(((0, 20), (16, 30)), 0),
    "a square that is a fraction": Position(((0, 20.0), (9, 44)), 0),  # type: ignore[arg-type]
    "a square too large": Position(((0, 63), (9, 44)), 0),
    "a side that is a letter": Position(PIECES, "w"),  # type: ignore[arg-type]
    "a negative side": Position(PIECES, -1),
    "two pieces on one square": Position(((0, 44), (9, 44)), 0),
    "two pieces of one kind": Position(((0, 20), (0, 21), (9, 44)), 0),
    "one side alone": Position(((0, 20),), 0),
    "nothing at all": Position((), 0),
}


@pytest.mark.parametrize("position", NO_POSITIONS.values(), ids=NO_POSITIONS)
def test_what_is_no_position_is_refused(position: Any, tables: Tablebase) -> None:
    """By every question, in one sentence, whatever it is; and nothing is answered for a position of another order."""
    assert tables.probe_value(GAME, Position(PIECES, 0)) is not None
    questions = [tables.probe_value, tables.get_value, tables.probe, tables.get]
    # A line without a position begins at the start.
    for question in questions if position is None else [*questions, tables.line]:
        with pytest.raises(NotationError) as caught:
            question(GAME, position)
        assert "\n" not in str(caught.value)
    with pytest.raises(NotationError):
        tables.probe_values(GAME, [Position(PIECES, 0), position])
