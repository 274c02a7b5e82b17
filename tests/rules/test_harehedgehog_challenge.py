"""The edition of the Software-Challenge 2025: each rule on a small position, by hand; see also the comparison with `socha`."""

from __future__ import annotations

from typing import Any

import pytest

from tablebase.errors import NotationError, RulesError
from tablebase.game.stochastic import OVER, StochasticGame
from tablebase.stochastic.paths import paths_by_depth
from tablebase.testing import StochasticGameTests
from tablebase_rules._harehedgehog import BOARD
from tablebase_rules._harehedgehog_challenge import TRACK
from tablebase_rules.harehedgehog import game

RULES = game(edition="challenge_2025")


class TestChallenge(StochasticGameTests):
    """The public suite; there are no kernels, and so three of its tests are skipped."""

    samples = 300

    def game(self) -> StochasticGame:
        """With the rules of the contest."""
        return RULES


def codes(text: str) -> set[int]:
    """The legal codes of a state."""
    return set(RULES.moves(RULES.parse(text)))


def after(text: str, code: int) -> str:
    """The state that a code leads to."""
    return RULES.format(RULES.moves(RULES.parse(text))[code])


def test_track() -> None:
    """The squares of third and fourth places have become carrots and markets, as in the contest."""
    assert BOARD.replace("3", "C").replace("4", "M") == TRACK


