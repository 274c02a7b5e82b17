"""Many positions at once: each has the answer that it has alone, or its own reason."""

import shutil
from pathlib import Path
from random import Random

import pytest
from support.games import random_games
from support.program import flip, middle_of_codes, random_position
from twins import naive

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CorruptTableError, MissingTableError, NotationError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, won_before
from tablebase.game.notation import parse, render
from tablebase.probe import many
from tablebase.probe.answers import Probe, Unanswered
from tablebase.slices.material import materials
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
