"""The board, the cards and the turns of Hare & Hedgehog; a state's numbers are those of `Race`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from tablebase.game.stochastic import CHANCE, OVER, Draw, State, StochasticGame

BOARD = "SHCH3CHLI42I3CHIF24I3CL2IHC432IHFCH23ICHC2LI34H2FCIH324CILHC2HLHZ"
"""The squares from start to finish: lettuce, hedgehog, carrots, hare, and those that pay one place or more."""
HOME = len(BOARD) - 1
PAYING = {"2": (2,), "3": (3,), "4": (4,), "F": (1, 5, 6)}
"""Places that a square pays at the beginning of a turn."""
UNIT = 10
"""Carrots for each place, for each square back, and to take or to give."""
LETTUCES = 3
FIRST_CARROTS = {2: 68, 3: 68, 4: 68, 5: 98, 6: 98}
TAKE, GIVE, STAY = 1001, 1002, 0
CARDS = {
    "free": 2,
    "take_or_give": 2,
    "fall_back": 2,
    "miss": 1,
    "eat": 1,
    "move_up": 1,
    "again": 1,
    "next_carrot": 1,
    "last_carrot": 1,
}
"""How many there are of each card."""
CARD_TEXTS = {
    "free": "Your last move is free: take back the carrots that you paid for it.",
    "take_or_give": "Take 10 carrots, give 10 back, or do neither.",
    "fall_back": "Fall back behind the next hare that follows you.",
    "miss": "Miss a turn.",
    "eat": "Eat a lettuce; if you have none, miss a turn.",
    "move_up": "Move up in front of the next hare that leads you.",
    "again": "Have another turn at once.",
    "next_carrot": "Move ahead to the next carrot square.",
    "last_carrot": "Move back to the last carrot square.",
}

SQUARE, CARROTS, HELD, WAIT, RANK = range(5)
"""Numbers of a player in a state."""
PER_PLAYER = 5
MOVER, PHASE, PAID, CHAINED, DRAWN, ROUND = range(6)
"""Numbers of a state after those of the players."""
SHARED = 6
READY, MISS, EAT, PAY = range(4)
"""What a player waits for: nothing, to miss a turn, to eat, or to be paid for having eaten."""
TURN, DRAW, CHOICE, AGAIN = range(4)
"""Phases of a turn: its beginning, a card to be drawn, carrots to be taken or given, another move."""


def cost(squares: int) -> int:
    """Carrots to be paid for a move ahead."""
    return squares * (squares + 1) // 2


def behind(square: int, kind: str) -> list[int]:
    """The squares of a kind below a square, nearest first."""
    return [below for below in range(square - 1, -1, -1) if BOARD[below] == kind]


def ahead(square: int, kind: str) -> list[int]:
    """The squares of a kind above a square, nearest first."""
    return [above for above in range(square + 1, HOME + 1) if BOARD[above] == kind]


class Race(StochasticGame):
    """What may happen in a state.

    A state has for each player his square, carrots, lettuces, what he waits for and his finishing rank, 0 before that; then
    the player to move, the phase of his turn, the carrots that he has just paid, whether a card has led to another in this
    turn, the cards that are out (two bits for the number of each kind), and how many rounds are over.
    """

    def __init__(self, options: Mapping[str, int | str]) -> None:
        self.options = options
        self.players = int(options["players"])
        self.first_carrots = int(options["carrots"])
        self.rounds = int(options["rounds"])
        self.shared = PER_PLAYER * self.players
        self.start = (0, self.first_carrots, LETTUCES, READY, 0) * self.players + (0,) * SHARED

    # Looking at a state

    def hares(self, state: State) -> list[State]:
        """The numbers of each player."""
        return [state[begin : begin + PER_PLAYER] for begin in range(0, self.shared, PER_PLAYER)]

    def finished(self, state: State) -> int:
        """How many players have finished."""
        return sum(hare[RANK] > 0 for hare in self.hares(state))

    def place(self, state: State, who: int) -> int:
        """The place of a player on the board."""
        square = state[PER_PLAYER * who]
        return 1 + sum(hare[SQUARE] > square for hare in self.hares(state))

    def is_over(self, state: State) -> bool:
        """Whether the game is over."""
        most = 1 if self.options["end"] == "first" else self.players - 1
        return self.finished(state) >= most or 0 < self.rounds <= state[self.shared + ROUND]

    def to_move(self, state: State) -> int:
        """The player to move, `CHANCE` or `OVER`."""
        if self.is_over(state):
            return OVER
        return CHANCE if state[self.shared + PHASE] == DRAW else state[self.shared + MOVER]

    def begins_turn(self, state: State) -> bool:
        """Whether a turn begins."""
        return state[self.shared + PHASE] == TURN

    def places(self, state: State) -> tuple[int, ...]:
        """The finishing ranks; after them, who is ahead on the board."""
        if not self.is_over(state):
            return ()
        return tuple(hare[RANK] or self.place(state, who) for who, hare in enumerate(self.hares(state)))

    def is_deadlock(self, state: State) -> bool:
        """Whether a whole round would pass in which every running player is stuck and nothing changes.

        The game then ends, in the order on the board. The states and values know nothing of it: nobody wins by it.
        """
        after = state
        for _ in range(self.players - self.finished(state)):
            if self.to_move(after) < 0 or after[self._of(after) + WAIT] in (MISS, EAT):
                return False
            codes = self.moves(after)
            if set(codes) != {STAY}:
                return False
            after = codes[STAY]
        return after[: self.shared + ROUND] == state[: self.shared + ROUND]

    def _of(self, state: State | list[int]) -> int:
        """Where the numbers of the player to move begin."""
        return PER_PLAYER * state[self.shared + MOVER]

    def _is_free(self, state: State | list[int], square: int) -> bool:
        """Whether a player can come to a square that another may stand on."""
        return square in (0, HOME) or square not in state[: self.shared : PER_PLAYER]

    def _admits(self, state: State, square: int, carrots: int) -> bool:
        """Whether the player to move can come to a square, hedgehogs apart, and then have so many carrots."""
        held = state[self._of(state) + HELD]
        if square == HOME:
            return held == 0 and carrots <= UNIT * (1 + self.finished(state))
        return self._is_free(state, square) and (BOARD[square] != "L" or held > 0)

    # Moves

    def moves(self, state: State) -> dict[int, State]:
        """What each legal code leads to."""
        if self.to_move(state) < 0:
            return {}
        carrots = state[self._of(state) + CARROTS]
        if state[self.shared + PHASE] == CHOICE:
            after = {STAY: carrots, TAKE: carrots + UNIT, GIVE: carrots - UNIT}
            return {code: self._ended(self._with(state, CARROTS, left)) for code, left in after.items() if left >= 0}
        if state[self.shared + PHASE] == AGAIN:
            return self._codes(state, carrots)
        wait = state[self._of(state) + WAIT]
        free = self._with(state, WAIT, READY)
        if wait == EAT and state[self._of(state) + HELD]:
            return {STAY: self._ended(self._eaten(free))}
        if wait in (MISS, EAT):
            return {STAY: self._ended(free)}
        return self._codes(tuple(free), carrots + self._payout(state))

    def _with(self, state: State, field: int, value: int) -> list[int]:
        """A copy with another number for the player to move."""
        new = list(state)
        new[self._of(state) + field] = value
        return new

    def _payout(self, state: State) -> int:
        """Carrots that the player to move gets at the beginning of his turn."""
        hare = self._of(state)
        place = self.place(state, state[self.shared + MOVER])
        times = (place in PAYING.get(BOARD[state[hare + SQUARE]], ())) + (state[hare + WAIT] == PAY)
        return times * UNIT * place

    def _eaten(self, new: list[int]) -> list[int]:
        """The player to move gives up a lettuce, and is paid for it now or later."""
        hare = self._of(new)
        new[hare + HELD] -= 1
        if self.options["lettuce_pay"] == "leaving":
            new[hare + WAIT] = PAY
        else:
            new[hare + CARROTS] += UNIT * self.place(tuple(new), new[self.shared + MOVER])
        return new

    def _codes(self, state: State, carrots: int) -> dict[int, State]:
        """What the codes of a move lead to, with so many carrots to pay for it: ahead, back, on a carrot square, none."""
        here = state[self._of(state) + SQUARE]
        codes: dict[int, State] = {}
        for target in range(here + 1, HOME + 1):
            paid = cost(target - here)
            if paid <= carrots and BOARD[target] != "I" and self._admits(state, target, carrots - paid):
                codes[target - here] = self._moved(state, target, carrots - paid, paid)
        back = self._nearest(state, behind(here, "I"), self.options["hedgehog"] == "nearest_free")
        if back is not None:
            codes[back - here] = self._stayed(state, back, carrots + UNIT * (here - back))
        if BOARD[here] == "C":
            codes[TAKE] = self._stayed(state, here, carrots + UNIT)
            if carrots >= UNIT:
                codes[GIVE] = self._stayed(state, here, carrots - UNIT)
        if state[self.shared + PHASE] == AGAIN and self.options["again"] == "may":
            codes[STAY] = self._stayed(state, here, carrots)
        if not codes:
            restarts = self.options["stuck"] == "restart"
            codes[STAY] = self._stayed(state, 0, self.first_carrots) if restarts else self._stayed(state, here, carrots)
        return codes

    def _nearest(self, state: State, squares: list[int], free: bool) -> int | None:
        """The nearest of these squares, or the nearest free one; None if there is none, or it is not free."""
        if free:
            squares = [square for square in squares if self._is_free(state, square)]
        return squares[0] if squares and self._is_free(state, squares[0]) else None

    def _stayed(self, state: State, square: int, carrots: int) -> State:
        """The turn ends on a square that does nothing."""
        new = self._with(state, SQUARE, square)
        new[self._of(new) + CARROTS] = carrots
        return self._ended(new)

    def _moved(self, state: State, square: int, carrots: int, paid: int) -> State:
        """The player to move has come to a square ahead."""
        new = self._with(state, CARROTS, carrots)
        self._stand(new, square)
        if BOARD[square] == "H" and self.options["cards"] == "deck":
            return self._drawing(new, paid)
        return self._ended(new)

    def _stand(self, new: list[int], square: int) -> None:
        """The player to move has come to a square by a move ahead or by a card."""
        hare = self._of(new)
        new[hare + SQUARE] = square
        if BOARD[square] == "L":
            new[hare + WAIT] = EAT
        if square == HOME:
            new[hare + RANK] = 1 + self.finished(tuple(new))

    def _drawing(self, new: list[int], paid: int) -> State:
        """The player to move has to draw a card."""
        new[self.shared + PHASE] = DRAW
        new[self.shared + PAID] = paid
        return tuple(new)

    def _ended(self, new: list[int]) -> State:
        """The turn is over: the next player who has not finished is to move."""
        mover = new[self.shared + MOVER]
        new[self.shared + PHASE] = TURN
        new[self.shared + CHAINED] = 0
        ranks = new[RANK : self.shared : PER_PLAYER]
        order = [*range(mover + 1, self.players), *range(mover + 1)]
        following = next(player for player in order if ranks[player] == 0)
        new[self.shared + MOVER] = following
        if self.rounds and following <= mover:
            new[self.shared + ROUND] += 1
        return tuple(new)

    # Cards

    def draws(self, state: State) -> tuple[Draw, ...]:
        """What each of the cards that are different leads to."""
        if self.to_move(state) != CHANCE:
            return ()
        left = {card: copies - out(state[self.shared + DRAWN], card) for card, copies in CARDS.items()}
        every = sum(left.values())
        return tuple(Draw(Fraction(n, every), card, self._drew(state, card)) for card, n in left.items() if n)

    def _drew(self, state: State, card: str) -> State:
        """The state after a card has been drawn."""
        new = list(state)
        paid, new[self.shared + PAID] = new[self.shared + PAID], 0
        if self.options["deck"] == "exhaust":
            new[self.shared + DRAWN] += 1 << _shift(card)
            if all(out(new[self.shared + DRAWN], other) == copies for other, copies in CARDS.items()):
                new[self.shared + DRAWN] = 0
        hare = self._of(new)
        match card:
            case "free":
                new[hare + CARROTS] += paid
            case "miss":
                new[hare + WAIT] = MISS
            case "eat" if self.options["eat_card"] == "next_turn":
                new[hare + WAIT] = EAT
            case "eat" if new[hare + HELD]:
                self._eaten(new)
            case "eat":
                new[hare + WAIT] = MISS
            case "take_or_give" | "again":
                new[self.shared + PHASE] = CHOICE if card == "take_or_give" else AGAIN
                return tuple(new)
            case _:
                return self._carried(new, card)
        return self._ended(new)

    def _carried(self, new: list[int], card: str) -> State:
        """A card carries the player to move to another square, unless there is none for him."""
        target = self._target(tuple(new), card)
        if target is not None:
            self._stand(new, target)
            if BOARD[target] == "H" and self.options["card_chain"] == "draw" and not new[self.shared + CHAINED]:
                new[self.shared + CHAINED] = 1
                return self._drawing(new, 0)
        return self._ended(new)

    def _target(self, state: State, card: str) -> int | None:
        """The square that a card leads to, if there is one."""
        here = state[self._of(state) + SQUARE]
        squares = state[: self.shared : PER_PLAYER]
        if card == "fall_back":
            rivals = [square for square in squares if square < here]
            kept_off = "I" if self.options["fall_on_hedgehog"] == "no" else ""
            return self._first(state, range(max(rivals, default=0) - 1, -1, -1), kept_off)
        if card == "move_up":
            rivals = [square for square in squares if here < square < HOME]
            return self._first(state, range(min(rivals, default=HOME) + 1, HOME + 1), "I")
        carrots = ahead(here, "C") if card == "next_carrot" else behind(here, "C")
        return self._nearest(state, carrots, self.options["carrot_card"] == "nearest_free")

    def _first(self, state: State, squares: Iterable[int], kept_off: str) -> int | None:
        """The first of these squares that the player to move may stand on; he does not stop on kinds that he is kept off."""
        carrots = state[self._of(state) + CARROTS]
        fits = (square for square in squares if BOARD[square] not in [*kept_off] and self._admits(state, square, carrots))
        return next(fits, None)


def _shift(card: str) -> int:
    """Where the bits of a card begin in the set of cards that are out."""
    return 2 * list(CARDS).index(card)


def out(drawn: int, card: str) -> int:
    """How many cards of a kind are out."""
    return drawn >> _shift(card) & 3
