"""Errors of a game, found one case at a time.

Each error function checks one case (a position, a material, …) and returns a sentence that describes the error, or
None. `tablebase.testing.suite` supplies the cases.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np

from tablebase.errors import NotationError
from tablebase.game import Game, Step
from tablebase.game.moves import Move, Position, has_escaped, legal_moves, mirrored, play, played, swapped
from tablebase.game.notation import check_pieces, parse, render, render_move
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.location import locate
from tablebase.positions.material import Material, material_name, material_of, materials, parse_material
from tablebase.testing.contract import read_or_error

BATCH = 64  # indices checked in each table
LISTED = 5  # up to this many pieces, a material is looked up in the list of all, which grows fast

_PositionMap = Callable[[Game, Position], Position]


def placement_error(game: Game, position: Position) -> str | None:
    """Return the reason why the pieces are not a valid position, or the game is over in it."""
    try:
        check_pieces(game, position)
    except NotationError as error:
        return str(error)
    return None


@cache
def _steps_to(game: Game, kind: int, target: int) -> tuple[Step, ...]:
    return tuple(step for step in game.kinds[kind].steps if step.target == target and step.quiet and not step.wins)


def _moves_back(game: Game, position: Position) -> list[Move]:
    """Quiet moves that may have led here, found as solvers find them: the squares that the step needs are empty now."""
    occupied = {square for _, square in position.pieces}
    return [
        Move(kind, step.origin, square, None, False)
        for kind, square in position.pieces
        if game.side_of(kind) != position.side
        for step in _steps_to(game, kind, square)
        if step.origin not in occupied and step.empty.isdisjoint(occupied)
    ]


def steps_error(game: Game, position: Position) -> str | None:
    """Return the error of a quiet move that cannot be taken back in exactly one way, or of an unmove that is not legal."""
    for move in legal_moves(game, position):
        after = play(position, move)
        if move.captured is None and not move.wins and (ways := _moves_back(game, after).count(move)) != 1:
            step = f"{game.kinds[move.kind].symbol} {render_move(game, move)} in {render(game, position)}"
            return f"{step} can be taken back in {ways} ways from {render(game, after)}, not in one"
    after = Position(position.pieces, 1 - position.side)  # a scene is about the pieces of the side to move
    for move in _moves_back(game, after):
        others = [piece for piece in after.pieces if piece != (move.kind, move.target)]
        before = Position(tuple(sorted([*others, (move.kind, move.origin)])), position.side)
        # An escaped piece does not move any more, and solvers do not step back to such a position.
        if move not in legal_moves(game, before) and not has_escaped(game, before):
            step = f"{game.kinds[move.kind].symbol} {render_move(game, move)} can be taken back from {render(game, after)}"
            return f"{step} but is not legal in {render(game, before)}"
    return None


def _symmetry_error(game: Game, position: Position, map_position: _PositionMap, map_move: Callable[[Move], Move]) -> str | None:
    image = map_position(game, position)
    if map_position(game, image) != position:
        second = render(game, map_position(game, image))
        return f"the image of {render(game, position)} is {render(game, image)}, but the image of that is {second}"
    if (error := placement_error(game, image)) is not None:
        return f"the image of {render(game, position)} is not a position: {error}"
    legal_in_image = legal_moves(game, image)
    expected = {map_move(move): move for move in legal_moves(game, position)}
    for move_image, move in expected.items():
        if move_image not in legal_in_image:
            shown = f"{render_move(game, move)} in {render(game, position)}"
            return f"{shown} is legal, but its image {render_move(game, move_image)} in {render(game, image)} is not"
    for move in legal_in_image:
        if move not in expected:
            shown = f"{render_move(game, move)} in {render(game, image)}"
            return f"{shown} is legal, but not the image of a legal move in {render(game, position)}"
    return None


def mirror_error(game: Game, position: Position) -> str | None:
    """Return the difference between a position and its mirror image."""
    to = game.mirror or ()
    return _symmetry_error(game, position, mirrored, lambda move: move._replace(origin=to[move.origin], target=to[move.target]))


def swap_error(game: Game, position: Position) -> str | None:
    """Return the difference between a position and its image under colour swap."""
    to = game.swap or ()

    def map_move(move: Move) -> Move:
        captured = None if move.captured is None else game.twins[move.captured]
        return Move(game.twins[move.kind], to[move.origin], to[move.target], captured, move.wins)

    for kind, _ in position.pieces:
        twin = game.kinds[kind].symbol.swapcase()
        if twin not in game.by_symbol or game.side_of(game.by_symbol[twin]) == game.side_of(kind):
            return f"{game.kinds[kind].symbol!r} in {render(game, position)} has no twin {twin!r} on the other side"
    return _symmetry_error(game, position, swapped, map_move)


@cache
def _is_declared(game: Game, material: Material) -> bool:
    count = material.pieces
    return count <= game.max_pieces and (count > LISTED or material in materials(game, count))


def children_error(game: Game, position: Position) -> str | None:
    """Return the error of a legal move that leads to an invalid material."""
    for move in legal_moves(game, position):
        child = played(game, position, move)
        material = material_of(game, child)
        if not child.won and not _is_declared(game, material):
            shown = f"{render_move(game, move)} in {render(game, position)}"
            name = material_name(game, material)
            return f"{shown} leads to {name}, which is not a slice of the game (max_pieces is {game.max_pieces})"
    return None


def _single_index_error(layout: Layout, index: int) -> str | None:
    squares, position = layout.squares(index), layout.position(index, 0)
    if squares is None or position is None:
        return None
    if layout.index(squares) != index:
        return f"index {index} is {render(layout.game, position)}, but the index of this position is {layout.index(squares)}"
    image = position if layout.game.mirror is None else mirrored(layout.game, position)
    stored = layout.position(layout.index([image.pieces[piece][1] for piece in layout.slots]), 0)
    return None if stored in (position, image) else f"the index of {render(layout.game, image)} is that of another position"


def index_error(game: Game, material: Material) -> str | None:
    """Return the error of a stored material if conversions between indices and positions are not inverse."""
    layout = layout_of(game, material)
    indices = sorted({(layout.size - 1) * i // (BATCH - 1) for i in range(BATCH)})
    for index in indices:
        if (error := _single_index_error(layout, index)) is not None:
            return error
    # The vectorised functions, given that the scalar ones are right.
    squares, legal = layout.squares_many(np.array(indices, dtype=np.int64))
    singles = [layout.squares(index) for index in indices]
    if [row if good else None for row, good in zip(squares.tolist(), legal.tolist(), strict=True)] != singles:
        return f"{material_name(game, material)}: indices converted together yield other positions than one by one"
    if layout.index_many(squares[legal]).tolist() != [layout.index(single) for single in singles if single is not None]:
        return f"{material_name(game, material)}: positions converted together yield other indices than one by one"
    return None


def _effects(game: Game, position: Position) -> set[tuple[int, int, bool, bool]]:
    return {(move.origin, move.target, move.captured is None, move.wins) for move in legal_moves(game, position)}


def aliases_error(game: Game, position: Position) -> str | None:
    """Return the error of a position with moves that differ from the moves of the stored position."""
    location = locate(game, material_of(game, position), position.side)
    pieces = [position.pieces[piece] for piece in location.pairing]
    seen = position
    if location.swapped and game.swap is not None:
        # Whether the swap itself is right is checked by `swap_error`.
        pieces, seen = [(kind, game.swap[square]) for kind, square in pieces], swapped(game, position)
    stored_pieces = zip(location.material.kinds, (square for _, square in pieces), strict=True)
    stored = Position(tuple(sorted(stored_pieces)), location.side)
    if stored.side == seen.side and _effects(game, stored) == _effects(game, seen):
        return None
    return f"{render(game, position)} is stored as {render(game, stored)}, which has other moves"


def stored_error(game: Game, position: Position) -> str | None:
    """Return the reason why tables do not store a position of random play."""
    error = placement_error(game, position)
    return error and f"random play reached {render(game, position)}, but {error}"


def spelling_error(game: Game, text: str) -> str | None:
    """Return the reason why `start` is not a position in standard notation."""
    start = read_or_error(partial(parse, game), text)
    if not isinstance(start, Position):
        return f"the start {text!r} is not a position: {start}"
    return None if render(game, start) == text else f"the start {text!r} must be written {render(game, start)!r}"


def material_error(game: Game, position: Position) -> str | None:
    """Return the error of a position or material that changes if it is formatted and parsed."""
    text, material = render(game, position), material_of(game, position)
    if (position_read := read_or_error(partial(parse, game), text)) != position:
        return f"{position} is written {text!r}, which is read as {position_read}"
    name = material_name(game, material)
    if (material_read := read_or_error(partial(parse_material, game), name)) != material:
        return f"the material of {text} is written {name!r}, which is read as {material_read}"
    return None


REBUILDS: dict[str, Callable[[Game], Game]] = {
    "from a pickle": lambda game: replace(pickle.loads(pickle.dumps(game))),
    "with its steps in another order": lambda game: replace(
        game, kinds=tuple(replace(kind, steps=kind.steps[::-1]) for kind in game.kinds)
    ),
}
"""Methods to build the same rules again."""


def digest_error(game: Game, how: str) -> str | None:
    """Return the error of a digest that changes if the game is built again."""
    digest = REBUILDS[how](game).digest
    return None if digest == game.digest else f"built again {how}, {game.name} has digest {digest}, not {game.digest}"
