"""A game of pieces on squares as a `StochasticGame` without chance, so that its values can be compared with those of tables.

A state is how the game has ended, if it has, the side to move, and the kind and the square of each piece, with -1 for pieces
that are gone. As text it is the position in notation.
"""

# ruff: noqa: D102 (see `StochasticGame`)

from collections.abc import Iterator

from tablebase.game import Game, Outcome
from tablebase.game.moves import Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import parse, render
from tablebase.game.stochastic import OVER, Draw, State, StochasticGame

GOES_ON, DRAWN = -1, 2
"""How a game has ended: the number of the side that has won, or one of these."""
PLACES = {0: (1, 2), 1: (2, 1), DRAWN: (1, 1)}
GONE = (-1, -1)


class DeterministicGame(StochasticGame):
    """A game of pieces on squares; every move is a turn."""

    players = 2

    def __init__(self, game: Game) -> None:
        start = parse(game, game.start)
        self.name, self.title, self.options = game.name, game.title, {"rules": game.digest}
        self._game, self._most = game, max(game.max_pieces, len(start.pieces))
        self.start = self.state(start)

    def state(self, position: Position) -> State:
        """The state of a position in which no piece has just reached its goal."""
        outcome = decided(self._game, position)
        if outcome is None:
            return self._state(GOES_ON, position)
        if outcome is Outcome.DRAW:
            return self._state(DRAWN, position)
        return self._state(position.side if outcome is Outcome.WIN else 1 - position.side, position)

    def position(self, state: State) -> Position:
        numbers = iter(state[2:])
        return Position(tuple(piece for piece in zip(numbers, numbers, strict=True) if piece != GONE), state[1])

    def to_move(self, state: State) -> int:
        return state[1] if state[0] == GOES_ON else OVER

    def moves(self, state: State) -> dict[int, State]:
        """By origin and target, in the order of legal moves; of two ways between the same squares, the one that wins counts."""
        if state[0] != GOES_ON:
            return {}
        after: dict[int, State] = {}
        for code, child in self._children(self.position(state)):
            if code not in after or child[0] == state[1]:
                after[code] = child
        return after

    def draws(self, _: State) -> tuple[Draw, ...]:
        return ()

    def places(self, state: State) -> tuple[int, ...]:
        return PLACES[state[0]]

    def begins_turn(self, _: State) -> bool:
        return True

    def code_text(self, code: int) -> str:
        origin, target = divmod(code, len(self._game.board))
        return self._game.board.names[origin] + self._game.board.names[target]

    def format(self, state: State) -> str:
        return render(self._game, self.position(state))

    def parse(self, text: str) -> State:
        return self.state(parse(self._game, text))

    def _children(self, position: Position) -> Iterator[tuple[int, State]]:
        for move in legal_moves(self._game, position):
            child = play(position, move)
            won = wins_at_once(self._game, position, move)
            yield move.origin * len(self._game.board) + move.target, self._state(position.side, child) if won else self.state(child)

    def _state(self, ended: int, position: Position) -> State:
        pieces = (*position.pieces, *[GONE] * (self._most - len(position.pieces)))
        return (ended, position.side, *(number for piece in pieces for number in piece))
