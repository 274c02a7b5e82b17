"""Hare & Hedgehog: each rule, card and option on a small position, and the published counts of paths."""

from fractions import Fraction
from typing import Any

import pytest

from tablebase.errors import NotationError, RulesError
from tablebase.game.stochastic import CHANCE, OVER
from tablebase_rules._harehedgehog import CARD_TEXTS, CARDS
from tablebase_rules._harehedgehog_digests import FORMER_DIGESTS
from tablebase_rules.harehedgehog import WORDS, HareHedgehog, game

VARIANTS = [{}, *({option: words[1]} for option, words in WORDS.items()), {"rounds": 9}]
"""The game, and with each option by itself."""


def of(text: str, **options: Any) -> HareHedgehog:
    return game(players=text.count(",") + 1, **options)


def after(text: str, code: int, **options: Any) -> str:
    rules = of(text, **options)
    return rules.format(rules.moves(rules.parse(text))[code])


def card(text: str, name: str, **options: Any) -> str:
    rules = of(text, **options)
    return next(rules.format(draw.state) for draw in rules.draws(rules.parse(text)) if draw.label == name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("0:68:3,0:68:3 1", {1, 2, 3, 4, 5, 6, 7, 9, 10}, id="66 carrots for 11 squares, but never onto a hedgehog"),
        pytest.param("0:28:0,0:0:0 1", {1, 2, 3, 4, 5, 6}, id="no lettuce square without a lettuce"),
        pytest.param("1:6:0,3:0:0 1", {1, 3}, id="no square where another is"),
        pytest.param("12:0:0,0:0:0 1", {-1}, id="back to the nearest hedgehog"),
        pytest.param("12:0:0,11:0:0 1", {0}, id="another is on the nearest hedgehog"),
        pytest.param("13:9:0,0:0:0 1", {1, 3, -2, 1001}, id="nine carrots are not enough to give ten"),
        pytest.param("13:10:0,0:0:0 1", {1, 3, 4, -2, 1001, 1002}, id="ten are"),
        pytest.param("61:6:0,0:0:0 1", {2, 3, -5}, id="home"),
        pytest.param("61:16:0,0:0:0 1", {2, 3, -5}, id="home with ten carrots left"),
        pytest.param("61:17:0,0:0:0 1", {2, -5}, id="eleven are too many"),
        pytest.param("61:6:1,0:0:0 1", {1, 2, -5}, id="not home with a lettuce"),
        pytest.param("61:26:0,0:0:0,64:3:0#1 1", {2, 3, -5}, id="the second may have twenty"),
        pytest.param("61:27:0,0:0:0,64:3:0#1 1", {2, -5}, id="but not more"),
        pytest.param("12:0:0,13:0:0,14:0:0 1", {4, 5, 6, -1}, id="the third is paid 30 carrots first"),
        pytest.param("12:0:0,13:0:0,11:0:0 1", {0}, id="the second is not paid there"),
        pytest.param("16:0:0,0:0:0 1", {1, 2, 4, -1}, id="the first is paid on square 16"),
        pytest.param("16:0:0,17:0:0 1", {-1}, id="the second is not"),
        pytest.param("4:0:0,3:2:0 1", {0}, id="stuck"),
        pytest.param("3:5:1m,0:0:0 1", {0}, id="a turn to miss"),
        pytest.param("7:50:1e,0:0:0 1", {0}, id="a lettuce to eat"),
        pytest.param("25:3:0,20:0:0 1 again", {1, 2, -1}, id="another move"),
        pytest.param("25:0:0,24:0:0 1 again", {0}, id="another move, but stuck"),
        pytest.param("25:9:0,0:0:0 1 choice", {0, 1001}, id="nothing to give"),
        pytest.param("25:10:0,0:0:0 1 choice", {0, 1001, 1002}, id="to take or to give"),
    ],
)
def test_codes(text: str, expected: set[int]) -> None:
    """The legal codes: each case is one line of the rules."""
    rules = of(text)
    assert set(rules.moves(rules.parse(text))) == expected


