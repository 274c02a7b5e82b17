"""What can be wrong with a game, one case at a time.

Each fault function looks at one case (a position, a table, …) and says as a sentence what is wrong with it, or
gives None. `tablebase.testing.suite` says which cases come to them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from tablebase.errors import NotationError
from tablebase.game import Game, Step
from tablebase.game.moves import Move, Position, has_escaped, legal_moves, mirrored, play, swapped
from tablebase.game.notation import check_pieces, parse, render, render_move
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.location import locate
from tablebase.slices.material import Material, material_name, material_of, materials, parse_material

BATCH = 64  # indices looked at in each table
LISTED = 5  # pieces up to which a material is looked up in the list of all, which grows fast

_PositionMap = Callable[[Game, Position], Position]


def placement_fault(game: Game, position: Position) -> str | None:
    """Why the pieces make no position that goes on, if so."""
    try:
        check_pieces(game, position)
    except NotationError as error:
        return str(error)
    return None


def is_over(game: Game, move: Move, after: Position) -> bool:
    """Whether the move that led here ended the game."""
    return move.wins or len({game.side_of(kind) for kind, _ in after.pieces}) < 2


@cache
def _steps_to(game: Game, kind: int, target: int) -> tuple[Step, ...]:
    """The steps of a kind that engines take back from a square."""
    return tuple(step for step in game.kinds[kind].steps if step.target == target and step.quiet and not step.wins)


def _moves_back(game: Game, position: Position) -> list[Move]:
    """Quiet moves that may have led here, found as engines do: nobody stands on the way of the step now."""
    occupied = {square for _, square in position.pieces}
    return [
        Move(kind, step.origin, square, None, False)
        for kind, square in position.pieces
        if game.side_of(kind) != position.side
        for step in _steps_to(game, kind, square)
        if step.origin not in occupied and step.empty.isdisjoint(occupied)
    ]


def _forth_fault(game: Game, position: Position) -> str | None:
    for move in legal_moves(game, position):
        after = play(position, move)
        if move.captured is None and not move.wins and (ways := _moves_back(game, after).count(move)) != 1:
            step = f"{game.kinds[move.kind].symbol} {render_move(game, move)} in {render(game, position)}"
            return f"{step} can be taken back in {ways} ways from {render(game, after)}, not in one"
    return None


def _back_fault(game: Game, position: Position) -> str | None:
    after = Position(position.pieces, 1 - position.side)  # in a scene it is the side to move that has something to show
    for move in _moves_back(game, after):
        stay = [piece for piece in after.pieces if piece != (move.kind, move.target)]
        before = Position(tuple(sorted([*stay, (move.kind, move.origin)])), position.side)
        # Who has escaped does not move on, and engines do not step back into that.
        if move not in legal_moves(game, before) and not has_escaped(game, before):
            step = f"{game.kinds[move.kind].symbol} {render_move(game, move)} can be taken back from {render(game, after)}"
            return f"{step} but is not legal in {render(game, before)}"
    return None


def steps_fault(game: Game, position: Position) -> str | None:
    return _forth_fault(game, position) or _back_fault(game, position)


def _symmetry_fault(game: Game, position: Position, map_position: _PositionMap, map_move: Callable[[Move], Move]) -> str | None:
    """How a position and its image under a symmetry differ."""
    image = map_position(game, position)
    if map_position(game, image) != position:
        again = render(game, map_position(game, image))
        return f"the image of {render(game, position)} is {render(game, image)}, but the image of that is {again}"
    if (complaint := placement_fault(game, image)) is not None:
        return f"the image of {render(game, position)} is no position: {complaint}"
    there = legal_moves(game, image)
    wanted = {map_move(move): move for move in legal_moves(game, position)}
    for move_image, move in wanted.items():
        if move_image not in there:
            shown = f"{render_move(game, move)} in {render(game, position)}"
            return f"{shown} is legal, but its image {render_move(game, move_image)} in {render(game, image)} is not"
    for move in there:
        if move not in wanted:
            shown = f"{render_move(game, move)} in {render(game, image)}"
            return f"{shown} is legal, but the image of no legal move in {render(game, position)}"
    return None


def mirror_fault(game: Game, position: Position) -> str | None:
    to = game.mirror or ()
    return _symmetry_fault(game, position, mirrored, lambda move: move._replace(origin=to[move.origin], target=to[move.target]))


def _twin_fault(game: Game, position: Position) -> str | None:
    for kind, _ in position.pieces:
        twin = game.kinds[kind].symbol.swapcase()
        if twin not in game.by_symbol or game.side_of(game.by_symbol[twin]) == game.side_of(kind):
            return f"{game.kinds[kind].symbol!r} in {render(game, position)} has no twin {twin!r} on the other side"
    return None


def swap_fault(game: Game, position: Position) -> str | None:
    to = game.swap or ()

    def map_move(move: Move) -> Move:
        captured = None if move.captured is None else game.twins[move.captured]
        return Move(game.twins[move.kind], to[move.origin], to[move.target], captured, move.wins)

    return _twin_fault(game, position) or _symmetry_fault(game, position, swapped, map_move)


@cache
def _is_declared(game: Game, material: Material) -> bool:
    """Whether the game has such a slice."""
    count = material.pieces
    return count <= game.max_pieces and (count > LISTED or material in materials(game, count))


def children_fault(game: Game, position: Position) -> str | None:
    for move in legal_moves(game, position):
        child = play(position, move)
        material = material_of(game, child)
        if not is_over(game, move, child) and not _is_declared(game, material):
            where = f"{render_move(game, move)} in {render(game, position)} leads to {material_name(game, material)}"
            return f"{where}, which is no slice of the game (max_pieces is {game.max_pieces})"
    return None


def _number_fault(own: Layout, number: int) -> str | None:
    """What is wrong with a single index."""
    squares, position = own.squares(number), own.position(number, 0)
    if squares is None or position is None:
        return None
    if own.index(squares) != number:
        return f"index {number} is {render(own.game, position)}, but the index of that is {own.index(squares)}"
    image = position if own.game.mirror is None else mirrored(own.game, position)
    found = own.position(own.index([image.pieces[piece][1] for piece in own.slots]), 0)
    return None if found in (position, image) else f"the index of {render(own.game, image)} is that of another position"


def _batch_fault(own: Layout, numbers: list[int]) -> str | None:
    """What is wrong with many indices at once, one at a time being right."""
    squares, legal = own.squares_many(np.array(numbers, dtype=np.int64))
    alone = [own.squares(number) for number in numbers]
    if [row if good else None for row, good in zip(squares.tolist(), legal.tolist(), strict=True)] != alone:
        return f"{material_name(own.game, own.material)}: indices looked up together are other positions than one by one"
    if own.index_many(squares[legal]).tolist() != [own.index(one) for one in alone if one is not None]:
        return f"{material_name(own.game, own.material)}: positions numbered together get other indices than one by one"
    return None


def index_fault(game: Game, table: Material) -> str | None:
    own = layout_of(game, table)
    numbers = sorted({(own.size - 1) * i // (BATCH - 1) for i in range(BATCH)})
    faults = (_number_fault(own, number) for number in numbers)
    return next((fault for fault in faults if fault is not None), None) or _batch_fault(own, numbers)


def _effects(game: Game, position: Position) -> set[tuple[int, int, bool, bool]]:
    """The legal moves, whatever the pieces are called."""
    return {(move.origin, move.target, move.captured is None, move.wins) for move in legal_moves(game, position)}


def aliases_fault(game: Game, position: Position) -> str | None:
    way = locate(game, material_of(game, position), position.side)
    pieces = [position.pieces[piece] for piece in way.pairing]
    seen = position
    if way.swapped and game.swap is not None:
        # Whether the swap itself is right is another check's affair.
        pieces, seen = [(kind, game.swap[square]) for kind, square in pieces], swapped(game, position)
    home = Position(tuple(sorted(zip(way.material.kinds, (square for _, square in pieces), strict=True))), way.side)
    if home.side == seen.side and _effects(game, home) == _effects(game, seen):
        return None
    return f"{render(game, position)} is stored as {render(game, home)}, which has other moves"


def play_fault(game: Game, position: Position) -> str | None:
    complaint = placement_fault(game, position)
    return complaint and f"random play reached {render(game, position)}, but {complaint}"


def _reading(read: Callable[[Game, str], Any], game: Game, text: str) -> Any:
    """What a text is read as, or why it cannot be read."""
    try:
        return read(game, text)
    except NotationError as error:
        return str(error)


def start_fault(game: Game, text: str) -> str | None:
    found = _reading(parse, game, text)
    if not isinstance(found, Position):
        return f"the start {text!r} is no position: {found}"
    return None if render(game, found) == text else f"the start {text!r} must be written {render(game, found)!r}"


def notation_fault(game: Game, position: Position) -> str | None:
    text, own = render(game, position), material_of(game, position)
    if (found := _reading(parse, game, text)) != position:
        return f"{position} is written {text!r}, and reading that gives {found}"
    name = material_name(game, own)
    if (found := _reading(parse_material, game, name)) != own:
        return f"the material of {text} is written {name!r}, and reading that gives {found}"
    return None


REBUILDS: dict[str, Callable[[Game], Game]] = {
    "from a pickle": lambda game: replace(pickle.loads(pickle.dumps(game))),
    "with its steps in another order": lambda game: replace(
        game, kinds=tuple(replace(kind, steps=kind.steps[::-1]) for kind in game.kinds)
    ),
}
"""Ways to the same rules again."""


def digest_fault(game: Game, how: str) -> str | None:
    again = REBUILDS[how](game).digest
    return None if again == game.digest else f"built again {how}, {game.name} has digest {again}, not {game.digest}"