def test_paths() -> None:
    """The counts of the package `socha`."""
    counts = [paths for _, paths, _ in paths_by_depth(RULES, RULES.start, 6)]
    assert counts == [9, 60, 307, 1650, 8854, 49564]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("0:68:5,0:68:5 1", {2, 4, 5, 7, 109, 209, 309, 409, 10}, id="no hare square without a card to play"),
        pytest.param("0:28:5:e,0:0:0 1", {301, 2, 303, 4, 5, 306, 7}, id="a card for the hare squares"),
        pytest.param("0:28:0,0:0:0 1", {2, 4, 5}, id="no lettuce square without a lettuce"),
        pytest.param("2:3:0,4:0:0 1", {1001}, id="no square where another is"),
        pytest.param("7:9:3e,0:0:0 1", {0}, id="a lettuce to eat"),
        pytest.param("7:9:2,0:0:0 1", {3}, id="it has been eaten"),
        pytest.param("12:0:0,2:0:0 1", {-1, 1001}, id="back to the nearest hedgehog"),
        pytest.param("12:0:0,11:0:0 1", {1001}, id="another is on the nearest hedgehog"),
        pytest.param("5:9:0,0:0:0 1", {1001}, id="nine carrots are not enough to give ten"),
        pytest.param("5:10:0,0:0:0 1", {1001, 1002}, id="ten are, but not for the way to the market and a card"),
        pytest.param("5:20:0,0:0:0 1", {104, 204, 304, 404, 5, 1001, 1002}, id="twenty are enough"),
        pytest.param("61:16:0,0:0:0 1", {3, -5}, id="home with ten carrots left"),
        pytest.param("61:17:0,0:0:0 1", {-5}, id="eleven are too many"),
        pytest.param("61:6:1,0:0:0 1", {1, -5}, id="not home with a lettuce"),
        pytest.param("23:3:0:f,5:0:0 1", {102, -4}, id="fall back"),
        pytest.param("23:3:0:f,9:0:0 1", {-4}, id="not to a hedgehog"),
        pytest.param("23:3:0:f,1:0:0 1", {-4}, id="not to the start"),
        pytest.param("23:3:0:f,0:0:0 1", {-4}, id="not behind the start"),
        pytest.param("23:3:0:f,30:0:0 1", {-4}, id="only from the front"),
        pytest.param("23:3:0:f,8:0:0 1", {-4}, id="not to a lettuce without one"),
        pytest.param("23:3:0:m,28:0:0 1", {202, -4}, id="move up"),
        pytest.param("23:3:0:m,29:0:0 1", {-4}, id="not up to a hedgehog"),
        pytest.param("23:3:0:m,20:0:0 1", {-4}, id="only from behind"),
        pytest.param("23:3:0:m,30:0:0 1", {-4}, id="not up to a hare square without another card"),
        pytest.param("23:3:1:em,30:0:0 1", {302, 2302, -4}, id="a card for each hare square"),
        pytest.param("23:13:0:m,26:0:0 1", {2102, 2202, 2302, 2402, -4}, id="up to a market, where a card is bought"),
        pytest.param("23:12:0:m,26:0:0 1", {-4}, id="nine carrots are not enough for a card"),
        pytest.param("59:3:0:m,63:0:0 1", {1, 202, -3, 1001}, id="up and home"),
        pytest.param("59:14:0:m,63:0:0 1", {1, -3, 1001, 1002}, id="not home with eleven carrots"),
        pytest.param("23:3:1:e,20:0:0 1", {302, -4}, id="eat"),
        pytest.param("23:3:0:e,20:0:0 1", {-4}, id="nothing to eat"),
        pytest.param("23:3:0:s,56:9:0 1", {402, -4}, id="swap"),
        pytest.param("23:3:0:s,57:9:0 1", {-4}, id="no swap where the last lettuces are"),
        pytest.param("55:6:0:s,0:9:0 1", {-5, 1001}, id="nor once the hare itself is there"),
        pytest.param("23:3:0:s,14:9:0s 1", {-4}, id="the other one has just swapped"),
        pytest.param("23:3:0:s,18:9:0s:s 1", {402, -4}, id="the other one has bought the card"),
        pytest.param("25:21:0s:s,20:9:0 1", {1, 102, 202, 302, 402, 3, 4, -1}, id="the hare itself has just swapped"),
        pytest.param("25:21:0:s,20:9:0 1", {1, 102, 202, 302, 402, 3, 4, 406, -1}, id="it has not"),
        pytest.param("9:15:0s:s,20:9:0 1", {1, 3, 4, 405, -1}, id="it has bought the card"),
        pytest.param("25:21:0s:ms,33:9:0 1", {1, 102, 202, 302, 402, 3, 4, 2406, -1}, id="it is looked for in a wrong place"),
        pytest.param("9:21:5s:fs,4:48:5 1", {1, 3, 4, 405, 1405, -1}, id="and found nowhere in front of the start"),
    ],
)
def test_codes(text: str, expected: set[int]) -> None:
    """The legal codes: each case is one line of the rules."""
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        pytest.param("0:68:5,0:68:5 1", 2, "2:65:5,0:68:5 2", id="three carrots for two squares"),
        pytest.param("2:65:5,0:68:5 2", 5, "2:65:5,5:53:5 1 round:1", id="a round is over"),
        pytest.param("0:68:5,0:68:5 1", 7, "7:40:5e,0:68:5 2", id="a lettuce is to be eaten"),
        pytest.param("7:9:3e,0:0:0 1", 0, "7:19:2,0:0:0 2", id="ten carrots in front"),
        pytest.param("7:9:3e,20:0:0 1", 0, "7:39:2,20:0:0 2", id="thirty behind"),
        pytest.param("0:68:5,0:68:5 1", 109, "9:13:5:f,0:68:5 2", id="ten carrots for a card"),
        pytest.param("0:68:5:ffs,0:68:5 1", 209, "9:13:5:ffms,0:68:5 2", id="one more"),
        pytest.param("0:68:5,0:68:5 1", 409, "9:13:5s:s,0:68:5 2", id="a card to swap has been bought"),
        pytest.param("12:0:0,2:0:0 1", -1, "11:10:0,2:0:0 2", id="ten carrots for each square back"),
        pytest.param("5:10:0,0:0:0 1", 1001, "5:20:0,0:0:0 2", id="ten taken"),
        pytest.param("5:10:0,0:0:0 1", 1002, "5:0:0,0:0:0 2", id="ten given"),
        pytest.param("0:68:5,16:0:0 1", 2, "2:65:5,16:10:0 2", id="the next player is paid for being in front"),
        pytest.param("20:68:0,16:0:0 1", 1, "21:67:0,16:0:0 2", id="he is not"),
        pytest.param("20:68:0,17:0:0 1", 1, "21:67:0,17:30:0 2", id="he is paid for being behind"),
        pytest.param("0:68:5,17:0:0 1", 2, "2:65:5,17:0:0 2", id="he is not behind"),
        pytest.param("16:9:0,0:68:5 1", -1, "15:19:0,0:68:5 2", id="who moves is not paid"),
        pytest.param("23:3:0:f,5:0:0 1", 102, "4:0:0,5:0:0 2", id="fall back"),
        pytest.param("23:3:1:f,8:0:0 1", 102, "7:0:1e,8:0:0 2", id="to a lettuce"),
        pytest.param("23:3:0:mm,28:0:0 1", 202, "29:0:0:m,28:0:0 2", id="move up"),
        pytest.param("23:3:1:e,20:0:0 1", 302, "25:10:0,20:0:0 2", id="eat in front"),
        pytest.param("23:3:1:e,26:0:0 1", 302, "25:30:0,26:0:0 2", id="eat behind"),
        pytest.param("23:3:0:s,20:9:0 1", 402, "25:9:0s,20:0:0 2", id="what is left is swapped"),
        pytest.param("23:13:0:m,26:0:0 1", 2402, "27:0:0s:s,26:0:0 2", id="up, and a card bought"),
        pytest.param("23:3:1:ef,15:0:0 1", 1302, "14:30:0,15:0:0 2", id="back, and a lettuce eaten"),
        pytest.param("59:3:0:m,63:0:0 1", 202, "64:0:0,63:0:0 2", id="up and home"),
        pytest.param("9:15:0s:s,20:9:0 1", 3, "12:9:0:s,20:9:0 2", id="a purchase is forgotten"),
    ],
)
def test_moves(text: str, code: int, expected: str) -> None:
    """What codes do."""
    assert after(text, code) == expected


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param("64:10:0,5:0:0 2", (1, 2), id="at home, and the other one has no last turn"),
        pytest.param("5:0:0,64:3:0 1 round:4", (2, 1), id="the second player is at home"),
        pytest.param("20:5:0,21:0:0 1 round:30", (2, 1), id="in front after the last round"),
        pytest.param("0:5:5,0:3:5 1 round:30", (1, 2), id="more carrots on the same square"),
        pytest.param("0:3:5,0:3:5 1 round:30", (1, 1), id="no difference"),
        pytest.param("10:0:0,8:0:0 1", (1, 2), id="no move"),
    ],
)
def test_ends(text: str, places: tuple[int, int]) -> None:
    """Nobody is to move, and players have places."""
    state = RULES.parse(text)
    assert (RULES.to_move(state), RULES.moves(state), RULES.places(state)) == (OVER, {}, places)


