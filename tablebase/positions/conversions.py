"""Conversions: moves that leave a slice, and the slices they lead to.

A move stays in its slice (`STAYS`), ends the game at once (`ENDS`), or is one of the slice's *conversions*, which are
numbered from 1. The solvers, the verifier and the counts share this numbering.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Kind, Step
from tablebase.positions.indexing import Layout, is_buildable, layout_of
from tablebase.positions.material import Material, advances_of, levels_of, make_material, tiered_kinds

STAYS = 0
ENDS = -1
"""The move reaches a goal, or captures the last piece of the other side."""
ILLEGAL = -2
"""There is no such move: the step does not capture this piece, the piece cannot stand there, or the step must capture."""


class Conversion(NamedTuple):
    """A kind of move that leaves a slice: a capture, or a step that changes the advance."""

    victim: int | None  # the captured piece, by its place in `Material.kinds`
    child: Material  # the material afterwards
    side: int  # the side to move then


class SlotConversion(NamedTuple):
    """A conversion, the pieces named by their slots in the slice's layout."""

    victim: int | None  # the captured slot
    child: Material
    side: int  # the side to move in the child
    rest: tuple[int, ...]  # for each piece of the child, in the order of `Material.kinds`, the slot of the parent that becomes it


@cache
def conversions(game: Game, material: Material) -> tuple[Conversion, ...]:
    """Return all conversions of a slice, except captures of a side's last piece, which end the game."""
    capturable = [place for place in range(material.pieces) if not _is_last(material, place)]
    distinct: dict[Conversion, None] = {}  # a dict keeps the first of equal conversions
    for kind in sorted(set(material.kinds)):
        for step in _sorts(game, kind)[0]:
            if step.wins:
                continue
            captures = [place for place in capturable if _can_capture(step, game.kinds[material.kinds[place]])]
            quiet = [None] if step.quiet and game.kinds[kind].tiered else []
            for victim in (*captures, *quiet):
                conversion = convert(game, material, kind, step, victim)
                if conversion is not None and conversion.child.advance in advances_of(game, conversion.child.kinds):
                    distinct[conversion] = None
    # Those without a capture are numbered first.
    return tuple(sorted(distinct, key=lambda one: (-1 if one.victim is None else one.victim, one.child, one.side)))


@cache
def parents(game: Game, material: Material) -> frozenset[Material]:
    """The materials that can be built and from which a conversion leads to this one."""
    return frozenset(
        parent
        for parent in _candidates(game, material)
        if parent != material
        and is_buildable(game, parent)
        and any(conversion.child == material for conversion in conversions(game, parent))
    )


def _candidates(game: Game, material: Material) -> Iterator[Material]:
    added = [(kind,) for kind in range(len(game.kinds)) if material.kinds.count(kind) < game.kinds[kind].limit]
    for more in [*(added if material.pieces < game.max_pieces else []), *([()] if material.advance else [])]:
        kinds = (*material.kinds, *more)
        for advance in advances_of(game, tuple(sorted(kinds))):
            yield make_material(game, kinds, advance)


def convert(game: Game, material: Material, kind: int, step: Step, victim: int | None) -> Conversion | None:
    """The conversion that a step of a kind makes, capturing a piece or none; None if it stays in the slice."""
    gain = levels_of(game, kind)[step.target] - levels_of(game, kind)[step.origin] if game.kinds[kind].tiered else 0
    captured = None if victim is None else material.kinds[victim]
    lost = levels_of(game, captured)[step.target] if captured is not None and game.kinds[captured].tiered else 0
    return _converted(game, material, kind, gain, victim, lost)


