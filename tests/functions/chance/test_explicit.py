"""Games as lists of their states: the same moves, draws and results as the plain functions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support.checks import at_least_one
from support.deterministic import DeterministicGame

from tablebase.errors import CapacityError, RulesError
from tablebase.functions.chance import compiled as compiled_module
from tablebase.functions.chance.compiled import BLOCK, explicit
from tablebase.game import load_game
from tablebase.game.kernels import BEGINS, CHANCE, LABEL, OVER, STATE, WEIGHT, call_compiled
from tablebase.game.stochastic import Draw, State, StochasticGame
from tablebase.testing.kernel_checks import expansion
from tablebase_rules import pig


class Loaded(pig.Pig):
    """Pig to three points with a die whose last face is likelier, so that weights differ."""

    def __init__(self) -> None:
        super().__init__(3, 3, 2)

    def draws(self, state: State) -> tuple[Draw, ...]:
        """A third, a sixth, a half."""
        shares = (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
        return tuple(replace(draw, probability=share) for draw, share in zip(super().draws(state), shares, strict=True))


class Tied(Loaded):
    """Whichever player reaches the target, both share the first place."""

    def places(self, _: State) -> tuple[int, ...]:
        """Always."""
        return (1, 1)


GAMES: dict[str, StochasticGame] = {
    "loaded": Loaded(),
    "tied": Tied(),
    "piglet": pig.game(die=2, target=3),
    "hexapawn": DeterministicGame(load_game("hexapawn")),
}


@pytest.mark.parametrize("name", GAMES)
def test_every_state_goes_on_as_in_the_plain_functions(name: str) -> None:
    """Codes or labels, weights as shares, beginnings and states, in the same order; at the end, the winner."""
    game = GAMES[name]
    listed = explicit(game)
    kernels = listed.kernels
    assert listed.numbers[game.start] == 0
    for number, state in at_least_one(enumerate(listed.states)):
        assert listed.numbers[state] == number
        found = expansion(kernels, listed.region.rules, (number,))
        assert found.error is None
        assert found.who == game.to_move(state)
        after = [(row[BEGINS], listed.states[row[STATE]]) for row in found.rows]
        if found.who == OVER:
            places = game.places(state)
            assert found.winner == (-1 if places == (1, 1) else places.index(1))
        elif found.who == CHANCE:
            total = sum(row[WEIGHT] for row in found.rows)
            rows = [(kernels.labels[row[LABEL]], Fraction(row[WEIGHT], total)) for row in found.rows]
            assert rows == [(draw.label, draw.probability) for draw in game.draws(state)]
            assert after == [(game.begins_turn(draw.state), draw.state) for draw in game.draws(state)]
        else:
            assert [row[LABEL] for row in found.rows] == list(game.moves(state))
            assert after == [(game.begins_turn(child), child) for child in game.moves(state).values()]


@pytest.mark.parametrize("name", GAMES)
def test_numbers_are_states_in_which_a_player_moves(name: str) -> None:
    """A table stores these, whole blocks of them; chance and the end have no number."""
    game = GAMES[name]
    listed = explicit(game)
    region, kernels = listed.region, listed.kernels
    [layer] = region.layers
    assert (layer.begin, layer.end % BLOCK, region.block) == (0, 0, BLOCK)
    state = np.zeros(1, np.int64)
    for number in at_least_one(range(max(region.size, len(listed.states)))):
        mover = game.to_move(listed.states[number]) if number < len(listed.states) else OVER
        assert call_compiled(kernels.state_at, region.rules, number, state) == (mover >= 0)
        if number < len(listed.states):
            stored = (number, mover) if mover >= 0 else (-1, -1)
            assert call_compiled(kernels.index, region.rules, np.array([number])) == stored


def test_weights_are_small() -> None:
    """Over the common denominator of a state: 1/3, 1/6 and 1/2."""
    listed = explicit(GAMES["loaded"])
    rolling = listed.numbers[GAMES["loaded"].parse("0,0 1 0 roll")]
    assert [row[WEIGHT] for row in expansion(listed.kernels, listed.region.rules, (rolling,)).rows] == [2, 1, 3]


def test_all_states_are_found() -> None:
    """Piglet to 1 by hand: each player before and while tossing, with a point in hand, and having won."""
    game = pig.game(die=2, target=1)
    texts = {f"0,0 {player} {turn}" for player in (1, 2) for turn in ("0", "0 roll", "1")} | {"1,0 2 0", "0,1 1 0"}
    assert {game.format(state) for state in explicit(game).states} == texts


class Sudden(Loaded):
    """Each roll is held at once, so that the end may follow on the die."""

    def draws(self, state: State) -> tuple[Draw, ...]:
        """After holding."""
        draws = super().draws(state)
        return tuple(replace(draw, state=self.moves(draw.state)[pig.HOLD] if draw.state[-2] else draw.state) for draw in draws)


@pytest.mark.parametrize(("game", "deepest"), [(Loaded(), 1), (GAMES["hexapawn"], 1), (Sudden(), 2)], ids=["die", "end", "both"])
def test_states_between_stored_ones(game: StochasticGame, deepest: int) -> None:
    """The die, where a win needs holding after it; the end of the game; or one after the other."""
    assert explicit(game).kernels.deepest == deepest


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit they are listed, beyond it not."""
    game = GAMES["loaded"]
    count = len(explicit(game).states)
    monkeypatch.setattr(compiled_module, "MOST_STATES", count)
    assert len(explicit(game).states) == count
    monkeypatch.setattr(compiled_module, "MOST_STATES", count - 1)
    with pytest.raises(
        CapacityError, match=f"all states of pig needs more than the supported {count - 1} states: choose a smaller"
    ) as refused:
        explicit(game)
    assert refused.value.exit_code == 3


def test_more_players_are_refused() -> None:
    with pytest.raises(RulesError, match="pig has 3 players, but tables need two players"):
        explicit(pig.game(players=3, target=2))


def test_endless_chance_is_refused() -> None:
    """A die that may be rolled again by itself, which no table could look through."""

    class Rolling(Loaded):
        def draws(self, state: State) -> tuple[Draw, ...]:
            return (
                *(replace(draw, probability=Fraction(1, 6)) for draw in super().draws(state)),
                Draw(Fraction(1, 2), "edge", state),
            )

    with pytest.raises(RulesError, match="pig allows more than 100 successive chance moves, too many for a table"):
        explicit(Rolling())
