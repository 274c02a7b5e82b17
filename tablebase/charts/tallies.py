"""The counts that charts are drawn from: from the catalog, or from all positions.

They match `tablebase stats`: they cover all slices that have been built, aliases included, and exclude stalemates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.charts.charted_slices import ChartSlices
from tablebase.errors import ArgumentError
from tablebase.game import Game, Outcome
from tablebase.slices.material import Material, material_name, parse_material

Key = TypeVar("Key", bound=Hashable)
Tally = dict[Key, Counter[Outcome]]
"""Number of positions by outcome, for each value of a property."""
PARITY_FEATURES = ("distance", "even")


def count_distances(catalog: Catalog, chart_slices: ChartSlices) -> dict[Outcome, dict[int, int]]:
    """Positions by distance in plies, for wins and for losses, from the catalog alone."""
    histograms = catalog.histograms(chart_slices.game)
    counts: dict[Outcome, Counter[int]] = {Outcome.WIN: Counter(), Outcome.LOSS: Counter()}
    for line in chart_slices.lines:
        for outcome, distance, _, placements in histograms[str(line.material), str(line.side)]:
            if distance is not None:
                counts[Outcome(outcome)][distance] += placements
    return {outcome: dict(sorted(its.items())) for outcome, its in counts.items()}


@dataclass(frozen=True)
class DrawMatrix:
    """Draws by material, for a fixed number of pieces on each side."""

    rows: tuple[str, ...]  # letters of the first side's pieces
    columns: tuple[str, ...]  # those of the second side's
    draws: NDArray[np.int64]  # shape (rows, columns); 0 positions where nothing has been built
    positions: NDArray[np.int64]  # likewise


def draw_matrices(chart_slices: ChartSlices) -> list[DrawMatrix]:
    """Draws by material, one matrix for each division of the pieces between the sides; tiers are added up."""
    groups: dict[tuple[int, int], list[tuple[Material, Counts]]] = {}
    for line in chart_slices.lines:
        material = parse_material(chart_slices.game, str(line.material))
        groups.setdefault((-len(material.first), len(material.second)), []).append((material, line))
    return [_matrix(chart_slices.game, groups[split]) for split in sorted(groups)]


def _matrix(game: Game, lines: Sequence[tuple[Material, Counts]]) -> DrawMatrix:
    firsts = sorted({material.first for material, _ in lines})
    seconds = sorted({material.second for material, _ in lines})
    draws, positions = (np.zeros((len(firsts), len(seconds)), dtype=np.int64) for _ in range(2))
    for material, line in lines:
        cell = firsts.index(material.first), seconds.index(material.second)
        draws[cell] += line.draws
        positions[cell] += line.positions
    rows, columns = (
        tuple("".join(game.kinds[kind].symbol.upper() for kind in kinds) for kinds in side) for side in (firsts, seconds)
    )
    return DrawMatrix(rows, columns, draws, positions)


def count_squares(catalog: Catalog, chart_slices: ChartSlices, piece: int, **counting: Any) -> Tally[str]:
    """Count outcomes for the side to move by the square of a piece, given by its number in the materials from 1.

    If its side has several pieces of this kind, a position counts once for each of them. Raise `TablebaseError` if there is
    no such piece, or if it is not the same in all materials.
    """
    squares = ", ".join(f"p{number}_square" for number in _like_pieces(chart_slices, piece))
    rows = f"SELECT unnest([{squares}]) AS square, outcome FROM positions WHERE {chart_slices.condition}"
    statement = f"SELECT square, outcome, COUNT(*) FROM ({rows}) GROUP BY ALL"
    return {square: counts for (square,), counts in _tally(catalog, chart_slices.game, statement, **counting).items()}


def _like_pieces(chart_slices: ChartSlices, piece: int) -> list[int]:
    """Numbers of all pieces of the same kind as a piece, which must be the same in every material."""
    game = chart_slices.game
    materials: dict[tuple[int, ...], Material] = {}
    for material in chart_slices.materials:
        _check_piece(game, material, piece)
        kind = material.kinds[piece - 1]
        numbers = [number for number, other in enumerate(material.kinds, 1) if other == kind]
        materials.setdefault((kind, *numbers), material)
    if len(materials) > 1:
        first, second = [material_name(game, material) for material in materials.values()][:2]
        raise ArgumentError(f"piece {piece} is not the same in {first} and {second}: choose with --material slices in which it is")
    return list(next(iter(materials))[1:])


def _check_piece(game: Game, material: Material, piece: int) -> None:
    if not 1 <= piece <= material.pieces:
        raise ArgumentError(f"{material_name(game, material)} has pieces 1 to {material.pieces}, but no piece {piece}")


def parity_pair(chart_slices: ChartSlices, pieces: Sequence[int]) -> tuple[int, int]:
    """The two pieces whose distance is shown: those requested, or by default the first and the last.

    Raise `TablebaseError` if the game has no such distances, or the slices lack these two pieces.
    """
    game = chart_slices.game
    names = {feature.name for feature in game.features}
    for name in PARITY_FEATURES:
        if name not in names:
            command = f"tablebase features {game.name}"
            raise ArgumentError(f"{game.name} has no feature {name!r}, which this chart needs: '{command}' lists its features")
    first, *rest = sorted(pieces or (1, chart_slices.pieces))
    if len(rest) != 1 or first == rest[0]:
        raise ArgumentError("a distance needs two different pieces: give --piece twice, as in --piece 1 --piece 2")
    for material in chart_slices.materials:
        for piece in (first, rest[0]):
            _check_piece(game, material, piece)
    return first, rest[0]


def count_parity(catalog: Catalog, chart_slices: ChartSlices, pair: tuple[int, int], **counting: Any) -> Tally[tuple[int, bool]]:
    """Count outcomes for the side to move by the distance between two pieces of `parity_pair`, and whether it is even."""
    distance, even = (f"{name}_{pair[0]}_{pair[1]}" for name in PARITY_FEATURES)
    rows = f"FROM positions WHERE {chart_slices.condition}"
    statement = f"SELECT {distance}, {even}, outcome, COUNT(*) {rows} GROUP BY ALL ORDER BY ALL"
    return _tally(catalog, chart_slices.game, statement, **counting)


def _tally(catalog: Catalog, game: Any, statement: str, **counting: Any) -> Tally[Any]:
    """The rows of a statement over positions by all columns but the last two, which are an outcome and a number of positions."""
    tally: Tally[tuple[Any, ...]] = {}
    for *key, outcome, positions in answered(catalog, game, statement, **counting):
        tally.setdefault(tuple(key), Counter())[Outcome(outcome)] += positions
    return tally


def answered(
    catalog: Catalog, game: Any, statement: str, workers: int = 2, tick: Callable[[int, int], object] | None = None
) -> list[tuple[Any, ...]]:
    """The rows of a statement over the positions of a game of any kind.

    It is run by this number of `workers`; `tick` is called with the number of indices decoded so far, and with their total.
    """
    # Loaded here, since half of the charts need only the catalog.
    from tablebase.features.common import features_of
    from tablebase.mining.query import Query

    with Query(game, catalog.folder, statement, features_of(game), workers, catalog.url) as query:
        batches = list(query.run(tick=lambda done: tick and tick(done, query.cells)))
    return [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


def count_values(catalog: Catalog, game: Any, column: str, condition: str, **counting: Any) -> Tally[Any]:
    """Count outcomes for the side to move by the value of a column, in ascending order, of positions that fulfil a condition."""
    statement = f"SELECT {quoted_name(column)}, outcome, COUNT(*) FROM positions WHERE {condition} GROUP BY ALL ORDER BY ALL"
    return {value: counts for (value,), counts in _tally(catalog, game, statement, **counting).items()}


def quoted_name(column: str) -> str:
    """The name of a column in SQL."""
    return '"' + column.replace('"', '""') + '"'