def test_the_last_turn() -> None:
    """Until thirty rounds are over the game goes on, and nobody has a place."""
    state = RULES.parse("20:5:0,21:0:0 2 round:29")
    assert (RULES.to_move(state), RULES.places(state)) == (1, ())


def test_words_of_codes() -> None:
    """Codes for people."""
    said = {code: RULES.code_text(code) for code in (0, 9, 64, -3, 1001, 1002, 101, 2409)}
    assert said == {
        0: "eat a lettuce",
        9: "9 squares ahead",
        64: "64 squares ahead",
        -3: "3 squares back to the hedgehog",
        1001: "take 10 carrots",
        1002: "give 10 carrots",
        101: "1 square ahead with fall_back",
        2409: "9 squares ahead with move_up, swap",
    }


# Bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": 3}, "leave out players=3$"),
        ({"deck": "exhaust", "rounds": 5}, "edition=challenge_2025 .* has rules of its own: leave out rounds=5, deck=exhaust$"),
        ({"players": 7}, "players from 2 to 6, not 7"),
    ],
)
def test_no_other_options(options: dict[str, Any], said: str) -> None:
    """A sentence names all that do not fit."""
    with pytest.raises(RulesError, match=said):
        game(edition="challenge_2025", **options)


def test_no_such_edition() -> None:
    """A sentence names those there are."""
    with pytest.raises(RulesError, match="edition=2018: choose one of classic, challenge_2025"):
        game(edition="2018")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a state of harehedgehog: write both players .* as in '0:68:5,0:68:5 1'"),
        ("0:68:5,0:68:5", "is not a state"),
        ("0:68:5,0:68:5 1 turn:5", "is not a state"),
        ("0:68:5,0:68:5 1 round:1 round:2", "is not a state"),
        ("0:68:5 1", "has 2 players here, and '0:68:5' describes 1"),
        ("0:68,0:68:5 1", "'0:68' does not describe player 1: write square:carrots:lettuces"),
        ("0:68:5,0:68:5m 1", "'0:68:5m' does not describe player 2"),
        ("0:68:5:x,0:68:5 1", "'x' are not the cards of player 1: write at most 30 of the letters f, m, e, s"),
        ("0:68:5:,0:68:5 1", "no colon before none"),
        (f"0:68:5:{'f' * 31},0:68:5 1", "at most 30"),
        ("65:68:5,0:68:5 1", "square of player 1 must be a whole number from 0 to 64"),
        ("0:68:5,0:-1:5 1", "carrots of player 2 must be a whole number of 0 or more"),
        ("0:68:6,0:68:5 1", "lettuces of player 1 must be a whole number from 0 to 5"),
        ("0:68:5,0:68:5 3", "player to move must be a whole number from 1 to 2"),
        ("0:68:5,0:68:5 1 round:31", "rounds must be a whole number from 0 to 30"),
        ("0:68:5,0:68:5 2 round:30", "after 30 rounds the game is over, with player 1 to move"),
        ("5:68:5,5:68:5 1", "both players are on square 5"),
        ("64:0:0,64:0:0 1", "player 1 is at home and cannot be the one to move"),
        ("64:0:1,5:0:0 2", "no lettuces and at most 10 carrots"),
        ("64:11:0,5:0:0 2", "no lettuces and at most 10 carrots"),
        ("5:0:1e,0:0:0 1", "eat only on a lettuce square"),
        ("7:0:0e,0:0:0 1", "eat only on a lettuce square, with a lettuce"),
        ("5:0:1s,0:0:0 1", "only on a hare square or a market"),
        ("9:0:1s,0:0:0 1", "cannot just have bought one"),
    ],
)
def test_no_such_state(text: str, said: str) -> None:
    """A sentence names what is wrong."""
    with pytest.raises(NotationError, match=said):
        RULES.parse(text)
