"""Scripts that hold known numbers against what is computed: they print both, and fail if one of them differs.

What the matchbox learner says of itself is held against `twins.pawns`, a Hexapawn of 3x3 on strings, without tables.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import Answer, assert_one_sentence, assert_refused
from twins import walk as naive_walk
from twins.pawns import BLACK, START, WHITE, as_cells, flipped, naive_moves, naive_value
from twins.walk import walk

import tablebase
from scripts.measure.tiers import PHASES
from scripts.reproduce import foxhounds, hasenspiel, matchboxes
from scripts.reproduce.known import build_start
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.notation import parse
from tablebase.play.learning.matchboxes import grow_tree
from tablebase_rules.hexapawn import game as hexapawn

Tell = Callable[..., Answer]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the scripts put their tables, so that none is built twice."""
    folder: Path = tmp_path_factory.mktemp("reproduced") / "tables"
    return folder


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the Fox & Hounds script measure in this process, which is quicker than one of its own for each board."""
    monkeypatch.setattr(foxhounds, "ProcessPoolExecutor", lambda count, _: ThreadPoolExecutor(count))


@pytest.mark.parametrize(
    ("field", "value"),
    [("reachable", 82), ("games", "179"), ("games", "~10^4"), ("start", "Hounds win in 7"), ("start", "Fox win in 8")],
)
@pytest.mark.usefixtures("in_threads")
def test_a_board_that_differs_is_named(field: str, value: object, tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a number of the article were another, the script would say for which board, and fail."""
    assert tell(foxhounds, "--size", "4").code == 0
    monkeypatch.setitem(foxhounds.ARTICLE, 4, foxhounds.ARTICLE[4]._replace(**{field: value}))
    answer = tell(foxhounds, "--size", "4")
    assert (answer.code, answer.out.splitlines()[-1]) == (1, "4x4 differs from the article")