@pytest.mark.parametrize(
    ("text", "code", "expected", "options"),
    [
        pytest.param("0:68:3,0:68:3 1", 2, "2:65:3,0:68:3 2", {}, id="three carrots for two squares"),
        pytest.param("12:0:0,13:0:0,14:0:0 1", 4, "16:20:0,13:0:0,14:0:0 2", {}, id="paid 30, and 10 spent"),
        pytest.param("12:0:0,13:0:0,14:0:0 1", -1, "11:40:0,13:0:0,14:0:0 2", {}, id="paid 30, and 10 for going back"),
        pytest.param("12:0:0,13:0:0,14:0:0 3", -3, "12:0:0,13:0:0,11:30:0 1", {}, id="the first player is next again"),
        pytest.param("64:0:0#1,13:0:0,14:0:0 3", -3, "64:0:0#1,13:0:0,11:30:0 2", {}, id="who has finished is passed over"),
        pytest.param("13:9:0,0:0:0 1", 1001, "13:19:0,0:0:0 2", {}, id="taken"),
        pytest.param("13:10:0,0:0:0 1", 1002, "13:0:0,0:0:0 2", {}, id="given"),
        pytest.param("5:3:1,0:0:0 1", 2, "7:0:1e,0:0:0 2", {}, id="to a lettuce"),
        pytest.param("7:5:1e,0:0:0 1", 0, "7:15:0,0:0:0 2", {}, id="eaten in first place"),
        pytest.param("7:5:1e,9:0:0 1", 0, "7:25:0,9:0:0 2", {}, id="eaten in second place"),
        pytest.param("3:5:0e,9:0:0 1", 0, "3:5:0,9:0:0 2", {}, id="nothing to eat is a turn missed"),
        pytest.param("3:5:1m,9:0:0 1", 0, "3:5:1,9:0:0 2", {}, id="missed"),
        pytest.param("7:0:0,8:0:0 1", 0, "7:0:0,8:0:0 2", {}, id="stuck after eating, and nothing is eaten again"),
        pytest.param("0:68:3,0:68:3 1", 3, "3:62:3,0:68:3 1 draw:6", {}, id="to a hare"),
        pytest.param("25:3:0,20:0:0 1 again", 1, "26:2:0,20:0:0 2", {}, id="another move is part of the same turn"),
        pytest.param("25:30:0,20:0:0 1 again", 6, "31:9:0,20:0:0 1 draw:21", {}, id="another hare, another card"),
        pytest.param("25:10:0,0:0:0 1 choice", 1002, "25:0:0,0:0:0 2", {}, id="given by a card"),
        pytest.param("61:6:0,0:0:0 1", 3, "64:0:0#1,0:0:0 2", {}, id="home"),
        # Options.
        ("7:5:1e,9:0:0 1", 0, "7:5:0p,9:0:0 2", {"lettuce_pay": "leaving"}),
        ("7:5:0p,9:0:0 1", 3, "10:19:0,9:0:0 2", {"lettuce_pay": "leaving"}),
        ("7:5:0p,8:0:0 1", 3, "10:19:0,8:0:0 2", {"lettuce_pay": "leaving"}),
        ("12:0:0,11:0:0 1", -4, "8:40:0,11:0:0 2", {"hedgehog": "nearest_free"}),
        ("4:0:1,3:2:0 1", 0, "0:68:1,3:2:0 2", {"stuck": "restart"}),
        ("4:0:1,3:2:0 1", 0, "0:40:1,3:2:0 2", {"stuck": "restart", "carrots": 40}),
        ("25:3:0,20:0:0 1 again", 0, "25:3:0,20:0:0 2", {"again": "may"}),
        ("25:0:0,24:0:0 1 again", 0, "25:0:0,24:0:0 2", {"again": "may", "stuck": "restart"}),
        ("0:68:3,0:68:3 1", 3, "3:62:3,0:68:3 2", {"cards": "none"}),
        ("0:68:3,5:50:3 2", 1001, "0:68:3,5:60:3 1 round:1", {"rounds": 1}),
        ("0:68:3,5:50:3 1 round:1", 2, "2:65:3,5:50:3 2 round:1", {"rounds": 2}),
    ],
)
def test_results(text: str, code: int, expected: str, options: dict[str, Any]) -> None:
    assert after(text, code, **options) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4:0:0,3:2:0 1", True),
        ("4:0:0,3:2:0 2", True),
        ("4:0:0,3:6:0 1", False),
        ("4:0:0,3:2:0m 1", False),
        ("9:0:0,8:0:0 1", True),
        ("10:0:0,11:0:0 1", False),
        ("12:0:0,13:0:0,11:0:0 1", False),
        ("4:0:0,64:0:0#1,3:2:0 1", True),
    ],
)
def test_deadlock(text: str, expected: bool) -> None:
    """A round in which everybody is stuck and nothing changes; not where a payout or an end of waiting changes something."""
    assert of(text).is_deadlock(of(text).parse(text)) == expected


