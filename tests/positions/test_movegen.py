"""All moves of many positions at once, in NumPy and in kernels, against the naive twin one position at a time."""

from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, thinned
from support.program import random_position
from twins import naive

from tablebase.game import Game, Step, load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import render
from tablebase.positions.conversions import ENDS, STAYS, slot_conversions
from tablebase.positions.indexing import Layout, Squares, layout_of
from tablebase.positions.location import dependencies, dependents, locate, stored_materials
from tablebase.positions.material import Material, material_of, parse_material
from tablebase.positions.move_lists import MoveLister
from tablebase.positions.movegen import MoveGenerator

GAMES = [
    toys.pond(),
    toys.hunt(),
    toys.twins(),
    toys.sisters(),
    toys.shelter("gate"),
    toys.skaters(4, 4),
    toys.corners(4, 3),
    toys.odometer(4, 5, porch=True),
    toys.tiered(toys.hunt(), "H"),
    *(toys.ladder(away) for away in ("", "b", "w", "wb")),
    *(toys.herd(sort) for sort in ("open", "reach", "white", "black")),
    toys.marathon(30, 2),
    *map(load_game, ("doushouqi", "foxhounds-4x4", "foxhounds", "foxhounds-12x12", "hasenspiel", "hasenspiel-6x6-early=article")),
    *map(load_game, ("hexapawn", "hexapawn-4x4")),
]
SAMPLE = 40
"""Positions of a table looked at, with either side to move."""
MATERIALS = 12
"""Tables of a game looked at."""
games = pytest.mark.parametrize("game", thinned(GAMES, 3), ids=lambda game: game.name)


@cache
def sample(game: Game) -> dict[Material, list[Position]]:
    """Random positions of some tables of up to four pieces, or of all pieces of a game with few kinds."""
    random, found = Random(game.name), dict[Material, list[Position]]()
    most = 3 if game.name == "doushouqi" else min(4, game.max_pieces)
    pool = sorted({table.kinds for pieces in range(2, most + 1) for table in stored_materials(game, pieces)})
    if game.name == "foxhounds":
        pool.append(parse_material(game, "FvHHHH@0").kinds)
    for kinds in random.sample(pool, min(len(pool), MATERIALS)):
        whole = Material(tuple(k for k in kinds if game.side_of(k) == 0), tuple(k for k in kinds if game.side_of(k) == 1))
        for _ in range(SAMPLE):
            position = random_position(game, whole, 0, random)
            found.setdefault(material_of(game, position), []).append(position)
    return found


def squares_of(own: Layout, positions: list[Position]) -> Squares:
    """Positions as rows of squares, by slot."""
    return np.array([[position.pieces[piece][1] for piece in own.slots] for position in positions], dtype=np.int8)


def way_of(game: Game, position: Position, after: Position, wins: bool) -> int:
    """Where a naive move leads, told as exits are."""
    if wins or len({game.side_of(kind) for kind, _ in after.pieces}) < 2:
        return ENDS
    material, there = material_of(game, position), material_of(game, after)
    if material == there:
        return STAYS
    gone = (
        set(position.pieces) - set(after.pieces) - {piece for piece in position.pieces if game.side_of(piece[0]) == position.side}
    )
    victim = next((position.pieces.index(piece) for piece in gone), None)
    own = layout_of(game, material)
    slot = None if victim is None else own.slots.index(victim)
    (number,) = (n for n, way in enumerate(slot_conversions(game, material), 1) if way[:3] == (slot, there, after.side))
    return number


@games
def test_moves_are_the_naive_ones(game: Game) -> None:
    """Each move of each position once: the squares afterwards, where it leads, and which piece it takes."""
    for material, positions in at_least_one(sample(game).items()):
        own = layout_of(game, material)
        kinds = [material.kinds[piece] for piece in own.slots]
        squares = squares_of(own, positions)
        for side in (0, 1):
            found: list[list[object]] = [[] for _ in positions]
            for rows, way, landed, victim in MoveGenerator(own, side).moves(squares):
                assert len(rows) == len(landed) == len(set(rows.tolist()))
                for row, there in zip(rows.tolist(), landed.tolist(), strict=True):
                    stay = sorted((kind, s) for slot, (kind, s) in enumerate(zip(kinds, there, strict=True)) if slot != victim)
                    found[row].append((tuple(stay), way, None if victim is None else kinds[victim]))
            for position, some in zip(positions, found, strict=True):
                position = Position(position.pieces, side)
                expected = []
                for move in naive.moves(game, position):
                    after = naive.after(position, move)
                    expected.append((after.pieces, way_of(game, position, after, move.wins), move.captured))
                assert Counter(some) == Counter(expected), render(game, position)


