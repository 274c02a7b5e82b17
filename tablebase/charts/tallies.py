"""Counts that charts are drawn of: from the catalog, or from all positions.

They are those of `tablebase stats`: of all slices that are built, aliases included, stalemates left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.charts.selection import Choice, listed
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.mining.query import Query
from tablebase.mining.results import names_and_rows
from tablebase.slices.material import Material, material_name, parse_material

Key = TypeVar("Key", bound=Hashable)
Tally = dict[Key, Counter[Outcome]]
"""How many positions have each outcome, by what they have in common."""
Tick = Callable[[int, int], object]
"""Told how many indices have been looked at, and of how many."""
PARITY_FEATURES = ("distance", "even")


def count_distances(catalog: Catalog, choice: Choice) -> dict[Outcome, dict[int, int]]:
    """How many positions are won, and lost, at each distance; from the catalog alone.

    Returns
    -------
    dict of Outcome to dict of int to int
        Positions by distance in plies, for wins and for losses.
    """
    condition = f"game = '{choice.game.name}' AND {listed('pieces', {line.pieces for line in choice.lines})}"
    _, rows = catalog.sql(
        "SELECT material, side, outcome, distance, placements"
        f" FROM distances JOIN slices USING (solution_id) WHERE {condition} ORDER BY distance"
    )
    wanted = {(line.material, line.side) for line in choice.lines}
    found: dict[Outcome, dict[int, int]] = {Outcome.WIN: {}, Outcome.LOSS: {}}
    for material, side, outcome, distance, placements in rows:
        if (material, side) in wanted:
            by_distance = found[Outcome(outcome)]
            by_distance[distance] = by_distance.get(distance, 0) + placements
    return found


@dataclass(frozen=True)
class DrawMatrix:
    """Draws by material, for one number of pieces on each side.

    Parameters
    ----------
    rows, columns : tuple of str
        Letters of the first side's pieces, and of the second side's.
    draws, positions : ndarray of int64
        How many there are; no positions where nothing has been built.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    draws: NDArray[np.int64]
    positions: NDArray[np.int64]


def draw_matrices(choice: Choice) -> list[DrawMatrix]:
    """Draws by material, one matrix for each way to divide the pieces; tiers are added up."""
    groups: dict[tuple[int, int], list[tuple[Material, Counts]]] = {}
    for line in choice.lines:
        material = parse_material(choice.game, str(line.material))
        groups.setdefault((-len(material.first), len(material.second)), []).append((material, line))
    return [_matrix(choice.game, groups[split]) for split in sorted(groups)]


def _matrix(game: Game, lines: Sequence[tuple[Material, Counts]]) -> DrawMatrix:
    firsts = sorted({material.first for material, _ in lines})
    seconds = sorted({material.second for material, _ in lines})
    draws, positions = (np.zeros((len(firsts), len(seconds)), dtype=np.int64) for _ in range(2))
    for material, line in lines:
        place = firsts.index(material.first), seconds.index(material.second)
        draws[place] += line.draws
        positions[place] += line.positions
    rows, columns = (
        tuple("".join(game.kinds[kind].symbol.upper() for kind in kinds) for kinds in side) for side in (firsts, seconds)
    )
    return DrawMatrix(rows, columns, draws, positions)


def count_squares(choice: Choice, folder: Path, piece: int, threads: int = 2, tick: Tick | None = None) -> Tally[str]:
    """Count outcomes of the side to move by the square of a piece; all positions are looked at.

    Parameters
    ----------
    choice : Choice
    folder : Path
        The tables.
    piece : int
        Number of the piece in the materials, from 1. Where there are more of its kind on its side, a position counts
        once for each of them.
    threads : int
    tick : callable, optional

    Raises
    ------
    TablebaseError
        If there is no such piece, or another one in another material.
    """
    places = _places_of(choice, piece)
    squares = ", ".join(f"p{place}_square" for place in places)
    rows = _ask(
        choice,
        folder,
        "SELECT square, outcome, COUNT(*) AS positions"
        f" FROM (SELECT unnest([{squares}]) AS square, outcome FROM positions WHERE {choice.condition}) GROUP BY ALL",
        threads,
        tick,
    )
    found: Tally[str] = {}
    for row in rows:
        found.setdefault(row["square"], Counter())[Outcome(row["outcome"])] += row["positions"]
    return found


def _places_of(choice: Choice, piece: int) -> list[int]:
    """Numbers of all pieces that are of one kind with a piece, in every material."""
    found: dict[tuple[int, ...], Material] = {}
    for material in choice.materials:
        _check_piece(choice.game, material, piece)
        kind = material.kinds[piece - 1]
        alike = [number for number, other in enumerate(material.kinds, 1) if other == kind]
        found.setdefault((kind, *alike), material)
    if len(found) > 1:
        one, other = [material_name(choice.game, material) for material in found.values()][:2]
        raise TablebaseError(
            f"piece {piece} of {one} is not that of {other}: choose with --material slices in which it is the same"
        )
    return list(next(iter(found))[1:])


def _check_piece(game: Game, material: Material, piece: int) -> None:
    if not 1 <= piece <= material.pieces:
        raise TablebaseError(f"{material_name(game, material)} has the pieces 1 to {material.pieces}, no piece {piece}")


def parity_pair(choice: Choice, pieces: Sequence[int]) -> tuple[int, int]:
    """The two pieces whose distance is meant: those that were asked for, else the first and the last.

    Raises
    ------
    TablebaseError
        If the game has no such distances, or these are not two pieces that are there.
    """
    known = {one.name for one in choice.game.features}
    for name in PARITY_FEATURES:
        if name not in known:
            command = f"tablebase features {choice.game.name}"
            raise TablebaseError(
                f"{choice.game.name} has no feature {name!r}, which this chart shows: '{command}' lists what it has"
            )
    first, *rest = sorted(pieces or (1, choice.pieces))
    if len(rest) != 1 or first == rest[0]:
        raise TablebaseError("a distance is one of two pieces: give --piece twice, as in --piece 1 --piece 2")
    for material in choice.materials:
        for piece in (first, rest[0]):
            _check_piece(choice.game, material, piece)
    return first, rest[0]


def count_parity(
    choice: Choice, folder: Path, pair: tuple[int, int], threads: int = 2, tick: Tick | None = None
) -> Tally[tuple[int, bool]]:
    """Count outcomes of the side to move by the distance of two pieces, and whether it is even.

    Parameters
    ----------
    choice : Choice
    folder : Path
        The tables.
    pair : tuple of int
        Numbers of the pieces, as `parity_pair` gives them.
    threads : int
    tick : callable, optional
    """
    distance, even = (f"{name}_{pair[0]}_{pair[1]}" for name in PARITY_FEATURES)
    rows = _ask(
        choice,
        folder,
        f"SELECT {distance} AS distance, {even} AS even, outcome, COUNT(*) AS positions"
        f" FROM positions WHERE {choice.condition} GROUP BY ALL ORDER BY ALL",
        threads,
        tick,
    )
    found: Tally[tuple[int, bool]] = {}
    for row in rows:
        found.setdefault((row["distance"], row["even"]), Counter())[Outcome(row["outcome"])] += row["positions"]
    return found


def _ask(choice: Choice, folder: Path, statement: str, threads: int, tick: Tick | None) -> list[dict[str, Any]]:
    """The rows of a statement over positions."""
    with Query(choice.game, folder, statement, choice.game.features, threads) as question:
        _, rows = names_and_rows(question.run(tick=lambda done: tick and tick(done, question.cells)))
        return list(rows)
