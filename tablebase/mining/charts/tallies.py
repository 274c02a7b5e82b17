"""The slices that a chart is about, and the rows that it is drawn from, and that `plot --csv` writes.

Rows match `tablebase stats`: they cover all slices that have been built, aliases included, and exclude stalemates. A row of counts
names the slices in its first column, and has the numbers of wins, losses, draws and positions in its last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tablebase.catalog.catalog import Catalog
from tablebase.errors import ArgumentError, TablebaseError, game_word, quoted
from tablebase.game import Game, Outcome
from tablebase.positions.location import StoredSlice, slices
from tablebase.positions.material import Material, material_name, parse_materials, piece_counts
from tablebase.system.compute.messages import in_time, say
from tablebase.tables.missing import missing_game, missing_pieces, missing_table

PLURALS = {Outcome.WIN: "wins", Outcome.LOSS: "losses", Outcome.DRAW: "draws"}
WILDCARDS = "*?["
"""Characters that make a material's name a pattern."""
Row = Mapping[str, Any]
RATE = 4e6
"""Indices that a thread reads in a second, with a few features; measured with three and four pieces."""
WORTH_SAYING = 5.0
"""Seconds from which a chart says in advance how long it will take."""
DISTANCE = "distance"
IN_CATALOG = {"material", "side", DISTANCE}
"""Columns by which the catalog has counts."""


def caption(panels: Sequence[ChartSlices], positions: int, where: str | None = None) -> str:
    """Game, slices, number of positions, and the side whose outcomes are counted."""
    [first, *_] = panels
    names = " and ".join(", ".join(each.shown for each in panels).rsplit(", ", 1) if len(panels) > 1 else [first.shown])
    condition = "" if where is None else f" where {' '.join(where.split())}"
    mover = f" ({first.mover})" if first.slices else ""
    return f"{title_of(first.game)}, {names}: {positions:,} positions{condition}, outcomes of the side to move{mover}"


def title_of(game: Any, *, sized: bool = False) -> str:
    """The title of a game with its variant, or with the size of its board."""
    variant = game.name.partition("-")[2]
    board = getattr(game, "board", None)
    if sized and not variant and board is not None:
        variant = f"{board.width}x{board.height}"
    return f"{game.title} {variant}" if variant else str(game.title)


