"""Many positions at once, as texts or as squares: each has the answer that it has alone, or its own reason."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from support.games import random_games
from support.program import flip, middle_of_codes, random_position
from twins import naive

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CorruptTableError, MissingTableError, NotationError, SquaresError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, won_before
from tablebase.game.notation import check_pieces, parse, render
from tablebase.positions.material import Material, material_of, materials
from tablebase.probe import batch as many
from tablebase.probe.answers import Probe, Unanswered
from tablebase.probe.squares import row_error, sound_rows
from tablebase.tables.values import Value
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
KNOWN_WIN = "7/3C3/7/7/7/7/7/7/c6 w"
THREE = "7/7/3t3/7/7/R6/4E2/7/7 w"
IN_THE_DEN = "3R3/7/7/7/7/7/7/7/c6 b"
ALONE = "7/7/7/7/7/7/W6/7/7 b"
IN_THE_WATER = "7/7/7/1C5/7/7/7/7/c6 w"


def asked(pieces: int, each: int) -> list[str]:
    """Random positions of all materials, either side to move, in random order."""
    random = Random(pieces)
    found = [random_position(GAME, one, side, random) for one in materials(GAME, pieces) for side in (0, 1) for _ in range(each)]
    random.shuffle(found)
    return [render(GAME, one) for one in found]


def same(tables: Tablebase, game: Game, texts: list[str], *, strict: bool = False) -> None:
    """The answers together are those one by one, as objects, as arrays and as rows."""
    answers = tables.probe_many(game, texts, strict=strict)
    rows = list(answers.to_dicts())
    assert len(answers) == len(rows) == len(texts)
    values, errors, outcomes, distances = answers.values(), answers.errors, answers.outcomes, answers.distances
    for place, (text, answer, row) in enumerate(zip(texts, answers, rows, strict=True)):
        try:
            alone = tables.probe(game, text, strict=strict)
        except (MissingTableError, NotationError) as error:
            reason: Exception | None = error
        else:
            reason = None
        assert row == answer.to_dict()
        if isinstance(answer, Unanswered):
            assert (type(answer.error), str(answer.error)) == (type(reason), str(reason))
            assert row["error"]["message"] == str(reason)
            continue
        assert (reason, answer) == (None, alone)
        assert place not in errors
        assert values[place] == alone.value
        sign = {"win": 1, "draw": 0, "loss": -1}[alone.outcome]
        assert (outcomes[place], distances[place]) == (sign, -1 if alone.distance is None else alone.distance)
    without = [{name: value for name, value in row.items() if name != "moves"} for row in rows]
    assert [{name: value for name, value in row.items() if name != "moves"} for row in answers.to_dicts(moves=False)] == without


@pytest.mark.parametrize("strict", [False, True])
def test_many_answers_are_as_many_single_probes(more_tables: Tablebase, strict: bool) -> None:
    """Positions of all slices of two and three pieces, and lines that have no answer, each in its place."""
    wrong = ["nonsense", "", IN_THE_WATER, f"{GAME.start}", "7/7/7/7/7/7/7/7/RR5 w", " 7/3C3/7/7/7/7/7/7/c6   W "]
    # Where no table is missing, a strict answer is the same.
    some = asked(3, 1)[:: 8 if strict else 1]
    same(more_tables, GAME, [*asked(2, 1), *wrong, *some, KNOWN_WIN, IN_THE_DEN, ALONE], strict=strict)


def test_more_positions_than_are_rated_at_a_time(tables: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers go on behind a block, and a block may have none."""
    monkeypatch.setattr(many, "BLOCK", 7)
    monkeypatch.setattr(many, "FEW", 3)
    same(tables, GAME, [*["nonsense"] * 8, *asked(2, 1)])
    assert list(tables.probe_many(GAME, []).to_dicts()) == []


def test_moves_to_missing_tables_are_of_unknown_value(three_pieces: Path, tmp_path: Path) -> None:
    """The answer names the missing material of a move, and has a best move only if a known one is sure to be; strict, none."""
    (tmp_path / "doushouqi").mkdir()
    (tmp_path / "doushouqi/3").symlink_to(three_pieces / "doushouqi/3")
    texts = asked(3, 1)
    with Tablebase(tmp_path) as few:
        rows = list(few.probe_many(GAME, texts).to_dicts())
        unknown = [row for row in rows if any("missing" in move for move in row["moves"])]
        assert 0 < len(unknown) < len(rows)
        same(few, GAME, texts)
        same(few, GAME, texts[::4], strict=True)


