"""Slices by the naive twin, codes that are compared with them, and children whose voids hold anything."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from twins import naive

from support.solved import Tables
from tablebase.game import Game, Outcome
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material, materials, parse_materials
from tablebase.tables.values import NARROW, STALEMATE, Codes, Coding, Value

FOUR_PIECES = {"hunt-tiered": "HHvFC", "twins-tiered": "PKvPP", "ladder": "CCvWX"}

Load = Callable[[Material, int], tuple[Codes, Coding]]


@cache
def naive_codes(game: Game, material: Material, side: int, coding: Coding = NARROW) -> Codes:
    """What the table of a material should hold for one side to move; not to be changed."""
    home, values = layout_of(game, material), naive.solve(game, material.kinds)
    codes = np.full(home.size, coding.void, dtype=coding.dtype)
    for index in range(home.size):
        position = home.position(index, side)
        if position is not None:
            outcome, distance = values[position]
            stuck = game.no_move is Outcome.DRAW and not naive.moves(game, position)
            codes[index] = STALEMATE if stuck else coding.code(Value(Outcome(outcome), distance))
    return codes


def small_materials(game: Game) -> list[Material]:
    larger = parse_materials(game, FOUR_PIECES[game.name]) if game.name in FOUR_PIECES else ()
    return [*materials(game, 2), *materials(game, 3), *larger]


@cache
def by_tier(game: Game, kinds: naive.Kinds) -> dict[tuple[int, ...], list[tuple[tuple[int, int], ...]]]:
    found: dict[tuple[int, ...], list[tuple[tuple[int, int], ...]]] = {}
    for pieces in naive.placements(game, kinds):
        found.setdefault(naive.tier(game, pieces), []).append(pieces)
    return found


def placements_of(game: Game, material: Material) -> list[tuple[tuple[int, int], ...]]:
    return by_tier(game, material.kinds).get(material.advance, [])


def noisy(load: Load) -> Load:
    """The same codes with any code at all where there is no position, as files hold a neighbour's there."""
    rng = np.random.default_rng(0)

    def load_noisy(material: Material, side: int) -> tuple[Codes, Coding]:
        codes, coding = load(material, side)
        noise = rng.integers(0, coding.void, len(codes)).astype(codes.dtype)
        return np.where(codes == coding.void, noise, codes), coding

    return load_noisy


def same(first: Sequence[Any], second: Sequence[Any]) -> bool:
    pairs = [(np.asarray(one), np.asarray(other)) for one, other in zip(first, second, strict=True)]
    return all(one.dtype == other.dtype and np.array_equal(one, other) for one, other in pairs)


def agree(first: Tables, second: Tables, material: Material) -> bool:
    (codes, coding), (other_codes, other_coding) = first.table(material), second.table(material)
    return coding == other_coding and same(codes, other_codes)
