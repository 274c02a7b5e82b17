"""Hexapawn's matchbox learner.

What the learner says of itself is held against `naive_pawns`, a Hexapawn of 3x3 on strings, without tables.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.program import Answer, assert_one_sentence, assert_refused
from twins.pawns import BLACK, START, WHITE, as_cells, flipped, naive_moves, naive_value

import tablebase
from scripts.reproduce import matchboxes
from scripts.reproduce.known import build_start
from tablebase.game.notation import parse
from tablebase.play.learning.matchboxes import grow_tree
from tablebase_rules.hexapawn import game as hexapawn

Tell = Callable[..., Answer]
GAME = hexapawn()


def any_move(_: str) -> bool:
    """For a White that may do anything."""
    return True


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
        allowed = naive_perfect(cells) if perfect_white and moves else any_move
        return all(black_to_move(after) for after, _ in moves.values() if allowed(after))

    def black_to_move(cells: str) -> bool:
        shown = cells if cells in boxes else flipped(cells)
        moves = naive_moves(shown, BLACK)
        beads = boxes[shown] if moves else []
        return bool(beads) and all(moves[bead][1] or white_to_move(moves[bead][0]) for bead in beads)

    return white_to_move(START)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of Hexapawn on 3x3."""
    folder: Path = tmp_path_factory.mktemp("hexapawn") / "tables"
    build_start(GAME, folder)
    return folder


@pytest.fixture(scope="module")
def ratings(folder: Path) -> Any:
    """The values of all moves of 3x3."""
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
    ("arguments", "fault"),
    [
        (["--size", "3"], "invalid size '3' of hexapawn"),
        (["--size", "3x2"], "hexapawn is played on 1 to 9 files and 3 to 9 ranks, not on 3x2"),
        (["--size", "1x3"], "Black never moves on 1x3"),
        (["--data", __file__], "is a file: name a folder for the tables"),
    ],
)
def test_bad_arguments_get_one_sentence(tell: Tell, arguments: list[str], fault: str) -> None:
    assert_one_sentence(tell(matchboxes, *arguments), fault)


@pytest.mark.parametrize("name", ["nowhere/curve.png", "curve.nonsense"])
def test_a_picture_that_cannot_be_written(tell: Tell, tmp_path: Path, name: str) -> None:
    """A folder that is not there or an unknown kind of picture is one sentence that names it."""
    pytest.importorskip("matplotlib")
    assert_refused(tell(matchboxes, "--games", 3, "--picture", tmp_path / name), 2, str(tmp_path / name.partition("/")[0]))
