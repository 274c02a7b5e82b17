"""Conversions: moves that leave a slice, and the slices they lead to.

A move stays in its slice (`STAYS`), ends the game at once (`ENDS`), or is one of the slice's *conversions*, which are
numbered from 1. Solvers, the verifier and the counts ask the same question, each for its own arrays.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tablebase.game import Game, Kind, Step
from tablebase.slices.indexing import Layout, layout
from tablebase.slices.material import Material, _levels, _tiers, make_material, tiered_kinds


class Conversion(NamedTuple):
    """A way out of a slice: a capture, or a step that changes the advance.

    Parameters
    ----------
    victim : int or None
        The piece that is taken, by its place in `Material.kinds`.
    child : Material
        What is there afterwards.
    side : int
        The side to move then.
    """

    victim: int | None
    child: Material
    side: int


def conversion(game: Game, material: Material, kind: int, step: Step, victim: int | None) -> Conversion | None:
    """Where a step of a kind leads from a material, taking a piece or none; None if it stays in the slice."""
    gone = [] if victim is None else [material.kinds[victim]]
    rest = tuple(other for place, other in enumerate(material.kinds) if place != victim)
    before = dict(zip(tiered_kinds(game, material.kinds), material.advance, strict=True))
    if game.kinds[kind].tiered:
        before[kind] += _levels(game, kind)[step.target] - _levels(game, kind)[step.origin]
    for other in gone:
        if game.kinds[other].tiered:
            before[other] -= _levels(game, other)[step.target]
    child = make_material(game, rest, tuple(before[one] for one in tiered_kinds(game, rest)))
    return None if child == material else Conversion(victim, child, 1 - game.side_of(kind))


@cache
def conversions(game: Game, material: Material) -> tuple[Conversion, ...]:
    """All ways out of a slice that do not end the game.

    A side that loses its last piece has lost, so that leads to no material.
    """
    victims = [place for place, kind in enumerate(material.kinds) if len(_own(game, material, kind)) > 1]
    found: dict[Conversion, None] = {}
    for kind in sorted(set(material.kinds)):
        for step in game.kinds[kind].steps:
            if step.wins:
                continue
            taken = [place for place in victims if _can_take(step, game.kinds[material.kinds[place]])]
            quiet = [None] if step.quiet and game.kinds[kind].tiered else []
            for victim in (*taken, *quiet):
                way = conversion(game, material, kind, step, victim)
                if way is not None and way.child.advance in _tiers(game, way.child.kinds):
                    found[way] = None
    return tuple(sorted(found, key=lambda way: (-1 if way.victim is None else way.victim, way.child, way.side)))


def _can_take(step: Step, victim: Kind) -> bool:
    """Whether a step captures a kind that can stand where it leads."""
    return victim.symbol in step.victims and step.target in victim.homes


def _own(game: Game, material: Material, kind: int) -> tuple[int, ...]:
    """The pieces of the side that a kind belongs to."""
    return material.second if game.side_of(kind) else material.first


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