def test_a_step_on_the_spot_is_no_move() -> None:
    """A piece is in its own way: nothing comes of a step to the square where it stands, for one position or for many."""
    game = toys.sisters()
    idle = [replace(kind, steps=(*kind.steps, *(Step(square, square) for square in kind.squares))) for kind in game.kinds]
    game = replace(game, name="sisters-idle", kinds=tuple(idle))
    own = layout_of(game, parse_material(game, "AvC"))
    start = Position(((0, 0), (2, 5)), 0)
    assert {move.target for move in legal_moves(game, start)} == {1, 3}
    batches = MoveGenerator(own, 0).moves(squares_of(own, [start]))
    slot = own.slots.index(0)
    assert sorted(square for batch in batches for square in batch.squares[:, slot].tolist()) == [1, 3]


def test_no_positions_have_no_moves() -> None:
    """An empty array yields batches of no moves, and no escapes."""
    game = toys.ladder("b")
    own = layout_of(game, parse_material(game, "CCvW@2"))
    nothing = np.zeros((0, 3), dtype=np.int8)
    assert sum(len(batch.rows) for batch in MoveGenerator(own, 0).moves(nothing)) == 0
    assert MoveGenerator(own, 1).escaped(nothing).shape == (0,)


def stored_index(game: Game, position: Position) -> int:
    """The index of a position in the table that stands for its material."""
    way = locate(game, material_of(game, position), position.side)
    squares = [position.pieces[piece][1] for piece in way.pairing]
    if way.swapped:
        assert game.swap is not None
        squares = [game.swap[square] for square in squares]
    home = layout_of(game, way.material)
    return home.index([squares[piece] for piece in home.slots])


@games
def test_kernels_list_the_naive_moves(game: Game) -> None:
    """Each move once: where it leads, and the index of the position there in its table; none where a piece has escaped."""
    for material, positions in at_least_one(sample(game).items()):
        if locate(game, material, 0).material != material:
            continue
        own = layout_of(game, material)
        squares = squares_of(own, positions)
        for side in (0, 1):
            lister = MoveLister(game, material, side)
            begin, _, _, destinations, numbers = lister.list(squares)
            listed = list(zip(destinations.tolist(), numbers.tolist(), strict=True))
            for place, position in enumerate(positions):
                shown = position._replace(side=side)
                found = listed[begin[place] : begin[place + 1]]
                assert len(found) <= lister.most
                assert Counter(found) == Counter(expected_moves(game, shown)), render(game, shown)


def expected_moves(game: Game, position: Position) -> list[tuple[int, int]]:
    """Where naive moves lead, and the index there; a move by either of two steps is one."""
    if naive.escaped(game, position):
        return []
    afters = {(naive.after(position, move), move.wins) for move in naive.moves(game, position)}
    ways = [(way_of(game, position, after, wins), after) for after, wins in afters]
    return [(way, 0 if way == ENDS else stored_index(game, after)) for way, after in ways]


def test_the_samples_meet_what_they_are_about() -> None:
    """Among the positions looked at there are captures, wins, blocked steps, ways into other tiers, escapes and none."""
    seen = Counter[str]()
    for game in GAMES:
        for material, positions in sample(game).items():
            for position in positions:
                moves = naive.moves(game, position)
                seen["capture"] += any(move.captured is not None for move in moves)
                seen["win"] += any(move.wins for move in moves)
                seen["stuck"] += not moves
                seen["escape"] += naive.escaped(game, position)
                seen["tier"] += bool(material.advance) and any(
                    material_of(game, naive.after(position, move)).advance != material.advance for move in moves
                )
    assert min(seen[what] for what in ("capture", "win", "stuck", "escape", "tier")) > 50


LEADING = [("doushouqi", 2), ("hexapawn", 5), ("foxhounds-4x4", 3), ("hasenspiel", 4)]


@pytest.mark.parametrize(("name", "most"), LEADING)
def test_dependents(name: str, most: int) -> None:
    """They are the stored materials that depend on it, fewest pieces first and then in the order of materials."""
    game = load_game(name)
    for pieces in range(2, most + 1):
        counts = [count for count in (pieces, pieces + 1) if count <= game.max_pieces]
        listed = [one for count in counts for one in stored_materials(game, count)]
        for stored in stored_materials(game, pieces):
            needing = tuple(one for one in listed if stored in dependencies(game, one) and one != stored)
            assert dependents(game, stored) == needing