# Cards

AMONG = "25:10:1,20:0:0,30:0:0 1 draw:6"
"""On a hare square between two others."""


@pytest.mark.parametrize(
    ("text", "name", "expected", "options"),
    [
        pytest.param(AMONG, "free", "25:16:1,20:0:0,30:0:0 2", {}, id="what was paid comes back"),
        pytest.param(AMONG, "take_or_give", "25:10:1,20:0:0,30:0:0 1 choice", {}, id="a choice"),
        pytest.param(
            AMONG, "fall_back", "19:10:1,20:0:0,30:0:0 2", {}, id="behind the next one, onto a hedgehog that pays nothing"
        ),
        pytest.param("25:10:1,23:0:0 1 draw:6", "fall_back", "22:10:1e,23:0:0 2", {}, id="behind, to a lettuce"),
        pytest.param("25:10:0,23:0:0 1 draw:6", "fall_back", "21:10:0,23:0:0 2", {}, id="past a lettuce square"),
        pytest.param("25:10:0,20:0:0,19:0:0 1 draw:6", "fall_back", "18:10:0,20:0:0,19:0:0 2", {}, id="behind both"),
        pytest.param("25:10:0,30:0:0 1 draw:6", "fall_back", "25:10:0,30:0:0 2", {}, id="nobody behind"),
        pytest.param("25:10:0,0:0:0 1 draw:6", "fall_back", "25:10:0,0:0:0 2", {}, id="behind nobody at the start"),
        pytest.param("25:10:0,1:0:0 1 draw:6", "fall_back", "0:10:0,1:0:0 2", {}, id="back to the start"),
        pytest.param("25:10:0,4:0:0 1 draw:6", "fall_back", "3:10:0,4:0:0 2", {}, id="to a hare square, where no card is drawn"),
        pytest.param(AMONG, "miss", "25:10:1m,20:0:0,30:0:0 2", {}, id="a turn to miss"),
        pytest.param(AMONG, "eat", "25:10:1e,20:0:0,30:0:0 2", {}, id="a lettuce to eat"),
        pytest.param(AMONG, "move_up", "31:10:1,20:0:0,30:0:0 2", {}, id="ahead of the next one, where no card is drawn"),
        pytest.param("25:10:0,36:0:0 1 draw:6", "move_up", "38:10:0,36:0:0 2", {}, id="past a hedgehog"),
        pytest.param("25:10:0,20:0:0 1 draw:6", "move_up", "25:10:0,20:0:0 2", {}, id="nobody ahead"),
        pytest.param("58:10:0,63:0:0 1 draw:1", "move_up", "64:10:0#1,63:0:0 2", {}, id="home by a card"),
        pytest.param("58:11:0,63:0:0 1 draw:1", "move_up", "58:11:0,63:0:0 2", {}, id="not home with eleven carrots"),
        pytest.param("58:0:1,63:0:0 1 draw:1", "move_up", "58:0:1,63:0:0 2", {}, id="not home with a lettuce"),
        pytest.param(
            "58:0:0,5:0:0,64:0:0#1 1 draw:1", "move_up", "58:0:0,5:0:0,64:0:0#1 2", {}, id="who has finished is not ahead"
        ),
        pytest.param(AMONG, "again", "25:10:1,20:0:0,30:0:0 1 again", {}, id="another move"),
        pytest.param(AMONG, "next_carrot", "26:10:1,20:0:0,30:0:0 2", {}, id="ahead to carrots"),
        pytest.param(AMONG, "last_carrot", "21:10:1,20:0:0,30:0:0 2", {}, id="back to carrots"),
        pytest.param("25:10:1,21:0:0 1 draw:6", "last_carrot", "25:10:1,21:0:0 2", {}, id="another is there"),
        pytest.param("61:10:0,21:0:0 1 draw:6", "next_carrot", "61:10:0,21:0:0 2", {}, id="no carrots ahead"),
        # Options.
        (AMONG, "free", "25:16:1,20:0:0,30:0:0 2 drawn:100000000", {"deck": "exhaust"}),
        (f"{AMONG} drawn:122111111", "free", "25:16:1,20:0:0,30:0:0 2", {"deck": "exhaust"}),
        (AMONG, "eat", "25:30:0,20:0:0,30:0:0 2", {"eat_card": "at_once"}),
        ("25:10:0,20:0:0 1 draw:6", "eat", "25:10:0m,20:0:0 2", {"eat_card": "at_once"}),
        (AMONG, "eat", "25:10:0p,20:0:0,30:0:0 2", {"eat_card": "at_once", "lettuce_pay": "leaving"}),
        ("25:10:1,21:0:0 1 draw:6", "last_carrot", "13:10:1,21:0:0 2", {"carrot_card": "nearest_free"}),
        (AMONG, "move_up", "31:10:1,20:0:0,30:0:0 1 draw:0 chained", {"card_chain": "draw"}),
        ("31:10:1,20:0:0,30:0:0 1 draw:0 chained", "free", "31:10:1,20:0:0,30:0:0 2", {"card_chain": "draw"}),
        ("3:9:1,2:0:0 1 draw:0 chained", "again", "3:9:1,2:0:0 1 again chained", {"card_chain": "draw"}),
        ("3:9:1,2:0:0 1 draw:0 chained", "fall_back", "1:9:1,2:0:0 2", {"card_chain": "draw"}),
        (AMONG, "fall_back", "18:10:1,20:0:0,30:0:0 2", {"fall_on_hedgehog": "no"}),
    ],
)
def test_cards(text: str, name: str, expected: str, options: dict[str, Any]) -> None:
    assert card(text, name, **options) == expected


