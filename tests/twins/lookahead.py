"""Max^n written anew: recursion on the plain functions of a game, with fractions, and an evaluation that reads texts.

Values are fractions of a point. The average of outcomes of chance is rounded down to a thousandth, as the program's is. A
search returns a dictionary: the vector of each move in the root, which is best, the line, and what was counted.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame
from twins.harehedgehog import FIELDS

Vector = tuple[Fraction, ...]
Values = Callable[[State], tuple[Vector, set[int]]]
"""The values of a state, and the players who have finished."""

# The evaluation


def carrots_ahead(square: int) -> int:
    return sum(range(65 - square))


def curve(carrots: int, square: int) -> int:
    if carrots >= carrots_ahead(square):
        return 300 - 2 * carrots - math.floor(carrots**2 / Fraction(25))
    return math.floor(Fraction(240 * carrots, carrots + (80 if square < 32 else 50)))


LETTUCE = {
    0: [0, 0, 0, 0, 0, 0],
    1: [-120, -50, -35, -25, -20, -15],
    2: [-240, -150, -90, -60, -45, -35],
    3: [-360, -260, -180, -120, -85, -60],
}
"""S, as FACTS has it."""


def of_race(game: StochasticGame, weights: Mapping[str, Any] | None = None) -> Values:
    """E = Ks·S + Kc·C + Kp·P of Hare & Hedgehog, from the text of a state."""
    ks, kc, kp = (Fraction(str((weights or {}).get(name, 1))) for name in ("lettuces", "carrots", "squares"))

    def values(state: State) -> tuple[Vector, set[int]]:
        hares = game.format(state).split()[0].split(",")
        squares = [int(hare.split(":")[0]) for hare in hares]
        vector, finished = [], set()
        for player, hare in enumerate(hares):
            numbers, _, rank = hare.partition("#")
            if rank:
                vector.append(Fraction(10_000 - 1000 * (int(rank) - 1)))
                finished.add(player)
                continue
            wait = numbers[-1] if numbers[-1].isalpha() else ""
            square, carrots, lettuces = map(int, numbers.rstrip("mep").split(":"))
            place = 1 + len([other for other in squares if other > square])
            field = FIELDS[square]
            due = 10 * place if wait == "p" or (wait == "e" and lettuces) else 0
            if wait in ("", "p") and (field == str(place) or (field == "F" and place in (1, 5, 6))):
                due += 10 * place
            salad = LETTUCE[lettuces][FIELDS[square + 1 :].count("L")]
            vector.append(ks * salad + kc * curve(min(carrots + due, carrots_ahead(0)), square) + kp * 3 * square)
        return tuple(vector), finished

    return values


def with_tables(values: Values, chances: Callable[[State], tuple[Fraction, Fraction] | None]) -> Values:
    """For two players: the difference of the chances, of having won or by a table, is worth as much as having won."""

    def more(state: State) -> tuple[Vector, set[int]]:
        vector, finished = values(state)
        known: tuple[Any, Any] | None = (int(0 in finished), int(1 in finished)) if finished else chances(state)
        if known is None:
            return vector, finished
        # Chances are read in units of 2^-30.
        mine, others = (Fraction(math.floor(chance * 2**30), 2**30) for chance in known)
        bonus = Fraction(math.floor((mine - others) * 10_000_000), 1000)
        return (vector[0] + bonus, vector[1] - bonus), finished

    return more


def search(
    game: StochasticGame,
    state: State,
    values: Values,
    depth: int,
    leaf_values: Values | None = None,
    lead: bool = False,
    stop: bool = True,
    alpha_beta: bool = False,
    sort: bool = False,
    cuts: Sequence[int] = (),
    average: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Look a number of turns ahead; `leaf_values` are those of leaves, where they differ from what moves are sorted by."""
    leaf_values = leaf_values or values
    counts = {"nodes": 1, "positions": 1, "leaves": 0, "evaluations": 0}
    finished = values(state)[1]

    def score(vector: Vector, who: int) -> Fraction:
        others = [value for player, value in enumerate(vector) if player != who]
        return vector[who] - max(others) if lead else vector[who]

    def examined(moves: dict[int, State], who: int, left: int) -> list[int]:
        places = list(range(len(moves)))
        keep = cuts[min(depth - left, len(cuts) - 1)] if cuts else 0
        if (sort and left > 1) or 0 < keep < len(places):
            counts["evaluations"] += len(places)
            static = [score(values(after)[0], who) for after in moves.values()]
            places.sort(key=lambda place: -static[place])
        return places[:keep] if keep else places

    def below(state: State, left: int, window: tuple[Any, Any]) -> tuple[Vector, list[str]]:
        """The value and the line of what follows a state of the tree."""
        counts["nodes"] += 1
        begins = game.begins_turn(state)
        counts["positions"] += begins
        left -= begins
        stopped = stop and begins and values(state)[1] and values(state)[1] != finished
        if left == 0 or stopped or game.to_move(state) == OVER:
            counts["leaves"] += 1
            counts["evaluations"] += 1
            vector, later = leaf_values(state)
            soon = [player in later - finished for player in range(game.players)]
            return tuple(value + Fraction(left, 1000) * sooner for value, sooner in zip(vector, soon, strict=True)), []
        return node(state, left, window)[:2]

    def node(state: State, left: int, window: tuple[Any, Any]) -> tuple[Vector, list[str], dict[int, tuple[Vector, bool]]]:
        who = game.to_move(state)
        if who == CHANCE:
            draws = game.draws(state)
            if not average:
                drawn = draws[pick(state, [draw.probability for draw in draws], seed)]
                vector, line = below(drawn.state, left, window)
                return vector, [drawn.label, *line], {}
            vectors = [below(draw.state, left, (-math.inf, math.inf))[0] for draw in draws]
            sums = [
                sum((draw.probability * vector[player] for draw, vector in zip(draws, vectors, strict=True)), Fraction(0))
                for player in range(game.players)
            ]
            return tuple(Fraction(math.floor(1000 * one), 1000) for one in sums), [], {}
        moves = game.moves(state)
        codes = list(moves)
        best: tuple[Fraction, int, Vector, list[str]] | None = None
        found: dict[int, tuple[Vector, bool]] = {}
        low, high = window
        for place in examined(moves, who, left):
            inner = (low, high)
            if alpha_beta and best is not None:
                # A thousandth is the smallest difference; an equal value matters if it comes first in the rules.
                slack = Fraction(1, 1000) if place < best[1] else 0
                inner = (max(low, best[0] - slack), high) if who == 0 else (low, min(high, slack - best[0]))
            vector, line = below(moves[codes[place]], left, inner)
            exact = not alpha_beta or inner[0] < vector[0] - vector[1] < inner[1]
            found[codes[place]] = (vector, exact)
            one = score(vector, who)
            if best is None or one > best[0] or (one == best[0] and place < best[1]):
                best = (one, place, vector, [str(codes[place]), *line])
            if alpha_beta and (best[0] >= high if who == 0 else -best[0] <= low):
                break
        assert best is not None
        return best[2], best[3], found

    vector, line, moves = node(state, depth, (-math.inf, math.inf))
    return {"values": vector, "line": line, "best": int(line[0]), "moves": moves, **counts}


def pick(state: State, probabilities: Sequence[Fraction], seed: int) -> int:
    mixed = seed
    for number in state:
        mixed = (mixed ^ number) * 6364136223846793005 % 2**64
        mixed ^= mixed >> 32
    point = Fraction(mixed >> 24, 2**40)
    place = 0
    while point >= probabilities[place]:
        point -= probabilities[place]
        place += 1
    return place
