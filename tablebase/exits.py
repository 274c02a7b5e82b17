"""Where the moves of a slice lead, told by numbers.

A move stays in its slice (`STAYS`), ends the game at once (`ENDS`), or leads to one of the slice's *exits*, which are
numbered from 1. Engines, the verifier and walks ask the same question, each for its own arrays.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tablebase.game import Game, Step
from tablebase.indexing import Layout, layout
from tablebase.material import Conversion, Material, conversion, conversions

STAYS = 0
ENDS = -1
"""The move reaches a goal, or takes the last piece of the other side."""
NEVER = -2
"""There is no such move: the step does not capture this, or this cannot stand there, or the step needs something to capture."""


class Exit(NamedTuple):
    """A way out of a slice, seen by its layout.

    Parameters
    ----------
    victim : int or None
        The slot that is taken.
    child : Material
    side : int
        The side to move in the child.
    rest : tuple of int
        For each piece of the child, in the order of `Material.kinds`, our slot that plays it.
    """

    victim: int | None
    child: Material
    side: int
    rest: tuple[int, ...]


@cache
def exits(game: Game, material: Material) -> tuple[Exit, ...]:
    """The exits of a slice; the first one has number 1."""
    own = layout(game, material)
    return tuple(_exit(own, way) for way in conversions(game, material))


def _exit(own: Layout, way: Conversion) -> Exit:
    victim = None if way.victim is None else own.slots.index(way.victim)
    rest = tuple(own.slots.index(piece) for piece in range(own.material.pieces) if piece != way.victim)
    return Exit(victim, way.child, way.side, rest)


def exit_number(own: Layout, slot: int, step: Step, victim: int | None) -> int:
    """Where a slot's step leads when it takes a slot, or none: `STAYS`, `ENDS`, `NEVER` or the number of an exit."""
    game, material = own.game, own.material
    kinds = material.kinds
    piece = None if victim is None else own.slots[victim]
    if not step.quiet if piece is None else game.kinds[kinds[piece]].symbol not in step.victims:
        return NEVER
    if piece is not None and step.target not in game.kinds[kinds[piece]].homes:
        return NEVER
    if step.wins or (piece is not None and _is_last(material, piece)):
        return ENDS
    way = conversion(game, material, kinds[own.slots[slot]], step, piece)
    # An advance that no placement has is never reached.
    numbers = _numbers(game, material)
    return STAYS if way is None else numbers.get(way, NEVER)


def _is_last(material: Material, piece: int) -> bool:
    """Whether the piece is alone on its side."""
    return len(material.first if piece < len(material.first) else material.second) == 1


@cache
def _numbers(game: Game, material: Material) -> dict[Conversion, int]:
    return {way: number for number, way in enumerate(conversions(game, material), start=1)}