def test_probabilities() -> None:
    """Twelve cards, three of them twice; with replacement it does not matter what has been drawn."""
    rules = of(AMONG)
    chances = {draw.label: draw.probability for draw in rules.draws(rules.parse(AMONG))}
    twice = {"free", "take_or_give", "fall_back"}
    assert chances == {name: Fraction(1 + (name in twice), 12) for name in CARDS}
    assert rules.to_move(rules.parse(AMONG)) == CHANCE
    assert set(CARD_TEXTS) == set(CARDS)


def test_cards_that_are_out_are_not_drawn() -> None:
    """Until all twelve are out, each of those that are left is equally likely."""
    rules = game(deck="exhaust")
    chances = {draw.label: draw.probability for draw in rules.draws(rules.parse("25:9:0,0:0:0 1 draw:1 drawn:210000000"))}
    assert "free" not in chances
    assert chances["take_or_give"] == Fraction(1, 9)
    assert chances["fall_back"] == Fraction(2, 9)


def test_ends() -> None:
    """With one player left, after the first or after some rounds; the order on the board counts, and those at the start share."""
    three = game(players=3)
    two = three.parse("64:0:0#2,60:0:0,64:0:0#1 2")
    assert (three.to_move(two), three.places(two)) == (OVER, (2, 3, 1))
    assert three.to_move(three.parse("30:0:0,60:0:0,64:0:0#1 2")) == 1
    first = game(players=3, end="first")
    assert first.places(first.parse("30:0:0,60:0:0,64:0:0#1 2")) == (3, 2, 1)
    rounds = game(rounds=5)
    assert rounds.places(rounds.parse("0:0:0,5:0:0 1 round:5")) == (2, 1)
    assert rounds.places(rounds.parse("0:0:0,0:0:0 1 round:5")) == (1, 1)
    assert rounds.to_move(rounds.parse("0:0:0,5:0:0 2 round:4")) == 1


def test_first_carrots() -> None:
    """With five or six players there are more of them; an option sets another number."""
    assert [game(players=players).start[1] for players in range(2, 7)] == [68, 68, 68, 98, 98]
    assert game(carrots=30).format(game(carrots=30).start) == "0:30:3,0:30:3 1"


def test_words_of_codes() -> None:
    said = [game().code_text(code) for code in (1, 12, -1, -5, 0, 1001, 1002)]
    assert said[:3] == ["1 square ahead", "12 squares ahead", "1 square back to the hedgehog"]
    assert said[3:] == ["5 squares back to the hedgehog", "stay", "take 10 carrots", "give 10 carrots"]


def test_tables_of_former_versions_stay_valid() -> None:
    """The source has changed since they were built, and the rules have not, so the digest is the former one."""
    options = [{}, *({option: words[1]} for option, words in WORDS.items())]
    assert [game(**some).digest for some in options] == list(FORMER_DIGESTS.values())
    assert game().digest == "dd073175aeb7360c81c3a11168b0195a2bd7dbded6937e033e075f0a643fbcfe"
    assert game(rounds=9).digest not in FORMER_DIGESTS.values()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": 7}, "players from 2 to 6, not 7"),
        ({"players": 1}, "players from 2 to 6, not 1"),
        ({"carrots": 1001}, "carrots from 0 to 1000, not 1001"),
        ({"rounds": 1001}, "rounds from 0 to 1000, not 1001"),
        ({"deck": "stacked"}, "deck=stacked: choose one of replace, exhaust"),
    ],
)
def test_no_such_variant(options: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError, match=said):
        game(**options)


