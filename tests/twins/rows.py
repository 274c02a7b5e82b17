"""The slow, obvious twins of the kernels of planes: sets of squares, and positions one by one.

A word is the set of its squares. A row of words is a set of *addresses*, a row and a square each. Only the layout
knows which position an address is; moves and values come from `naive`, which knows no rows, no mirror and no codes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, partial

from tablebase.game import Game
from tablebase.game.moves import Move, Position
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material
from twins import naive

Address = tuple[int, int]
"""Row, and the square of the row piece."""

Addresses = set[Address]

WORD = 64
"""Squares of a word, whether or not the board has them."""

STALEMATE: naive.Pair = ("stalemate", None)
DRAW: naive.Pair = ("draw", None)
VOID: naive.Pair = ("void", None)


@cache
def positions(game: Game, material: Material, side: int) -> dict[Address, Position]:
    own = layout_of(game, material)
    squares = own.groups[-1].squares
    everything = ((divmod(index, len(squares)), own.position(index, side)) for index in range(own.size))
    return {(row, squares[digit]): position for (row, digit), position in everything if position is not None}


def mirror_image(game: Game, position: Position) -> Position:
    image = game.mirror or range(len(game.board))
    return Position(tuple(sorted((kind, image[square]) for kind, square in position.pieces)), position.side)


@cache
def addresses(game: Game, material: Material, side: int) -> dict[Position, frozenset[Address]]:
    found: dict[Position, Addresses] = {}
    for address, position in positions(game, material, side).items():
        image = mirror_image(game, position)
        together = found.setdefault(position, set()) | found.setdefault(image, set()) | {address}
        found[position] = found[image] = together
    return {position: frozenset(some) for position, some in found.items()}


@cache
def children(game: Game, material: Material, side: int) -> dict[Address, tuple[frozenset[Address], ...]]:
    there = addresses(game, material, 1 - side)
    return {
        address: tuple(there[naive.after(position, move)] for move in naive.moves(game, position) if is_quiet(move))
        for address, position in positions(game, material, side).items()
    }


def is_quiet(move: Move) -> bool:
    return move.captured is None and not move.wins


@dataclass
class Sets:
    """One side to move while it is being solved: the words as addresses, the codes as values."""

    known: Addresses = field(default_factory=set)
    won: Addresses = field(default_factory=set)
    shut: Addresses = field(default_factory=set)
    ripe: Addresses = field(default_factory=set)
    fresh: Addresses = field(default_factory=set)
    found: Addresses = field(default_factory=set)
    due: dict[int, int] = field(default_factory=dict)
    values: dict[Address, naive.Pair] = field(default_factory=dict)

    def wait(self, some: Iterable[Address]) -> None:
        """Let these addresses wait for the distance of their values."""
        for row, square in some:
            self.ripe.add((row, square))
            self.due[row] = min(self.distance((row, square)), self.due.get(row, self.distance((row, square))))

    def distance(self, address: Address) -> int:
        """The distance of a value that has one."""
        distance = self.values[address][1]
        assert distance is not None
        return distance


def offer(game: Game, position: Position) -> naive.Pair | None:
    """The best of the moves that leave the slice, or what having no move at all is worth; None if all moves are quiet."""
    moves = naive.moves(game, position)
    if not moves:
        return ("loss", 0) if game.no_move.value == "loss" else STALEMATE
    leaving = [naive.worth(game, position, move, partial(naive.value, game)) for move in moves if not is_quiet(move)]
    return max(leaving, key=naive.merit, default=None)


def look(game: Game, material: Material, side: int) -> Sets:
    """Step 0: what captures, or the want of any move, say of each position."""
    here = positions(game, material, side)
    own = layout_of(game, material)
    sets = Sets()
    sets.known = {(row, square) for row in range(own.size // own.row_length) for square in range(WORD)} - here.keys()
    for address, position in here.items():
        worth = offer(game, position)
        if worth is None:
            continue
        sets.values[address] = worth
        if worth == STALEMATE:
            sets.known.add(address)
        elif worth[0] == "draw":
            sets.shut.add(address)
            del sets.values[address]  # a draw has no code of its own until the end
        elif worth[0] == "win" or not children(game, material, side)[address]:
            sets.shut.add(address)
            sets.wait([address])
    sets.shut |= sets.known
    return sets


def enter(sets: Sets, level: int) -> None:
    """Step 1: what is due at this distance becomes known; rows that are due later are left alone."""
    rows = {row for row, due in sets.due.items() if due == level}
    there = {address for address in sets.ripe if address[0] in rows}
    waiting = there - sets.known
    now = {address for address in waiting if sets.distance(address) == level}
    sets.ripe = sets.ripe - there
    for row in rows:
        del sets.due[row]
    sets.wait(waiting - now)
    sets.known |= now
    sets.fresh |= now
    if level % 2:
        sets.won |= now


def step_back(game: Game, material: Material, fresh: Addresses, closed: Addresses, side: int) -> Addresses:
    """Step 2: every position with `side` to move that is not closed and has a quiet move to something fresh."""
    return {
        address
        for address, some in children(game, material, side).items()
        if address not in closed and any(child & fresh for child in some)
    }


def settle_wins(sets: Sets, level: int) -> None:
    """Step 3: all that was found wins at this distance."""
    for words in (sets.known, sets.won, sets.shut, sets.fresh):
        words |= sets.found
    sets.values |= dict.fromkeys(sets.found, ("win", level))
    sets.found = set()


def settle_losses(game: Game, material: Material, side: int, sets: Sets, won: Addresses, level: int) -> None:
    """Step 3: what was found and has no quiet move but to a win of the other side loses now, or when its captures do."""
    below = children(game, material, side)
    lost = {address for address in sets.found if all(child <= won for child in below[address])}
    delayed = {address for address in lost if address in sets.values and sets.distance(address) > level}
    sets.shut |= lost
    sets.wait(delayed)
    sets.fresh |= lost - delayed
    sets.known |= lost - delayed
    sets.values |= dict.fromkeys(lost - delayed, ("loss", level))
    sets.found = set()
