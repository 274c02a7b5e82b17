"""Pig: its rules on states by hand, its text, published chances, and its compiled functions."""

from fractions import Fraction

import numpy as np
import pytest
from support.checks import at_least_one

from tablebase.errors import NotationError, RulesError
from tablebase.game.installed import load_rules
from tablebase.game.stochastic import CHANCE, OVER
from tablebase_rules import pig

PIG = pig.game()


def test_a_turn_by_hand() -> None:
    """Rolling, losing the total, adding to it, holding, and winning; a player who can win must hold."""
    assert PIG.start == (0, 0, 0, 0, 0)
    assert PIG.moves(PIG.parse("37,52 2 14")) == {pig.HOLD: (37, 66, 0, 0, 0), pig.ROLL: (37, 52, 1, 14, 1)}
    rolling = PIG.parse("37,52 2 14 roll")
    assert PIG.to_move(rolling) == CHANCE
    assert PIG.moves(rolling) == {}
    drawn = PIG.draws(rolling)
    assert [(draw.label, PIG.format(draw.state)) for draw in drawn] == [
        ("1", "37,52 1 0"),
        *[(str(face), f"37,52 2 {14 + face}") for face in (2, 3, 4, 5, 6)],
    ]
    assert {draw.probability for draw in drawn} == {Fraction(1, 6)}
    assert PIG.moves(PIG.parse("37,52 2 47")).keys() == {pig.HOLD, pig.ROLL}
    assert PIG.moves(PIG.parse("37,52 2 48")) == {pig.HOLD: (37, 100, 0, 0, 0)}
    won = PIG.parse("37,100 1 0")
    assert (PIG.to_move(won), PIG.moves(won), PIG.places(won)) == (OVER, {}, (2, 1))


def test_holding_at_once_passes() -> None:
    """As in Neller and Presser's equations, which have no condition on the total."""
    assert PIG.moves(PIG.start)[pig.HOLD] == PIG.parse("0,0 2 0")


def test_turns_begin_without_a_total() -> None:
    """Also after a 1, after holding, and at the end; not while the die is being rolled for the first time."""
    begin = {"0,0 1 0": True, "0,0 1 0 roll": False, "0,0 1 2": False, "0,0 2 0": True, "100,0 2 0": True}
    assert {text: PIG.begins_turn(PIG.parse(text)) for text in begin} == begin


def test_three_players() -> None:
    game = pig.game(players=3, target=10)
    assert game.format(game.start) == "0,0,0 1 0"
    assert game.moves(game.parse("4,5,6 3 2"))[pig.HOLD] == game.parse("4,5,8 1 0")
    assert game.places(game.parse("4,12,6 3 0")) == (2, 1, 2)
    assert game.kernels() is None


def test_codes_in_words() -> None:
    assert [PIG.code_text(code) for code in PIG.moves(PIG.start)] == ["hold", "roll"]


def test_piglet() -> None:
    game = load_rules("pig-die=2-target=2")
    assert game.name == "pig-die=2-target=2"
    assert isinstance(game, pig.Pig)
    assert [draw.label for draw in game.draws(game.parse("0,0 1 0 roll"))] == ["tails", "heads"]


@pytest.mark.parametrize(
    "text", ["0,0 1 0", "0,0 1 0 roll", "99,99 2 6", "105,99 2 0", "99,104 1 0", "0,94 1 99 roll", "0,0 2 105"]
)
def test_texts_of_states(text: str) -> None:
    assert PIG.format(PIG.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a state of pig: write"),
        ("0,0 1", "is not a state of pig: write"),
        ("0,0 1 0 hold", "is not a state of pig: write"),
        ("0,0 1 0 roll roll", "is not a state of pig: write"),
        ("0,x 1 0", "'x' is not a score"),
        ("0,-1 1 0", "'-1' is not a score"),
        ("0,٣ 1 0", "is not a score"),
        (f"0,{'9' * 5000} 1 0", "is not a score"),
        (None, "'None' is not a state of pig"),
        ("0 1 0", "'0' has 1 scores, but there are 2 players"),
        ("0,0,0 1 0", "has 3 scores"),
        ("0,0 0 0", "the player to move is a number from 1 to 2, not '0'"),
        ("0,0 3 0", "the player to move is a number from 1 to 2, not '3'"),
        ("106,0 2 0", "no score can be above 105"),
        ("100,100 1 0", "once a player has 100"),
        ("100,0 1 0", "once a player has 100"),
        ("100,0 2 2", "once a player has 100"),
        ("100,0 2 0 roll", "once a player has 100"),
        ("0,0 1 106", "no score and total together can be above 105"),
        ("37,52 2 48 roll", "a player must hold and cannot roll"),
    ],
)
def test_texts_that_are_no_states(text: str | None, said: str) -> None:
    with pytest.raises(NotationError) as refused:
        PIG.parse(text)  # type: ignore[arg-type]
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_table_has_no_limits() -> None:
    """All states are one layer, in blocks of two scores each, and a limit is refused."""
    region = PIG.region({})
    assert [(layer.begin, layer.end) for layer in region.layers] == [(0, region.size)]
    assert region.size == 106 * 100 * 100
    assert region.block == 106
    with pytest.raises(RulesError, match="pig has no limit 'carrots'"):
        PIG.region({"carrots": 60})


def test_every_state_in_which_a_player_moves_has_its_number() -> None:
    """Two players are alike, so both have the same number; states that are not stored have none."""
    game = pig.game(die=3, target=4)
    kernels, region = game.kernels(), game.region({})
    assert kernels is not None
    found = np.zeros(5, np.int64)
    numbers = set()
    for number in at_least_one(range(region.size)):
        # Python's own functions, as written; that the compiled ones agree is the conformance suite's.
        if kernels.state_at(region.rules, number, found):
            first, second, player, total, rolling = found.tolist()
            assert (player, rolling) == (0, 0)
            assert game.to_move(game.parse(game.format((first, second, player, total, rolling)))) == 0
            for state in ((first, second, 0, total, 0), (second, first, 1, total, 0)):
                assert kernels.index(region.rules, np.array(state)) == (number, state[2])
            numbers.add(number)
    assert len(numbers) == sum(4 * (7 - score) for score in range(4))
    for text in ("0,0 1 0 roll", "4,0 2 0"):
        assert kernels.index(region.rules, np.array(game.parse(text))) == (-1, -1)


def test_the_digest_is_that_of_the_options() -> None:
    """The name plays no part in it, the target does."""
    assert load_rules("pig").digest == PIG.digest  # type: ignore[union-attr]
    assert pig.game(target=99).digest != PIG.digest