def test_identical_pieces_and_stored_ends(pawn_tables: Tablebase) -> None:
    """Games with several pieces of a kind, whose slices hold positions without a move."""
    game = load_game("hexapawn")
    same(pawn_tables, game, [render(game, one) for one in random_games(game, 30, 20)])


def test_a_damaged_table_is_the_reason_of_its_positions_alone(two_pieces: Path, tmp_path: Path) -> None:
    """Positions of other tables keep their answers."""
    folder = tmp_path / "data"
    shutil.copytree(two_pieces, folder)
    path = next(folder.glob("doushouqi/2/CvC.h5"))
    flip(path, middle_of_codes(path))
    with Tablebase(folder) as tables:
        answers = tables.probe_many(GAME, [KNOWN_WIN, "7/7/7/7/7/7/cW5/7/7 w"])
        assert isinstance(answers.errors.get(0), CorruptTableError)
        assert isinstance(answers[1], Probe)


def test_positions_in_which_the_game_is_over(tables: Tablebase) -> None:
    """Those that answers name as results of a move are answered: lost in 0 for the side to move, and who has won."""
    for text in (IN_THE_DEN, ALONE):
        answer = tables.probe(GAME, text)
        assert (answer.outcome, answer.distance, answer.best, answer.moves) == ("loss", 0, None, ())
        assert (answer.winner, answer.to_dict()["winner"]) == ("w", "w")
        assert tables.probe_value(GAME, text) == answer.value
        assert tables.line(GAME, text) == [answer]
        assert tables.line(GAME, text).to_dict() == [
            {"ply": 0, "side": "b", "outcome": "loss", "distance": 0, "best": None, "position": text}
        ]
    for text in asked(2, 1):
        for move in tables.probe(GAME, text).moves:
            assert tables.probe(GAME, move.position).value.reversed.later == move.value


def test_what_the_last_move_has_won(jungle: Game) -> None:
    """The side to move has lost to one piece on a goal or has none left; with pieces that a game can have, where they can stand."""
    rat, cat, dog = (jungle.by_symbol[symbol] for symbol in "Rcd")
    den, home = jungle.board.square("d9"), jungle.board.square("d1")
    for pieces, lost in (
        (((rat, 0), (cat, home)), 0),
        (((rat, den), (cat, 1)), 1),
        (((cat, 0), (dog, 1)), 0),
        (((rat, 0), (cat, 1)), None),
        (((rat, den), (cat, home)), None),
        (((rat, den), (rat, 0), (cat, 1)), None),
        (((rat, den),), None),
        (((rat, 0), (cat, den)), None),
        (((rat, 0), (rat, 1)), None),
    ):
        positions = [Position(tuple(sorted(pieces)), side) for side in (0, 1)]
        assert [won_before(jungle, position) != "" for position in positions] == [lost == 0, lost == 1], pieces


def test_the_side_that_has_escaped_has_won() -> None:
    """A stored win in 0 names its winner as well as a loss in 0; other values name none."""
    game = load_game("foxhounds")
    position = parse(game, game.start)
    for value, winner in (
        ((Outcome.WIN, 0), "f"),
        ((Outcome.LOSS, 0), "h"),
        ((Outcome.WIN, 1), None),
        ((Outcome.DRAW, None), None),
    ):
        assert Probe(game, position, Value(*value), ()).winner == winner


def test_values_of_many_positions_with_a_default(tables: Tablebase) -> None:
    """`get_values` keeps the place of each position, `probe_values` raises the reason of the first that has none."""
    known = tables.probe_value(GAME, KNOWN_WIN)
    assert tables.get_values(GAME, [THREE, KNOWN_WIN, "nonsense"], 0) == [0, known, 0]
    assert tables.get_values(GAME, [KNOWN_WIN, IN_THE_DEN]) == [known, tables.probe_value(GAME, IN_THE_DEN)]
    with pytest.raises(MissingTableError, match="REvT"):
        tables.probe_values(GAME, [KNOWN_WIN, THREE, "nonsense"])


