"""The edition of the Software-Challenge 2025 against `socha`, the package of the contest: moves, states, ends and counts.

The package has no track of its own, since its server sends one for each game; both sides play on ours. It crashes where it
looks for a square in front of the start, see `tablebase_rules._harehedgehog_challenge._may_swap`; such positions are left out.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest

from tablebase.game.stochastic import OVER, State
from tablebase.stochastic.paths import count_paths
from tablebase_rules._harehedgehog_challenge import (
    CARROTS,
    HAND,
    HELD,
    HOME,
    LAST,
    READY,
    ROUNDS,
    SQUARE,
    SWAPPED,
    TO_EAT,
    TRACK,
    TURNS,
)
from tablebase_rules.harehedgehog import game

if sys.version_info >= (3, 13):
    pytest.skip("socha 3.7.2 has wheels for Python 3.11 and 3.12 only", allow_module_level=True)

from socha import (
    Advance,
    Board,
    Card,
    EatSalad,
    ExchangeCarrots,
    FallBack,
    Field,
    GameState,
    Hare,
    Move,
    TeamEnum,
)

RULES = game(edition="challenge_2025")
KINDS = {
    "S": Field.Start,
    "H": Field.Hare,
    "C": Field.Carrots,
    "M": Field.Market,
    "L": Field.Salad,
    "I": Field.Hedgehog,
    "F": Field.Position1,
    "2": Field.Position2,
    "Z": Field.Goal,
}
THEIR_TRACK = Board([KINDS[kind] for kind in TRACK])
THEIR_CARDS = [Card.FallBack, Card.HurryAhead, Card.EatSalad, Card.SwapCarrots]
THEIR_START = GameState(THEIR_TRACK, 0, Hare(TeamEnum.One), Hare(TeamEnum.Two), None)


# From their words to ours, and back


def code(move: Move, theirs: GameState) -> int:
    """The code of a move."""
    match move.action:
        case Advance() as advance:
            return int("".join(str(1 + THEIR_CARDS.index(card)) for card in advance.cards) + f"{advance.distance:02}")
        case EatSalad():
            return 0
        case ExchangeCarrots() as exchange:
            return {10: 1001, -10: 1002}[exchange.amount]
        case FallBack():
            square = theirs.clone_current_player().position
            return THEIR_TRACK.get_previous_field(Field.Hedgehog, square) - square
    raise AssertionError(move)


def numbers(hare: Hare) -> State:
    """The numbers of a player."""
    action = hare.last_move and hare.last_move.action
    last = READY
    if THEIR_TRACK.get_field(hare.position) == Field.Salad and not isinstance(action, EatSalad):
        last = TO_EAT
    if isinstance(action, Advance) and Card.SwapCarrots in action.cards:
        last = SWAPPED
    return (hare.position, hare.carrots, hare.salads, last, *map(hare.cards.count, THEIR_CARDS))


def ours(theirs: GameState) -> State:
    """The state of a game of theirs."""
    hares = {hare.team == TeamEnum.Two: numbers(hare) for hare in (theirs.clone_current_player(), theirs.clone_other_player())}
    return (*hares[False], *hares[True], theirs.turn)


def their_hare(hare: State, team: TeamEnum) -> Hare:
    """A player of theirs."""
    last = None
    if hare[LAST] == SWAPPED:
        last = Move(Advance(1, [Card.SwapCarrots]))
    elif hare[LAST] == READY and TRACK[hare[SQUARE]] == "L":
        last = Move(EatSalad())
    cards = [card for card, count in zip(THEIR_CARDS, hare[HAND:], strict=True) for _ in range(count)]
    return Hare(team, cards, hare[CARROTS], hare[HELD], last, hare[SQUARE])


def their_game(state: State) -> GameState:
    """A game of theirs that has come to a state."""
    first, second = RULES.hares(state)
    return GameState(THEIR_TRACK, state[TURNS], their_hare(first, TeamEnum.One), their_hare(second, TeamEnum.Two), None)


# Comparisons


def their_moves(theirs: GameState) -> dict[int, Move] | None:
    """Their legal moves by our codes; None where the package crashes."""
    try:
        moves = theirs.possible_moves()
    except BaseException as crash:
        if type(crash).__name__ != "PanicException":
            raise
        assert numbers(theirs.clone_current_player())[LAST] == SWAPPED
        return None
    found = {code(move, theirs): move for move in moves}
    assert len(found) == len(moves)
    return found


def their_places(theirs: GameState) -> tuple[int, ...]:
    """Who has come home is first; if nobody has, who is in front, and then who has more carrots."""
    hares = {hare.team == TeamEnum.Two: hare for hare in (theirs.clone_current_player(), theirs.clone_other_player())}
    home = [hares[two].is_in_goal() for two in (False, True)]
    if any(home):
        return (1, 2) if home[0] else (2, 1)
    ranks = [(hares[two].position, hares[two].carrots) for two in (False, True)]
    return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)


def play(theirs: GameState, random: Random, seen: Counter[str]) -> None:
    """Compare all positions of a game of random moves, those with cards preferred; count what was seen."""
    state = ours(theirs)
    while True:
        moves = {} if theirs.is_over() else their_moves(theirs)
        if moves is None:
            seen["crash"] += 1
            return
        after = {number: theirs.perform_move(move) for number, move in moves.items()}
        assert RULES.moves(state) == {number: ours(one) for number, one in after.items()}, RULES.format(state)
        assert RULES.to_move(state) == (theirs.turn % 2 if after else OVER)
        seen["position"] += 1
        seen.update(f"card {digit}" for number in after if number > 1002 or 100 < number < 1000 for digit in str(number)[:-2])
        if not after:
            assert RULES.places(state) == their_places(theirs)
            home = HOME in (state[SQUARE], state[SQUARE + TURNS // 2])
            seen["home" if home else "rounds" if state[TURNS] == 2 * ROUNDS else "stuck"] += 1
            return
        number = random.choices(list(after), [4 if len(str(number)) > 2 else 1 for number in after])[0]
        theirs, state = after[number], RULES.moves(state)[number]


def test_random_games() -> None:
    """Fifty whole games: every legal move, and every state that one leads to."""
    random, seen = Random(25), Counter[str]()
    for _ in range(50):
        play(THEIR_START, random, seen)
    assert seen["position"] > 1000
    assert seen["rounds"] > 10
    assert seen["stuck"] > 3
    assert min(seen[f"card {digit}"] for digit in range(1, 5)) > 100
    assert seen["crash"] < 5


def random_state(random: Random) -> State:
    """The last rounds of a game, with both hares near home, few carrots and some cards."""
    squares = random.sample([square for square in range(51, HOME) if TRACK[square] != "I"], 2)

    def hare(square: int) -> State:
        lettuces = random.choice([0, 0, 1])
        lasts = {"L": [READY, TO_EAT] if lettuces else [READY], "H": [READY, SWAPPED]}.get(TRACK[square], [READY])
        return (square, random.randrange(25), lettuces, random.choice(lasts), *(random.randrange(2) for _ in THEIR_CARDS))

    return (*hare(squares[0]), *hare(squares[1]), random.randrange(50, 2 * ROUNDS))


def test_last_rounds() -> None:
    """Four hundred endings, in some of which a hare comes home."""
    random, seen = Random(2025), Counter[str]()
    for _ in range(400):
        state = random_state(random)
        assert RULES.parse(RULES.format(state)) == state
        play(their_game(state), random, seen)
    assert seen["position"] > 1000
    assert seen["home"] > 30
    assert min(seen[f"card {digit}"] for digit in range(1, 5)) > 100
    assert seen["crash"] < 5


def their_paths(theirs: GameState, depth: int) -> int:
    """The number of their lines of this many moves."""
    if depth == 0:
        return 1
    return 0 if theirs.is_over() else sum(their_paths(theirs.perform_move(move), depth - 1) for move in theirs.possible_moves())


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("0:68:5,0:68:5 1", 6),
        ("14:40:3:ms,9:25:4s:fs 1 round:6", 4),
        ("51:20:1:eff,46:31:0:mm 2 round:27", 5),
        ("20:90:2,21:60:2 1 round:28", 4),
    ],
)
def test_paths(text: str, depth: int) -> None:
    """Counts from the start, among cards, near home, and up to the last round."""
    state = RULES.parse(text)
    assert count_paths(RULES, state, depth) == their_paths(their_game(state), depth) > 100


def test_no_path_after_the_last_round() -> None:
    """Four turns are left, and then none."""
    state = RULES.parse("20:90:2,21:60:2 1 round:28")
    assert count_paths(RULES, state, 5) == their_paths(their_game(state), 5) == 0


def test_their_start_is_ours() -> None:
    """As many carrots and lettuces, and no cards."""
    assert ours(THEIR_START) == RULES.start
    assert ours(their_game(RULES.start)) == RULES.start
