"""The scripts that hold known numbers against what is computed: they print both, and fail if one of them differs."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import Answer, assert_one_sentence
from twins import walk as naive_walk
from twins.walk import walk

from scripts.reproduce import foxhounds, hasenspiel
from tablebase.errors import TablebaseError
from tablebase.game import load_game

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
