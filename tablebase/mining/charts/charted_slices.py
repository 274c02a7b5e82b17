"""The slices that a chart is about, selected by name or number of pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.errors import ArgumentError, TablebaseError, game_word, quoted
from tablebase.game import Game, Outcome
from tablebase.positions.location import slices
from tablebase.positions.material import Material, material_name, parse_material, parse_materials, piece_counts
from tablebase.tables.missing import missing_game, missing_pieces, missing_table

PLURALS = {Outcome.WIN: "wins", Outcome.LOSS: "losses", Outcome.DRAW: "draws"}
WILDCARDS = "*?["
"""Characters that make a material's name a pattern."""


def caption(panels: Sequence[ChartSlices], positions: int, where: str | None = None) -> str:
    """Game, slices, number of positions, and the side whose outcomes are counted."""
    [first, *_] = panels
    names = " and ".join(", ".join(each.shown for each in panels).rsplit(", ", 1) if len(panels) > 1 else [first.shown])
    condition = "" if where is None else f" where {' '.join(where.split())}"
    mover = f" ({first.mover})" if first.lines else ""
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
    """The slices that a chart, or a panel of it, is about; a game without slices has no lines, and all its stored positions."""

    game: Any
    name: str  # what the slices are called in captions
    lines: tuple[Counts, ...] = ()  # one for each slice
    missing: int = 0  # how many other slices match but have not been built
    condition: str = "NOT final"  # the SQL condition that selects their rows in the table `positions`

    @property
    def materials(self) -> list[Material]:
        """Their materials, each once."""
        return [parse_material(self.game, name) for name in dict.fromkeys(str(line.material) for line in self.lines)]

    @property
    def pieces(self) -> int:
        """The number of pieces that all of them have; raise `TablebaseError` if the numbers differ."""
        counts = sorted({line.pieces for line in self.lines})
        if len(counts) > 1:
            raise ArgumentError(f"the slices have {counts[0]} to {counts[-1]} pieces: choose one number of pieces with --pieces")
        return counts[0]

    @property
    def mover(self) -> str:
        """The side to move."""
        letters = {str(line.side) for line in self.lines}
        return " or ".join(side.name for side in self.game.sides if side.letter in letters)

    @property
    def shown(self) -> str:
        """Their name, and how many of the slices are missing."""
        return f"{self.name} ({len(self.lines):,} of {len(self.lines) + self.missing:,} slices)" if self.missing else self.name

    def piece_name(self, piece: int) -> str:
        """The name of the piece with this number, from 1."""
        kinds = {material.kinds[piece - 1] for material in self.materials}
        if len(kinds) > 1:
            return f"piece {piece}"
        kind = self.game.kinds[kinds.pop()]
        owner = self.game.sides[kind.side].name
        # A side named after its pieces, such as Hounds, need not be named again.
        return f"the {kind.name}" if kind.name in owner.lower() else f"{owner}'s {kind.name}"


def select_slices(
    game: Game, catalog: Catalog, pieces: int | range | None = None, patterns: Sequence[str] = (), side: str | None = None
) -> ChartSlices:
    """Select slices that have been built: by number of pieces, by patterns of materials, and by the letter of the side to move.

    In a pattern ``?`` matches any piece and ``*`` any pieces. Raise `MissingTableError` if no slice has been built, or one that
    is named has not.
    """
    first, second = (each.letter for each in game.sides)
    if side not in (None, first, second):
        raise ArgumentError(f"invalid --side {quoted(side)}: expected {first!r} or {second!r}")
    lines = catalog.counts(game, "material")
    if not lines:
        raise missing_game(game, catalog.folder)
    wanted = None if pieces is None else piece_counts(game, pieces)
    built = {str(line.material) for line in lines}
    wild = [text for text in patterns if any(letter in WILDCARDS for letter in text)]
    exact = [name for text in patterns if text not in wild for name in _built_names(game, text, built, catalog.folder)]

    def matches(name: str, count: int) -> bool:
        by_name = not patterns or name in exact or any(fnmatchcase(name.partition("@")[0], text) for text in wild)
        return by_name and (wanted is None or count in wanted)

    of_either_side = [line for line in lines if matches(str(line.material), line.pieces)]
    if not of_either_side:
        raise _no_match(game, wanted, patterns, lines, catalog.folder)
    selected = tuple(line for line in of_either_side if side in (None, line.side))
    if not selected:
        raise ArgumentError(f"none of the chosen slices of {game.name} has {quoted(side)} to move: leave out --side")
    counts = sorted({line.pieces for line in selected})
    letters = {each.letter for each in game.sides} if side is None else {side}
    total = sum(
        game.sides[slice_.side].letter in letters and matches(material_name(game, slice_.material), slice_.material.pieces)
        for count in counts
        for slice_ in slices(game, count)
    )
    by_name = listed("material", {str(line.material) for line in selected})
    of_sides = listed("side", {str(line.side) for line in selected})
    condition = f"NOT stalemate AND {by_name if patterns else listed('pieces', counts)} AND {of_sides}"
    return ChartSlices(game, _name(patterns, counts), selected, total - len(selected), condition)


def _built_names(game: Game, text: str, built: set[str], folder: Path) -> list[str]:
    """Names of the slices that a material without wildcards stands for, all of which must have been built."""
    names = {material_name(game, material): material for material in parse_materials(game, text)}
    for name, material in names.items():
        if name not in built:
            raise missing_table(game, material, folder)
    return list(names)


def _no_match(game: Game, pieces: range | None, patterns: Sequence[str], lines: Iterable[Counts], folder: Path) -> TablebaseError:
    if pieces is not None:
        missing = [count for count in pieces if all(line.pieces != count for line in lines)]
        if missing:
            return missing_pieces(game, missing[0], folder)
    numbers = [] if pieces is None else sorted({pieces[0], pieces[-1]})
    wanted = " or ".join(patterns) + (f" with {' to '.join(map(str, numbers))} pieces" if numbers else "")
    sentence = f"no slice of {game.name} built in {folder} matches {wanted}"
    return TablebaseError(f"{sentence}: 'tablebase stats {game_word(game.name)} --by material' lists the slices")


def listed(column: str, values: Iterable[object]) -> str:
    """The SQL condition that a column has one of these values."""
    return f"{column} IN ({', '.join(sorted(repr(value) for value in values))})"


def _name(patterns: Sequence[str], counts: Sequence[int]) -> str:
    if patterns:
        return ", ".join(patterns[:3]) + (f" and {len(patterns) - 3} more" if len(patterns) > 3 else "")
    return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} pieces"
