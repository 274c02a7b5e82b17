"""Positions to look ahead from, and the comparison with the slow twin."""

from fractions import Fraction
from random import Random
from typing import Any

from twins import lookahead as twin

from tablebase.game.kernels import POINT
from tablebase.game.stochastic import State, StochasticGame
from tablebase.search.choices import Cards, Foresight, Objective
from tablebase.search.lookahead import Lookahead
from tablebase.testing.contract import playouts

LEAD = Objective.LEAD


def states_of(game: StochasticGame, count: int, seed: int) -> list[State]:
    """States of random play in which a player is to move."""
    played = playouts(game, 40 * count, Random(seed))
    found = [state for states in played for state in states if game.to_move(state) >= 0]
    return Random(seed).sample(found, count)


def late(game: StochasticGame, count: int, random: Random) -> list[State]:
    """States of a race near its end, in which players finish."""
    found: list[State] = []
    while len(found) < count:
        squares = random.sample(range(52, 64), game.players)
        hares = [f"{square}:{random.randint(0, 25)}:{random.choice([0, 0, 0, 1])}" for square in squares]
        found.append(game.parse(f"{','.join(hares)} {random.randint(1, game.players)}"))
    return found


def assert_twin(game: StochasticGame, state: State, depth: int, settings: dict[str, Any], seed: int, **more: Any) -> None:
    """Values, the chosen move, the line and all counts are those of the twin."""
    found = Lookahead(game, Foresight(depth=depth, **settings), more.get("tables"), more.get("weights")).search(state, seed)
    names = {"stop_at_finisher": "stop"}
    plain = {names.get(name, name): value for name, value in settings.items() if name not in ("objective", "cards")}
    plain |= {"lead": settings.get("objective") is LEAD, "average": settings.get("cards") is Cards.EXPECTATION}
    values = more["values"]
    expected = twin.search(game, state, values, depth, more.get("leaf_values"), seed=seed, **plain)
    moves = {one.code: (tuple(Fraction(value, POINT) for value in one.values), one.exact) for one in found.moves}
    assert moves == expected["moves"], game.format(state)
    assert tuple(Fraction(value, POINT) for value in found.values) == expected["values"]
    assert found.best == expected["best"]
    assert list(found.line) == expected["line"]
    counted = ("nodes", "positions", "leaves", "evaluations")
    assert [getattr(found, name) for name in counted] == [expected[name] for name in counted]
