"""Legal moves and play against their naive twins, path counts, and the symmetries."""

from __future__ import annotations

import pytest
from hypothesis import given
from support import toys
from support.checks import at_least_one
from twins import naive

from tablebase.game import Game
from tablebase.game.moves import Move, Position, legal_moves, mirrored, play, swapped
from tablebase.game.notation import parse
from tablebase.slices.equivalence import swapped_material
from tablebase.slices.material import material_of
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


def perft(game: Game, position: Position, plies: int) -> int:
    """Number of move paths of this many plies; a won game goes no further."""
    moves = legal_moves(game, position)
    if plies == 1:
        return len(moves)
    return sum(perft(game, play(position, move), plies - 1) for move in moves if not move.wins)


@pytest.mark.parametrize(("plies", "count"), [(1, 24), (2, 576), (3, 12_240), (4, 260_100)])
def test_path_counts_from_the_start(plies: int, count: int) -> None:
    """The published numbers of move paths from the initial position."""
    assert perft(GAME, parse(GAME, GAME.start), plies) == count


def test_the_naive_twin_counts_the_same_paths() -> None:
    """The twin that the other tests rely on passes the same check."""
    assert [naive.perft(GAME, parse(GAME, GAME.start), plies) for plies in (1, 2)] == [24, 576]


@given(toys.positions(GAME))
def test_moves_are_the_naive_ones(position: Position) -> None:
    """The same moves, each once, lead to the same positions as in the naive twin."""
    moves = legal_moves(GAME, position)
    assert sorted(moves, key=repr) == sorted(naive.moves(GAME, position), key=repr)
    assert [play(position, move) for move in moves] == [naive.after(position, move) for move in moves]


@given(toys.positions(toys.twins()))
def test_moves_of_like_pieces_are_the_naive_ones(position: Position) -> None:
    """The same with two like pawns a side, which no shortcut may confuse."""
    game = toys.twins()
    moves = legal_moves(game, position)
    assert sorted(moves, key=repr) == sorted(naive.moves(game, position), key=repr)
    assert [play(position, move) for move in moves] == [naive.after(position, move) for move in moves]


@given(toys.positions(GAME))
def test_the_mirror_maps_moves_to_moves(position: Position) -> None:
    """Mirroring twice changes nothing, and the mirrored position has the mirrored moves."""
    assert GAME.mirror is not None
    image = mirrored(GAME, position)
    assert mirrored(GAME, image) == position
    assert image.side == position.side
    expected = {m._replace(origin=GAME.mirror[m.origin], target=GAME.mirror[m.target]) for m in legal_moves(GAME, position)}
    assert set(legal_moves(GAME, image)) == expected


@given(toys.positions(GAME))
def test_colour_swap_maps_moves_to_moves(position: Position) -> None:
    """Swapping twice changes nothing, and the swapped position has the other side's moves on turned squares."""
    image = swapped(GAME, position)
    assert swapped(GAME, image) == position
    assert image.side == 1 - position.side
    assert material_of(GAME, image) == swapped_material(GAME, material_of(GAME, position))
    assert set(legal_moves(GAME, image)) == {turned(move) for move in legal_moves(GAME, position)}


def turned(move: Move) -> Move:
    """The move after colour swap, on a board of 63 squares turned by 180 degrees."""
    captured = None if move.captured is None else GAME.twins[move.captured]
    return Move(GAME.twins[move.kind], 62 - move.origin, 62 - move.target, captured, move.wins)


@given(toys.positions(GAME))
def test_only_the_side_to_move_moves(position: Position) -> None:
    """Movers belong to the side to move, captured pieces to the other one, and play hands the move over."""
    for move in at_least_one(legal_moves(GAME, position)):
        assert GAME.side_of(move.kind) == position.side
        assert move.captured is None or GAME.side_of(move.captured) == 1 - position.side
        child = play(position, move)
        assert child.side == 1 - position.side
        assert len(child.pieces) == len(position.pieces) - (move.captured is not None)