@pytest.mark.usefixtures("in_threads")
def test_a_fuzz_factor_that_differs_is_named(tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the fuzz table that is not so is marked, and the script fails; one that is so is not."""
    monkeypatch.setattr(foxhounds, "FUZZ_BOARD", 4)
    # Without faults nobody wins what is lost.
    right, wrong = ("0.000000", "0.000", "0.000"), ("0.000000", "0.000", "0.001")
    monkeypatch.setattr(foxhounds, "FUZZ", (right,))
    assert tell(foxhounds, "--size", "4").code == 0
    monkeypatch.setattr(foxhounds, "FUZZ", (right, wrong))
    answer = tell(foxhounds, "--size", "4")
    assert (answer.code, answer.out.splitlines()[-1]) == (1, "fuzz factor 0.000000 differs from the article")
    assert [line.split() for line in answer.out.splitlines() if line.startswith("0.")] == [
        ["0.000000", "0.000", "0.000", "0.000", "0.000"],
        ["0.000000", "0.000", "0.000", "0.001", "0.000", "differs"],
    ]


@pytest.mark.release
def test_a_board_that_is_none_is_code_2(tell: Tell) -> None:
    """A size that the game does not have is one sentence that names it, though another process finds out."""
    assert_one_sentence(tell(foxhounds, "--size", 14), "14x14")


@pytest.mark.parametrize(
    ("field", "value"),
    [("states", 1), ("games", 1), ("games_won_by_black", "1.50"), ("plies", 43), ("states_won_by_black", "7.58")],
)
def test_a_reading_that_differs_is_named(field: str, value: object, tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a known number were another, the script would name it and the reading, and fail."""
    right = dict(hasenspiel.KNOWN)
    monkeypatch.setattr(hasenspiel, "measured", lambda game, *_: right[game.name.partition("early=")[2] or "default"])
    assert tell(hasenspiel).code == 0
    monkeypatch.setitem(hasenspiel.KNOWN, "default", right["default"]._replace(**{field: value}))
    answer = tell(hasenspiel)
    expected = f"default: {field} is {getattr(right['default'], field)} here, {value} is known"
    assert (answer.code, answer.out.splitlines()[-1]) == (1, expected)


def test_a_hasenspiel_that_white_wins_is_refused(folder: Path) -> None:
    """On a board where plain Python says that White wins the start there are no numbers but an error."""
    game = load_game("hasenspiel-4x4-pawns=1")
    walked = walk(game)
    assert naive_walk.values(walked)[walked.start][0] == "win"
    with pytest.raises(TablebaseError, match="is not won for Black: its start is a win"):
        hasenspiel.measured(game, folder, 2)


@given(st.integers(0, 10**40), st.integers(1, 10**40), st.integers(1, 4))
def test_shares_are_rounded_exactly(part: int, rest: int, decimals: int) -> None:
    """A share of numbers beyond any float is the exact one, rounded to the nearest, a half upwards."""
    exact = Fraction(100 * part, part + rest)
    text = hasenspiel._per_cent(part, part + rest, decimals)
    half = Fraction(1, 2 * 10**decimals)
    assert -half < Fraction(text) - exact <= half
    assert len(text.partition(".")[2]) == decimals
    assert (hasenspiel._per_cent(1, 16, 2), hasenspiel._per_cent(1, 16, 1)) == ("6.25", "6.3")


GAME = hexapawn()


def naive_perfect(cells: str) -> Callable[[str], bool]:
    """For a White that goes only where it is worst for Black."""
    worst = min(naive_value(after, BLACK) for after, won in naive_moves(cells, WHITE).values() if not won)
    return lambda after: naive_value(after, BLACK) == worst


def surely_wins(learner: Any, perfect_white: bool) -> bool:
    """Whether every line of play ends well for Black, found by playing all of them."""
    boxes = {as_cells(position): [(bead.move.origin, bead.move.target) for bead in box] for position, box in learner.boxes.items()}

    def white_to_move(cells: str) -> bool:
        moves = naive_moves(cells, WHITE)
        if any(won for _, won in moves.values()):
            return False
        allowed = naive_perfect(cells) if perfect_white and moves else lambda _: True
        return all(black_to_move(after) for after, _ in moves.values() if allowed(after))

    def black_to_move(cells: str) -> bool:
        shown = cells if cells in boxes else flipped(cells)
        moves = naive_moves(shown, BLACK)
        beads = boxes[shown] if moves else []
        return bool(beads) and all(moves[bead][1] or white_to_move(moves[bead][0]) for bead in beads)

    return white_to_move(START)


@pytest.fixture(scope="module")
def ratings(folder: Path) -> Any:
    """The values of all moves of Hexapawn on 3x3, by its tables."""
    build_start(GAME, folder)
    with tablebase.open(folder) as tables:
        return matchboxes.rate(tables, GAME, grow_tree(GAME, parse(GAME, GAME.start)))


@pytest.fixture
def learner(ratings: Any) -> Any:
    """A learner that has not played yet."""
    return matchboxes.Learner(GAME, grow_tree(GAME, parse(GAME, GAME.start)), ratings)


@pytest.mark.parametrize("seed", range(2))
def test_trained_at_random_it_ends_up_perfect(learner: Any, seed: int) -> None:
    """What it says of itself after each game is what playing all lines says, and in the end it is perfect."""
    random = Random(seed)
    known = []
    for _ in range(700):
        learner.play(matchboxes.every_move, random)
        known.append(learner.always_wins())
        assert known[-1] == surely_wins(learner, False)
        assert learner.always_wins(matchboxes.table_moves) == surely_wins(learner, True)
        if known[-1]:
            break
    assert known[-1]
    assert len(known) > 10
    beads = learner.beads
    assert all(learner.play(matchboxes.every_move, random) for _ in range(200))
    assert learner.beads == beads


def test_the_program_tells_perfect_from_beating_the_opponent(tell: Tell) -> None:
    """Against perfect play there is a sentence for each of the two, and for many runs the median."""
    *_, perfect, beats, left = tell(matchboxes, "--opponent", "perfect", "--runs", 9).out.splitlines()
    assert "never in 200 games" in perfect
    assert "in 9 of 9 runs, after " in beats
    assert "42 of 45 (median)" in left
    assert "median more than were played" in tell(matchboxes, "--runs", 9, "--games", 80).out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--size", "3"], "invalid size '3' for hexapawn"),
        (["--size", "3x2"], "hexapawn is played on 1 to 9 files and 3 to 9 ranks, not on 3x2"),
        (["--size", "1x3"], "Black never moves on 1x3"),
        (["--data", __file__], "is a file, not a folder: choose a folder for the tables"),
    ],
)
def test_bad_arguments_get_one_sentence(tell: Tell, arguments: list[str], error: str) -> None:
    assert_one_sentence(tell(matchboxes, *arguments), error)


@pytest.mark.parametrize("name", ["nowhere/curve.png", "curve.nonsense"])
def test_a_picture_that_cannot_be_written(tell: Tell, tmp_path: Path, name: str) -> None:
    """A folder that is not there or an unknown kind of picture is one sentence that names it."""
    pytest.importorskip("matplotlib")
    assert_refused(tell(matchboxes, "--games", 3, "--picture", tmp_path / name), 2, str(tmp_path / name.partition("/")[0]))


@pytest.mark.parametrize("name", PHASES.values())
def test_what_is_timed_exists(name: str) -> None:
    """The benchmark of compiled games replaces these functions by their names."""
    assert callable(resolve_name(name))
