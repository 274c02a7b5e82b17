"""Legal moves and play against their naive twins, path counts, and the symmetries."""

from hypothesis import given
from support import toys

from tablebase.game.moves import Move, Position, legal_moves, mirrored, swapped
from tablebase.slices.equivalence import swapped_material
from tablebase.slices.material import material_of
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


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
