"""The track, the cards and the turns of the Software-Challenge 2025; a state's numbers are those of `ChallengeRace`."""

from __future__ import annotations

from collections.abc import Iterator

from tablebase.game.stochastic import OVER, Draw, State, StochasticGame

TRACK = "SHCHCCHLIM2ICCHIF2MICCL2IHCMC2IHFCH2CICHC2LICMH2FCIHC2MCILHC2HLHZ"
"""The squares from start to finish: those of the board of 1978, with carrots for third and a market for fourth places."""
HOME = len(TRACK) - 1
NO_SWAP = 57
"""Nobody swaps carrots once a hare is here or beyond."""
UNIT = 10
"""Carrots for each square back, to take or to give, and for a card; also most carrots at home."""
FIRST_PAY, SECOND_PAY = 10, 30
"""Carrots that a lettuce, or a square of a place, pays to the player in front and to the other one."""
START_CARROTS, LETTUCES, ROUNDS = 68, 5, 30
EAT, TAKE, GIVE = 0, 1001, 1002
PER_CARD = 100
"""The code of a move with cards is the squares, and as many times this as the digits of the cards say."""
CARDS = ("fall_back", "move_up", "eat", "swap")
"""The cards that can be bought; the first has the digit 1."""
FALL_BACK_CARD, MOVE_UP_CARD, EAT_CARD, SWAP_CARD = range(len(CARDS))

SQUARE, CARROTS, HELD, LAST, HAND = range(5)
"""Numbers of a player in a state; from the last on, how many of each card he has."""
PER_PLAYER = HAND + len(CARDS)
TURNS = 2 * PER_PLAYER
"""Where a state has the number of turns that are over."""
READY, TO_EAT, SWAPPED = range(3)
"""What a player's last move means for his next one: nothing, to eat a lettuce, that a card to swap was played or bought."""

Arrival = tuple[str, State, State]
"""The digits of the cards that a move names, and both players after it, the one who moves first."""
Move = tuple[int, State, State]
"""A code, and both players after it."""


class ChallengeRace(StochasticGame):
    """What may happen in a state.

    A state has for each player his square, carrots, lettuces, what his last move means for the next one, and how many of
    each card he has; then how many turns are over. Each move is a whole turn, and whose turn it is follows from their number.
    """

    players = 2
    listable = False
    start = (0, START_CARROTS, LETTUCES, READY, *[0] * len(CARDS)) * 2 + (0,)

    def __init__(self) -> None:
        self.options = {"edition": "challenge_2025"}

    # Looking at a state

    def hares(self, state: State) -> list[State]:
        """The numbers of each player."""
        return [state[:PER_PLAYER], state[PER_PLAYER:TURNS]]

    def to_move(self, state: State) -> int:
        """The player to move; `OVER` as soon as a hare is at home, after the last round, and where he has no move."""
        return OVER if next(self._following(state), None) is None else state[TURNS] % 2

    def begins_turn(self, state: State) -> bool:  # noqa: ARG002
        """A move is a turn."""
        return True

    def draws(self, state: State) -> tuple[Draw, ...]:  # noqa: ARG002
        """There is no chance."""
        return ()

    def places(self, state: State) -> tuple[int, ...]:
        """Who is ahead; on one square, who has more carrots."""
        if self.to_move(state) != OVER:
            return ()
        ranks = [(hare[SQUARE], hare[CARROTS]) for hare in self.hares(state)]
        return tuple(1 + sum(other > rank for other in ranks) for rank in ranks)

    # Moves

    def moves(self, state: State) -> dict[int, State]:
        """What each legal code leads to."""
        return {code: _ended(state, mine, other) for code, mine, other in self._following(state)}

    def _following(self, state: State) -> Iterator[Move]:
        """The legal moves."""
        hares = self.hares(state)
        mover = state[TURNS] % 2
        mine, other = hares[mover], hares[1 - mover]
        if HOME in (mine[SQUARE], other[SQUARE]) or state[TURNS] >= 2 * ROUNDS:
            return
        if mine[LAST] == TO_EAT:
            yield EAT, _eaten(mine, other), other
        else:
            yield from _ahead(mine, other)
            yield from _back(mine, other)
            yield from _exchanges(mine, other)


def _ended(state: State, mine: State, other: State) -> State:
    """The turn is over, and the square of the player to move next pays him."""
    place = other[SQUARE] - mine[SQUARE]
    pays = {"F": FIRST_PAY * (place > 0), "2": SECOND_PAY * (place < 0)}
    other = _with(other, CARROTS, other[CARROTS] + pays.get(TRACK[other[SQUARE]], 0))
    both = (*mine, *other) if state[TURNS] % 2 == 0 else (*other, *mine)
    return (*both, state[TURNS] + 1)


