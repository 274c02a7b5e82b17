"""The rows that charts are drawn from, and that `plot --csv` writes: from the catalog, or from all positions.

They match `tablebase stats`: they cover all slices that have been built, aliases included, and exclude stalemates. A row of counts
names the slices in its first column, and has the numbers of wins, losses, draws and positions in its last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablebase.catalog.catalog import Catalog
from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.mining.charts.charted_slices import PLURALS, ChartSlices
from tablebase.positions.material import Material, material_name
from tablebase.system.compute.messages import in_time, say

Row = Mapping[str, Any]
RATE = 4e6
"""Indices that a thread reads in a second, with a few features; measured with three and four pieces."""
WORTH_SAYING = 5.0
"""Seconds from which a chart says in advance how long it will take."""
DISTANCE = "distance"


@dataclass(frozen=True)
class Counting:
    """Counts of positions of the tables of a folder: by SQL, or from the catalog where there is no condition."""

    catalog: Catalog
    where: str | None = None
    workers: int = 2
    tick: Callable[[int, int], object] | None = None

    def answers(self, game: Any, statement: str) -> list[dict[str, Any]]:
        """The rows of a statement over the positions of a game of any kind; say in advance if it will take long."""
        # Loaded here, since some charts need only the catalog.
        from tablebase.mining.query import Query
        from tablebase.mining.results import names_and_rows
        from tablebase.positions.common_features import features_of

        with Query(game, self.catalog.folder, statement, features_of(game), self.workers, self.catalog.url) as query:
            seconds = query.cells / RATE / self.workers
            if seconds >= WORTH_SAYING:
                say(f"reading {query.cells:,} indices, which takes about {in_time(seconds)}")
            _, rows = names_and_rows(query.run(tick=lambda done: self.tick and self.tick(done, query.cells)))
            return list(rows)

    def condition(self, slices: ChartSlices) -> str:
        """The SQL condition on the positions of slices."""
        # A comment in the condition ends with its line.
        return slices.condition if self.where is None else f"{slices.condition} AND ({self.where}\n)"

    def count(self, slices: ChartSlices, keys: Sequence[str], table: str = "positions") -> list[dict[str, Any]]:
        """Count outcomes for each combination of values of some columns, in ascending order.

        `table` selects these columns and outcomes, with `{}` for the condition.
        """
        named = ", ".join(map(quoted_name, keys))
        source = f"{table} WHERE {{}}" if "{}" not in table else table
        statement = f"SELECT {named}, outcome, COUNT(*) AS number FROM {source} GROUP BY ALL ORDER BY ALL"
        found: dict[tuple[Any, ...], dict[Outcome, int]] = {}
        for row in self.answers(slices.game, statement.replace("{}", self.condition(slices))):
            *values, outcome, number = row.values()
            found.setdefault(tuple(values), {})[Outcome(outcome)] = number
        if not found:
            raise TablebaseError(f"no position of {slices.name} matches the condition: choose another condition with --where")
        return [counted(slices.name, dict(zip(keys, values, strict=True)), counts) for values, counts in found.items()]

    def distances(self, slices: ChartSlices) -> list[dict[str, Any]]:
        """Count outcomes by distance in plies; draws have none."""
        if self.where is not None or not slices.lines:
            return self.count(slices, [DISTANCE])
        histograms, found = self.catalog.histograms(slices.game), defaultdict[int | None, Counter[Outcome]](Counter)
        for line in slices.lines:
            for outcome, distance, stalemate, placements in histograms[str(line.material), str(line.side)]:
                if not stalemate:
                    found[distance][Outcome(outcome)] += placements
        ordered = sorted(found.items(), key=lambda one: (one[0] is None, one[0] or 0))
        return [counted(slices.name, {DISTANCE: distance}, counts) for distance, counts in ordered]

    def materials(self, slices: ChartSlices) -> list[dict[str, Any]]:
        """Count outcomes by material and side to move."""
        if self.where is not None:
            return self.count(slices, ["material", "side"])
        return [
            counted(
                slices.name,
                {"material": line.material, "side": line.side},
                {outcome: getattr(line, plural) for outcome, plural in PLURALS.items()},
            )
            for line in slices.lines
        ]

    def squares(self, slices: ChartSlices, piece: int) -> list[dict[str, Any]]:
        """Count outcomes for the side to move by the square of a piece, given by its number in the materials from 1.

        If its side has several pieces of this kind, a position counts once for each of them. Raise `TablebaseError` if there is
        no such piece, or if it is not the same in all materials.
        """
        squares = ", ".join(f"p{number}_square" for number in like_pieces(slices, piece))
        return self.count(slices, ["square"], f"(SELECT unnest([{squares}]) AS square, outcome FROM positions WHERE {{}})")

    def parity(self, slices: ChartSlices, column: str) -> list[dict[str, Any]]:
        """Count outcomes by a column of whole numbers, and whether these are even."""
        rows = [row for row in self.count(slices, [column]) if row[column] is not None]
        if other := next((row[column] for row in rows if type(row[column]) is not int), None):
            raise ArgumentError(f"{column} has the value {other}, which is not a whole number: choose another column with --by")
        return [{"slices": row["slices"], column: row[column], "even": row[column] % 2 == 0, **row} for row in rows]


def counted(name: str, keys: Mapping[str, Any], counts: Mapping[Outcome, int]) -> dict[str, Any]:
    """A row of counts."""
    numbers = {plural: counts.get(outcome, 0) for outcome, plural in PLURALS.items()}
    return {"slices": name, **keys, **numbers, "positions": sum(numbers.values())}


def totals(rows: Iterable[Row]) -> dict[Outcome, int]:
    """The sums of rows of counts, by outcome."""
    rows = list(rows)
    return {outcome: sum(row[plural] for row in rows) for outcome, plural in PLURALS.items()}


def survival(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """The decided positions that are still open after each number of plies, and their share, from rows by distance."""
    decided = [row for row in rows if row[DISTANCE] is not None]
    total = sum(row["positions"] for row in decided)
    still = total
    for plies, gone in {0: 0, **{row[DISTANCE]: row["positions"] for row in decided}}.items() if decided else ():
        still -= gone
        yield {"slices": decided[0]["slices"], "plies": plies, "open": still, "share": still / total}


def like_pieces(slices: ChartSlices, piece: int) -> list[int]:
    """Numbers of all pieces of the same kind as a piece, which must be the same in every material."""
    game = slices.game
    materials: dict[tuple[int, ...], Material] = {}
    for material in slices.materials:
        _check_piece(game, material, piece)
        kind = material.kinds[piece - 1]
        numbers = [number for number, other in enumerate(material.kinds, 1) if other == kind]
        materials.setdefault((kind, *numbers), material)
    if len(materials) > 1:
        first, second = [material_name(game, material) for material in materials.values()][:2]
        raise ArgumentError(f"piece {piece} differs between {first} and {second}: choose slices of one kind with --material")
    return list(next(iter(materials))[1:])


def _check_piece(game: Game, material: Material, piece: int) -> None:
    if not 1 <= piece <= material.pieces:
        raise ArgumentError(f"invalid --piece {piece} for {material_name(game, material)}: expected 1 to {material.pieces}")


def parity_pair(slices: ChartSlices, pieces: Sequence[int] = ()) -> tuple[int, int]:
    """The two pieces whose distance is shown: those requested, or by default the first and the last.

    Raise `TablebaseError` if the game has no such distances, or the slices lack these two pieces.
    """
    game = slices.game
    if not any(feature.name == DISTANCE and feature.pieces == 2 for feature in game.features):
        hint = f"add --by with a column of whole numbers; 'tablebase features {game.name}' lists some"
        raise ArgumentError(f"{game.name} has no feature {DISTANCE!r} of two pieces: {hint}")
    first, *rest = sorted(pieces or (1, slices.pieces))
    if len(rest) != 1 or first == rest[0]:
        raise ArgumentError("the distance needs two different pieces: give --piece twice, as in --piece 1 --piece 2")
    for material in slices.materials:
        for piece in (first, rest[0]):
            _check_piece(game, material, piece)
    return first, rest[0]


def quoted_name(column: str) -> str:
    """The name of a column in SQL."""
    return '"' + column.replace('"', '""') + '"'