@dataclass(frozen=True)
class ChartSlices:
    """The slices that a chart, or a panel of it, is about; for a game without slices there are none, but all stored positions."""

    game: Any
    name: str  # what the slices are called in captions
    slices: tuple[StoredSlice, ...] = ()
    missing: int = 0  # how many other slices match but have not been built
    condition: str = "NOT final"  # the SQL condition that selects their rows in the table `positions`

    @property
    def materials(self) -> list[Material]:
        """Their materials, each once."""
        return list(dict.fromkeys(slice_.material for slice_ in self.slices))

    @property
    def pieces(self) -> int:
        """The number of pieces that all of them have; raise `TablebaseError` if the numbers differ."""
        counts = sorted({material.pieces for material in self.materials})
        if len(counts) > 1:
            raise ArgumentError(f"the slices have {counts[0]} to {counts[-1]} pieces: set one number, as in --pieces {counts[0]}")
        return counts[0]

    @property
    def mover(self) -> str:
        """The side to move."""
        return " or ".join(self.game.sides[side].name for side in sorted({slice_.side for slice_ in self.slices}))

    @property
    def shown(self) -> str:
        """Their name, and how many of the slices are missing."""
        return f"{self.name} ({len(self.slices):,} of {len(self.slices) + self.missing:,} slices)" if self.missing else self.name

    def piece_name(self, piece: int) -> str:
        """The name of the piece with this number, from 1."""
        kinds = {material.kinds[piece - 1] for material in self.materials}
        if len(kinds) > 1:
            return f"piece {piece}"
        kind = self.game.kinds[kinds.pop()]
        owner = self.game.sides[kind.side].name
        # A side named after its pieces, such as Hounds, need not be named again.
        return f"the {kind.name}" if kind.name in owner.lower() else f"{owner}'s {kind.name}"

    def like_pieces(self, piece: int) -> list[int]:
        """Numbers of all pieces of the same kind as a piece, which must be the same in every material."""
        found: dict[tuple[int, ...], str] = {}
        for name, material in sorted((material_name(self.game, each), each) for each in self.materials):
            self._check_piece(material, piece)
            kind = material.kinds[piece - 1]
            numbers = [number for number, other in enumerate(material.kinds, 1) if other == kind]
            found.setdefault((kind, *numbers), name)
        if len(found) > 1:
            first, second = list(found.values())[:2]
            raise ArgumentError(f"piece {piece} differs between {first} and {second}: choose one material with --material")
        return list(next(iter(found))[1:])

    def parity_pair(self, pieces: Sequence[int] = ()) -> tuple[int, int]:
        """The two pieces whose distance is shown: those requested, or by default the first and the last.

        Raise `TablebaseError` if the game has no such distances, or the slices lack these two pieces.
        """
        if not any(feature.name == DISTANCE and feature.pieces == 2 for feature in self.game.features):
            hint = f"choose an integer column with --by (see 'tablebase features {self.game.name}')"
            raise ArgumentError(f"{self.game.name} has no feature {DISTANCE!r} for pairs of pieces: {hint}")
        first, *rest = sorted(pieces or (1, self.pieces))
        if len(rest) != 1 or first == rest[0]:
            raise ArgumentError("the chart 'parity' needs two different pieces: give --piece twice, as in --piece 1 --piece 2")
        for material in self.materials:
            for piece in (first, rest[0]):
                self._check_piece(material, piece)
        return first, rest[0]

    def _check_piece(self, material: Material, piece: int) -> None:
        if not 1 <= piece <= material.pieces:
            name = material_name(self.game, material)
            raise ArgumentError(f"invalid --piece {piece} for {name}: expected 1 to {material.pieces}")


def select_slices(
    game: Game, catalog: Catalog, pieces: int | range | None = None, patterns: Sequence[str] = (), side: str | None = None
) -> ChartSlices:
    """Select slices that have been built: by number of pieces, by patterns of materials, and by the letter of the side to move.

    In a pattern ``?`` matches any piece and ``*`` any pieces. Raise `MissingTableError` if no slice has been built, or one that
    is named has not.
    """
    letters = [each.letter for each in game.sides]
    if side not in (None, *letters):
        raise ArgumentError(f"invalid side to move {quoted(side)}: expected {letters[0]!r} or {letters[1]!r}")
    lines = catalog.counts(game, "material")
    if not lines:
        raise missing_game(game, catalog.folder)
    built, counts = {(line.material, line.side) for line in lines}, sorted({line.pieces for line in lines})
    named = {each: (material_name(game, each.material), letters[each.side]) for count in counts for each in slices(game, count)}
    wanted = None if pieces is None else piece_counts(game, pieces)
    wild = [text for text in patterns if any(letter in WILDCARDS for letter in text)]
    exact = [material for text in patterns if text not in wild for material in parse_materials(game, text)]
    for material in exact:
        if all(name != material_name(game, material) for name, _ in built):
            raise missing_table(game, material, catalog.folder)

    def matches(slice_: StoredSlice) -> bool:
        name = named[slice_][0].partition("@")[0]
        by_name = not patterns or slice_.material in exact or any(fnmatchcase(name, text) for text in wild)
        return by_name and (wanted is None or slice_.material.pieces in wanted)

    matching = [slice_ for slice_ in named if matches(slice_)]
    of_either_side = [slice_ for slice_ in matching if named[slice_] in built]
    if not of_either_side:
        if absent := [count for count in wanted or () if count not in counts]:
            raise missing_pieces(game, absent[0], catalog.folder)
        numbers = [] if wanted is None else sorted({wanted[0], wanted[-1]})
        said = " or ".join(patterns) + (f" with {' to '.join(map(str, numbers))} pieces" if numbers else "")
        sentence = f"no slice of {game.name} built in {catalog.folder} matches {said}"
        raise TablebaseError(f"{sentence}: run 'tablebase stats {game_word(game.name)} --by material' to list the slices")
    selected = tuple(slice_ for slice_ in of_either_side if side in (None, letters[slice_.side]))
    if not selected:
        raise ArgumentError(f"none of the chosen slices of {game.name} has {quoted(side)} to move: leave out --side")
    counts = sorted({slice_.material.pieces for slice_ in selected})
    every = [each for each in matching if side in (None, letters[each.side]) and each.material.pieces in counts]
    names, sides = {named[each][0] for each in selected}, {letters[each.side] for each in selected}
    by_name = listed("material", names) if patterns else listed("pieces", counts)
    condition = f"NOT stalemate AND {by_name} AND {listed('side', sides)}"
    name = ", ".join(patterns[:3]) + (f" and {len(patterns) - 3} more" if len(patterns) > 3 else "")
    name = name or f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} pieces"
    return ChartSlices(game, name, selected, len(every) - len(selected), condition)