def _with(hare: State, field: int, value: int) -> State:
    """A copy with another number."""
    return (*hare[:field], value, *hare[field + 1 :])


def _eaten(mine: State, other: State) -> State:
    """A lettuce has been eaten."""
    pay = FIRST_PAY if mine[SQUARE] > other[SQUARE] else SECOND_PAY
    return (mine[SQUARE], mine[CARROTS] + pay, mine[HELD] - 1, READY, *mine[HAND:])


def _back(mine: State, other: State) -> Iterator[Move]:
    """The move to the nearest hedgehog behind, if it is free."""
    square = TRACK.rfind("I", 0, mine[SQUARE])
    if square not in (-1, other[SQUARE]):
        squares = mine[SQUARE] - square
        yield -squares, (square, mine[CARROTS] + UNIT * squares, mine[HELD], READY, *mine[HAND:]), other


def _exchanges(mine: State, other: State) -> Iterator[Move]:
    """Carrots taken or given on a carrot square."""
    for code, carrots in ((TAKE, mine[CARROTS] + UNIT), (GIVE, mine[CARROTS] - UNIT)):
        if TRACK[mine[SQUARE]] == "C" and carrots >= 0:
            yield code, _with(mine, CARROTS, carrots), other


def _ahead(mine: State, other: State) -> Iterator[Move]:
    """The moves ahead, each with all that cards can do with it."""
    for squares in range(1, HOME - mine[SQUARE] + 1):
        left = mine[CARROTS] - squares * (squares + 1) // 2
        if left < 0:
            return
        for cards, one, two in _arrivals(_with(mine, CARROTS, left), other, mine[SQUARE] + squares, squares):
            yield squares + PER_CARD * int(cards or 0), one, two


def _arrivals(mine: State, other: State, square: int, squares: int) -> Iterator[Arrival]:
    """What can be done with cards on coming to a square, in a turn that began with a move of so many squares.

    On a hare square a card must be played, and on a market one must be bought: otherwise nobody can come there.
    """
    if not _admits(mine, other, square):
        return
    here = _with(mine, SQUARE, square)
    if TRACK[square] == "H":
        for card in range(len(CARDS)):
            if here[HAND + card]:
                left = _with(here, HAND + card, here[HAND + card] - 1)
                for cards, one, two in _played(card, left, other, squares):
                    yield f"{card + 1}{cards}", one, two
    elif TRACK[square] == "M":
        for card in range(len(CARDS)):
            bought = _with(_with(here, CARROTS, here[CARROTS] - UNIT), HAND + card, here[HAND + card] + 1)
            yield f"{card + 1}", _with(bought, LAST, SWAPPED if card == SWAP_CARD else READY), other
    else:
        yield "", _with(here, LAST, TO_EAT if TRACK[square] == "L" else READY), other


def _admits(mine: State, other: State, square: int) -> bool:
    """Whether a player can come to a square by a move ahead or a card, with the carrots that he then has."""
    if not 0 < square <= HOME or square == other[SQUARE]:
        return False
    match TRACK[square]:
        case "I":
            return False
        case "L":
            return mine[HELD] > 0
        case "M":
            return mine[CARROTS] >= UNIT
        case "Z":
            return mine[HELD] == 0 and mine[CARROTS] <= UNIT
    return True


def _played(card: int, mine: State, other: State, squares: int) -> Iterator[Arrival]:
    """What a card does on a hare square; one that carries the hare on leads to all that is possible there."""
    ahead = mine[SQUARE] > other[SQUARE]
    if card == FALL_BACK_CARD and ahead:
        yield from _arrivals(mine, other, other[SQUARE] - 1, squares)
    elif card == MOVE_UP_CARD and not ahead:
        yield from _arrivals(mine, other, other[SQUARE] + 1, squares)
    elif card == EAT_CARD and mine[HELD]:
        yield "", _eaten(mine, other), other
    elif card == SWAP_CARD and _may_swap(mine, other, squares):
        swapped = _with(_with(mine, CARROTS, other[CARROTS]), LAST, SWAPPED)
        yield "", swapped, _with(other, CARROTS, mine[CARROTS])


def _may_swap(mine: State, other: State, squares: int) -> bool:
    """Whether carrots may be swapped: not behind the last lettuces, nor if it was done in one of the two turns before.

    Whether a card to swap was played or bought is seen from the square. For the player to move, it is the one from which he
    came, which the package `socha` computes from where he now is, even if another card has carried him on since.
    """
    behind = mine[SQUARE] - squares
    mine_last = mine[LAST] == SWAPPED and behind >= 0 and TRACK[behind] == "H"
    others_last = other[LAST] == SWAPPED and TRACK[other[SQUARE]] == "H"
    return max(mine[SQUARE], other[SQUARE]) < NO_SWAP and not mine_last and not others_last