# Many steps of a slice make the same conversion.
@lru_cache(maxsize=1 << 12)
def _converted(game: Game, material: Material, kind: int, gain: int, victim: int | None, lost: int) -> Conversion | None:
    """The conversion by which a kind advances so much, and a victim's advance is lost."""
    rest = tuple(other for place, other in enumerate(material.kinds) if place != victim)
    advance = dict(zip(tiered_kinds(game, material.kinds), material.advance, strict=True))
    if gain:
        advance[kind] += gain
    if victim is not None and lost:
        advance[material.kinds[victim]] -= lost
    child = make_material(game, rest, tuple(advance[tiered] for tiered in tiered_kinds(game, rest)))
    return None if child == material else Conversion(victim, child, 1 - game.side_of(kind))


@cache
def _sorts(game: Game, kind: int) -> tuple[tuple[Step, ...], NDArray[np.int64]]:
    """Of the steps of a kind one of each sort, and the sorts of all, by origin; those of a sort lead to the same slices."""
    first: dict[object, int] = {}
    sorts: list[Step] = []
    numbers = []
    levels = levels_of(game, kind) if game.kinds[kind].tiered else None
    for origin in range(len(game.board)):
        for step in game.kinds[kind].steps_from.get(origin, ()):
            gain = levels[step.target] - levels[step.origin] if levels and not step.wins else 0
            taken = tuple(_level_taken(game, step, victim) for victim in range(len(game.kinds)))
            number = first.setdefault((step.quiet, step.wins, gain, taken), len(first))
            if number == len(sorts):
                sorts.append(step)
            numbers.append(number)
    return tuple(sorts), np.array(numbers, dtype=np.int64)


def _level_taken(game: Game, step: Step, victim: int) -> int | None:
    if not _can_capture(step, game.kinds[victim]):
        return None
    return levels_of(game, victim)[step.target] if game.kinds[victim].tiered else 0


def _can_capture(step: Step, victim: Kind) -> bool:
    return victim.symbol in step.victims and step.target in victim.homes


@cache
def slot_conversions(game: Game, material: Material) -> tuple[SlotConversion, ...]:
    """All conversions of a slice by slots; the first one has number 1."""
    slots, found = layout_of(game, material).slots, []
    for conversion in conversions(game, material):
        victim = None if conversion.victim is None else slots.index(conversion.victim)
        rest = tuple(slots.index(piece) for piece in range(material.pieces) if piece != conversion.victim)
        found.append(SlotConversion(victim, conversion.child, conversion.side, rest))
    return tuple(found)


def destination(layout: Layout, kind: int, step: Step, victim: int | None) -> int:
    """Return where a kind's step leads, capturing a slot or none: `STAYS`, `ENDS`, `ILLEGAL` or the number of a conversion."""
    game, material = layout.game, layout.material
    piece = None if victim is None else layout.slots[victim]
    if piece is None:
        if not step.quiet:
            return ILLEGAL
    elif not _can_capture(step, game.kinds[material.kinds[piece]]):
        return ILLEGAL
    if step.wins or (piece is not None and _is_last(material, piece)):
        return ENDS
    conversion = convert(game, material, kind, step, piece)
    # An advance that no placement has is never reached.
    return STAYS if conversion is None else _numbers(game, material).get(conversion, ILLEGAL)


@cache
def step_destinations(layout: Layout, kind: int) -> NDArray[np.int32]:
    """Return where all steps of a kind lead, by origin; shape (steps, slots + 1), read-only.

    Column 0 is without a capture, column v + 1 if slot v is captured.
    """
    sorts, numbers = _sorts(layout.game, kind)
    victims = (None, *range(len(layout.slots)))
    rows = [[destination(layout, kind, step, victim) for victim in victims] for step in sorts]
    destinations = np.array(rows, dtype=np.int32).reshape(len(sorts), len(victims))[numbers]
    destinations.flags.writeable = False
    return destinations


def _is_last(material: Material, piece: int) -> bool:
    return len(material.first if piece < len(material.first) else material.second) == 1


@cache
def _numbers(game: Game, material: Material) -> dict[Conversion, int]:
    return {conversion: number for number, conversion in enumerate(conversions(game, material), start=1)}