def test_answers_are_a_sequence(tables: Tablebase) -> None:
    """They can be counted from the end and cut, and positions need not be texts."""
    position = parse(GAME, KNOWN_WIN)
    answers = tables.probe_many("doushouqi", [KNOWN_WIN, position, Position((), 0)])
    assert answers[0] == answers[1] == answers[-2] == tables.probe(GAME, KNOWN_WIN)
    assert answers[:2] == [answers[0], answers[1]]
    unanswered = answers[-1]
    assert isinstance(unanswered, Unanswered)
    assert unanswered.to_dict()["error"]["code"] == "bad_notation"
    with pytest.raises(IndexError):
        answers[3]
    assert naive.moves(GAME, position)


GOOD = GAME.board.squares("a1 d5")


def takes(game: Game, material: Material, side: int, row: list[int]) -> bool:
    """Whether a single probe takes a row as a position of the material."""
    if min(row) < 0:
        return False
    position = Position(tuple(sorted(zip(material.kinds, row, strict=True))), side)
    try:
        check_pieces(game, position)
    except NotationError:
        return False
    return material_of(game, position) == material


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (GAME.board.squares("b4 g9"), "b4"),
        (GAME.board.squares("d9 g9"), "d9"),
        ([5, 5], "the same square"),
        ([-1, 5], "-1"),
        ([63, 5], "63"),
        ([300, 5], "300"),
        ([2**40, 5], str(2**40)),
    ],
    ids=["water", "den of the other side", "one square", "-1", "past the board", "past int8", "past int32"],
)
def test_what_is_not_a_position_is_refused(row: list[int], reason: str, tables: Tablebase) -> None:
    """The first such row is named, with the reason and the number of such rows."""
    for before, count in ((0, 1), (3, 1), (3, 4)):
        squares = np.array([GOOD] * before + [row] * count + [GOOD])
        with pytest.raises(SquaresError) as caught:
            tables.probe_squares(GAME, "CvT", 0, squares)
        error = caught.value
        assert (error.row, error.count, error.rows) == (before, count, before + count + 1)
        assert reason in error.reason
        assert f"row {before} " in str(error)


@pytest.mark.parametrize(
    "squares",
    [[[5, 6, 7]], [[5]], [5, 6], [], 7, None, [[5, 6], [7]], [[0.5, 6.0]], [["a1", "b2"]], [[True, False]], [[[5, 6]]]],
    ids=str,
)
def test_other_shapes_and_types_are_refused(squares: Any, tables: Tablebase) -> None:
    with pytest.raises(NotationError) as caught:
        tables.probe_squares(GAME, "CvT", 0, squares)
    assert not isinstance(caught.value, SquaresError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
def test_whole_numbers_of_any_width(dtype: type, tables: Tablebase) -> None:
    """They have the values that the same squares have as int8 without a check; so have lists, and no rows at all."""
    squares = np.array([GOOD, GAME.board.squares("g3 a7")], dtype=np.int8)
    expected = tables.probe_squares(GAME, "CvT", 1, squares, check=False)
    for given in (squares.astype(dtype), squares.tolist()):
        found = tables.probe_squares(GAME, "CvT", 1, given)
        assert [array.tolist() for array in found] == [array.tolist() for array in expected]
    assert [len(array) for array in tables.probe_squares(GAME, "CvT", 1, squares[:0])] == [0, 0]


@pytest.mark.parametrize("name", ["doushouqi", "hexapawn", "foxhounds-4x4", "hasenspiel-6x6"])
def test_rows_are_refused_where_single_positions_are(name: str) -> None:
    """Random rows of several materials, among them squares off the board, of other tiers, and where pieces have no home."""
    game, random, seen = load_game(name), np.random.default_rng(38), set()
    for pieces in range(2, min(4, game.max_pieces) + 1):
        listed = materials(game, pieces)
        for number in random.choice(len(listed), size=min(6, len(listed)), replace=False).tolist():
            material = listed[number]
            homes = np.array(sorted(game.kinds[material.kinds[0]].homes))
            rows = random.integers(-1, len(game.board) + 1, size=(300, pieces))
            rows[::2, 0] = random.choice(homes, size=150)
            rows[::3] = rows[::3].clip(0, len(game.board) - 1)
            sound = sound_rows(game, material, rows)
            assert sound.tolist() == [takes(game, material, 0, row) for row in rows.tolist()]
            seen |= set(sound.tolist())
            assert all(row_error(game, material, 0, row) for row in rows[~sound].tolist())
    assert seen == {True, False}