BAD_STATES = [
    ("", "is not a state of harehedgehog: write"),
    ("0:68:3,0:68:3", "is not a state of harehedgehog: write"),
    ("0:68:3,0:68:3,0:68:3 1", "has 2 players here, and .* describes 3"),
    ("0:68,0:68:3 1", "does not describe player 1"),
    ("0:68:3x,0:68:3 1", "does not describe player 1"),
    ("0:68:3,65:68:3 1", "square of player 2 must be a whole number from 0 to 64"),
    ("0:-5:3,0:68:3 1", "carrots of player 1 must be a whole number of 0 or more, of at most 9 digits, not '-5'"),
    ("0:1000000000:3,0:68:3 1", "at most 9 digits"),
    ("0:68:4,0:68:3 1", "lettuces of player 1 must be a whole number from 0 to 3"),
    ("0:68:3,0:68:3 3", "player to move must be a whole number from 1 to 2"),
    ("0:68:3,0:68:3 0", "player to move must be a whole number from 1 to 2"),
    ("5:68:3,5:68:3 1", "two players are on square 5"),
    ("64:0:0,5:68:3 2", "player 1 is on square 64 and needs a finishing rank"),
    ("63:0:0#1,5:68:3 2", "player 1 has a finishing rank on square 63"),
    ("64:0:1#1,5:68:3 2", "no lettuces, at most 10 carrots"),
    ("64:11:0#1,5:68:3 2", "no lettuces, at most 10 carrots"),
    ("64:1:0m#1,5:68:3 2", "waits for nothing"),
    ("64:1:0#1,5:68:3 1", "player 1 has finished and cannot be the one to move"),
    ("64:1:0#2,5:68:3 2", "finishing ranks must be different and begin with 1, and they are 2"),
    ("64:1:0#1,64:1:0#2 1", "2 players have finished, and the game is over after 1"),
    ("5:1:1e,0:0:0 1", "cannot wait to eat on square 5"),
    ("7:1:1p,0:0:0 1", "only in the variant lettuce_pay=leaving"),
    ("0:68:3,0:68:3 1 now", "'now' is not a word of a state"),
    ("0:68:3,0:68:3 1 round:1", "'round:1' is not a word of a state"),
    ("1:68:3,0:68:3 1 drawn:100000000", "is not a word of a state"),
    ("1:68:3,0:68:3 1 again chained", "'chained' is not a word of a state"),
    ("1:68:3,0:68:3 1 again choice", "'choice' contradicts another word"),
    ("2:68:3,0:68:3 1 again", "must be on a hare square"),
    ("1:68:3m,0:68:3 1 again", "must be on a hare square"),
    ("1:68:3,0:68:3 1 draw:2", "nobody pays 2 carrots"),
    ("1:68:3,0:68:3 1 draw:0", "nobody pays 0 carrots"),
    ("1:68:3,0:68:3 1 draw:3", "nobody pays 3 carrots"),
]


@pytest.mark.parametrize(
    ("text", "said", "options"),
    [
        *((text, said, {}) for text, said in BAD_STATES),
        ("3:1:1e,0:0:0 1", "do not make anyone wait to eat", {"eat_card": "at_once"}),
        ("3:1:1,0:0:0 1 again", "in a game with cards", {"cards": "none"}),
        ("7:1:3p,0:0:0 1", "after giving up a lettuce", {"lettuce_pay": "leaving"}),
        ("1:1:3,0:0:0 1 drawn:300000000", "does not say which cards are out", {"deck": "exhaust"}),
        ("1:1:3,0:0:0 1 drawn:222111111", "does not say which cards are out", {"deck": "exhaust"}),
        ("1:1:3,0:0:0 1 drawn:22211111", "does not say which cards are out", {"deck": "exhaust"}),
        ("1:1:3,0:0:0 1 round:4", "rounds must be a whole number from 0 to 3", {"rounds": 3}),
        ("1:1:3,0:0:0 1 chained", "at the beginning of a turn", {"card_chain": "draw"}),
    ],
)
def test_no_such_state(text: str, said: str, options: dict[str, Any]) -> None:
    """A sentence names what is wrong; what options allow depends on them."""
    with pytest.raises(NotationError, match=said):
        game(**options).parse(text)
