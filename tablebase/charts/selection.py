"""The slices that a chart is about, chosen by name or number of pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.slices.location import slices
from tablebase.slices.material import Material, check_piece_count, material_name, parse_material, parse_materials
from tablebase.tables.missing import missing_game, missing_pieces, missing_table

WILD = "*?["
"""What makes a pattern of a material's name."""


@dataclass(frozen=True)
class Choice:
    """The slices that a chart is about.

    Parameters
    ----------
    game : Game
    name : str
        What they are called.
    lines : tuple of Counts
        One for each slice.
    missing : int
        How many more slices go by that name but have not been built.
    condition : str
        What is true of their rows in the table `positions`.
    """

    game: Game
    name: str
    lines: tuple[Counts, ...]
    missing: int
    condition: str

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return sum(line.positions for line in self.lines)

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many of them are a win, a loss, a draw for the side to move."""
        return Counter(
            {
                Outcome.WIN: sum(line.wins for line in self.lines),
                Outcome.LOSS: sum(line.losses for line in self.lines),
                Outcome.DRAW: sum(line.draws for line in self.lines),
            }
        )

    @property
    def materials(self) -> list[Material]:
        """Their materials, each once."""
        return [parse_material(self.game, name) for name in dict.fromkeys(str(line.material) for line in self.lines)]

    @property
    def pieces(self) -> int:
        """How many pieces each of them has.

        Raises
        ------
        TablebaseError
            If that differs.
        """
        found = sorted({line.pieces for line in self.lines})
        if len(found) > 1:
            raise TablebaseError(f"these slices have {found[0]} to {found[-1]} pieces: choose one number with --pieces")
        return found[0]

    @property
    def mover(self) -> str:
        """Who is to move."""
        names = [side.name for side in self.game.sides if any(line.side == side.letter for line in self.lines)]
        return " or ".join(names)

    @property
    def caption(self) -> str:
        """Game, slices, number of positions, and whose outcomes are counted."""
        variant = self.game.name.partition("-")[2]
        title = f"{self.game.title} {variant}" if variant else self.game.title
        part = f" ({len(self.lines):,} of {len(self.lines) + self.missing:,} slices)" if self.missing else ""
        return f"{title}, {self.name}{part}: {self.positions:,} positions, outcomes of the side to move ({self.mover})"

    def piece_name(self, piece: int) -> str:
        """What the piece of that number, from 1, is called."""
        kinds = {material.kinds[piece - 1] for material in self.materials}
        if len(kinds) > 1:
            return f"piece {piece}"
        kind = self.game.kinds[kinds.pop()]
        owner = self.game.sides[kind.side].name
        # Where a side is called after its pieces, as Hounds are, its name says nothing more.
        return f"the {kind.name}" if kind.name in owner.lower() else f"{owner}'s {kind.name}"


def choose(
    game: Game, catalog: Catalog, pieces: int | None = None, patterns: Sequence[str] = (), side: str | None = None
) -> Choice:
    """Choose slices that have been built.

    Parameters
    ----------
    game : Game
    catalog : Catalog
    pieces : int, optional
        Just those with so many pieces.
    patterns : sequence of str
        Just those of these materials; ``?`` stands for any piece, ``*`` for any pieces.
    side : str, optional
        Just those in which the side of this letter is to move.

    Raises
    ------
    MissingTableError
        If there are none, or one that was named is not there.
    TablebaseError
        If a name is wrong.
    """
    _check_side(game, side)
    lines = catalog.counts(game, "material")
    if not lines:
        raise missing_game(game, catalog.folder)
    names = {str(line.material) for line in lines}
    exact = [name for text in patterns if not _is_wild(text) for name in _named(game, text, names, catalog.folder)]
    wild = [text for text in patterns if _is_wild(text)]

    def fits(name: str, count: int) -> bool:
        named = not patterns or name in exact or any(fnmatchcase(name.partition("@")[0], text) for text in wild)
        return named and pieces in (None, count)

    found = [line for line in lines if fits(str(line.material), line.pieces)]
    if not found:
        raise _nothing(game, pieces, patterns, lines, catalog.folder)
    chosen = tuple(line for line in found if side in (None, line.side))
    if not chosen:
        raise TablebaseError(f"none of these slices of {game.name} has {side!r} to move: leave --side away")
    counts = sorted({line.pieces for line in chosen})
    sides = {one.letter for one in game.sides} if side is None else {side}
    all_of_them = (
        (material_name(game, one.material), one.material.pieces, game.sides[one.side].letter)
        for count in counts
        for one in slices(game, count)
    )
    wanted = sum(letter in sides and fits(name, count) for name, count, letter in all_of_them)
    by_name = listed("material", {str(line.material) for line in chosen})
    condition = f"NOT stalemate AND {by_name if patterns else listed('pieces', counts)} AND {listed('side', sides)}"
    return Choice(game, _call(patterns, counts), chosen, wanted - len(chosen), condition)


def _check_side(game: Game, side: str | None) -> None:
    first, second = (one.letter for one in game.sides)
    if side not in (None, first, second):
        raise TablebaseError(f"the side to move is {first!r} or {second!r}, not {side!r}")


def _is_wild(text: str) -> bool:
    return any(letter in WILD for letter in text)


def _named(game: Game, text: str, names: set[str], folder: Path) -> list[str]:
    """Names of the slices that a material without wild cards stands for, all of which must be there."""
    materials = parse_materials(game, text)
    for material in materials:
        if material_name(game, material) not in names:
            raise missing_table(game, material, folder)
    return [material_name(game, material) for material in materials]


def _nothing(game: Game, pieces: int | None, patterns: Sequence[str], lines: Iterable[Counts], folder: Path) -> TablebaseError:
    """The error where nothing fits."""
    if pieces is not None:
        check_piece_count(game, pieces)
        if all(line.pieces != pieces for line in lines):
            return missing_pieces(game, pieces, folder)
    wanted = " or ".join(patterns) + (f" with {pieces} pieces" if pieces is not None else "")
    sentence = f"no slice of {game.name} that has been built in {folder} is called {wanted}"
    return TablebaseError(f"{sentence}: 'tablebase stats {game.name} --by material' lists them")


def listed(column: str, values: Iterable[object]) -> str:
    """The SQL condition that a column has one of these values."""
    return f"{column} IN ({', '.join(sorted(repr(value) for value in values))})"


def _call(patterns: Sequence[str], counts: Sequence[int]) -> str:
    """What a choice is called."""
    if patterns:
        return ", ".join(patterns[:3]) + (f" and {len(patterns) - 3} more" if len(patterns) > 3 else "")
    return f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} pieces"