def listed(column: str, values: Iterable[object]) -> str:
    """The SQL condition that a column has one of these values."""
    return f"{column} IN ({', '.join(sorted(repr(value) for value in values))})"


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

    def count(self, slices: ChartSlices, keys: Sequence[str], table: str = "positions") -> list[dict[str, Any]]:
        """Count outcomes for each combination of values of some columns, in ascending order; draws have no distance.

        `table` selects these columns and outcomes, with `{}` for the condition. Without one, the catalog may know the counts.
        """
        found = defaultdict[tuple[Any, ...], Counter[Outcome]](Counter)
        if self.where is None and slices.slices and IN_CATALOG.issuperset(keys):
            histograms = self.catalog.histograms(slices.game)
            for slice_ in slices.slices:
                name, letter = material_name(slices.game, slice_.material), slices.game.sides[slice_.side].letter
                for outcome, distance, stalemate, number in histograms[name, letter]:
                    if not stalemate:
                        known = {"material": name, "side": letter, DISTANCE: distance}
                        found[tuple(known[key] for key in keys)][Outcome(outcome)] += number
        else:
            named, source = ", ".join(map(quoted_name, keys)), table if "{}" in table else f"{table} WHERE {{}}"
            statement = f"SELECT {named}, outcome, COUNT(*) AS number FROM {source} GROUP BY ALL"
            # A comment in the condition ends with its line.
            condition = slices.condition if self.where is None else f"{slices.condition} AND ({self.where}\n)"
            for row in self.answers(slices.game, statement.replace("{}", condition)):
                *values, outcome, number = row.values()
                found[tuple(values)][Outcome(outcome)] = number
        if not found:
            raise TablebaseError(f"no position of {slices.name} matches the condition: choose another condition with --where")
        ordered = sorted(found, key=lambda values: [(value is None, value) for value in values])
        return [counted(slices.name, dict(zip(keys, values, strict=True)), found[values]) for values in ordered]

    def means(self, column: str) -> str:
        """The statement that finds mean chances to win by the values of a column, in a game with chance."""
        where, named = "" if self.where is None else f" WHERE ({self.where}\n)", quoted_name(column)
        return f"SELECT {named}, avg(lower) AS at_least, avg(upper) AS at_most FROM positions{where} GROUP BY 1 ORDER BY 1"

    def squares(self, slices: ChartSlices, piece: int) -> list[dict[str, Any]]:
        """Count outcomes for the side to move by the square of a piece, given by its number in the materials from 1.

        If its side has several pieces of this kind, a position counts once for each of them. Raise `TablebaseError` if there is
        no such piece, or if it is not the same in all materials.
        """
        squares = ", ".join(f"p{number}_square" for number in slices.like_pieces(piece))
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


def quoted_name(column: str) -> str:
    """The name of a column in SQL."""
    return '"' + column.replace('"', '""') + '"'
