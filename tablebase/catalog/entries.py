"""What a catalog says of its files, of tables and of layers of games with chance alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.databases import database_of
from tablebase.catalog.layers import LAYER
from tablebase.catalog.registration import TABLE, Values
from tablebase.catalog.salvage import Salvaged, salvage
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game import Game
from tablebase.game.stochastic import StochasticGame
from tablebase.slices.location import locate
from tablebase.slices.material import Material, material_name, parse_material, piece_counts
from tablebase.tables.format import SUFFIX


@dataclass(frozen=True, eq=False)
class Entry:
    """What a catalog says of a file.

    Parameters
    ----------
    row : mapping of str to object
        The columns of ``tables`` or of ``layers``.
    known : Salvaged or tuple
        All of it: for a table with its slices and patterns, for a layer the columns `LAYER`.
    """

    row: Mapping[str, Any]
    known: Salvaged | Values

    @property
    def file(self) -> str:
        """Relative to the folder."""
        return str(self.row["file"])

    @property
    def game(self) -> str:
        """The game's name."""
        return str(self.row["game"])

    @property
    def sha256(self) -> str:
        """Of the whole file."""
        return str(self.row["file_sha256"])

    @property
    def title(self) -> str:
        """What the seal of the file says it is; see `tables.format.title` and `stochastic.files.layer_title`."""
        row = self.row
        return f"{row['game']} {row['material']}" if "material" in row else f"{row['game']} {row['region']} {row['layer']}"

    @property
    def place(self) -> str:
        """Where such a file belongs, relative to the folder; see `tables.format.table_path` and `stochastic.files.layer_path`."""
        row = self.row
        folder, name = (row["pieces"], row["material"]) if "material" in row else (row["region"], row["layer"])
        return f"{row['game']}/{folder}/{name}{SUFFIX}"

    def is_of(self, game: Game | StochasticGame) -> bool:
        """Whether it belongs to a game, under the rules installed now."""
        return (self.row["game"], self.row["rules_digest"]) == (game.name, game.digest)

    def has_values_of(self, other: Entry) -> bool:
        """Whether both hold the same values under the same rules, in whatever form."""
        return all(self.row[name] == other.row[name] for name in ("rules_digest", "values_sha256"))


def entries_of(folder: Path, catalog: str | None = None) -> dict[str, Entry]:
    """What the catalog of a folder says of its files, by file.

    Parameters
    ----------
    folder : Path
    catalog : str, optional
        As for `Catalog`.

    Raises
    ------
    CorruptCatalogError
        If it is not as it was written; patterns that are not are left out.
    TablebaseError
        If there is no catalog.
    """
    # This refuses what the other passes over.
    Catalog(folder, catalog=catalog).close()
    database = database_of(folder, catalog)
    with database.guard():
        saved = salvage(database)
    tables = {file: Entry({name: known.registration[name] for name in TABLE}, known) for file, known in saved.tables.items()}
    layers = {file: Entry(dict(zip(LAYER, row, strict=True)), row) for file, row in saved.layers.items()}
    return tables | layers


def entries_of_game(game: Game | StochasticGame, folder: Path, catalog: str | None = None) -> dict[str, Entry]:
    """The entries of a game under the rules installed now: of tables by material, of layers by file.

    Raises
    ------
    TablebaseError
        If there is none.
    """
    entries = [entry for entry in entries_of(folder, catalog).values() if entry.is_of(game)]
    if not entries:
        raise nothing_registered(game, folder)
    return {entry.row.get("material", entry.file): entry for entry in entries}


def chosen_tables(
    game: Game, folder: Path, registered: Collection[str], pieces: int | range | None, materials: Sequence[Material]
) -> list[str]:
    """The registered materials with `pieces` pieces, and those of the given materials; without either, all.

    Raises
    ------
    MissingTableError
        If a requested material is not registered.
    TablebaseError
        If nothing is chosen.
    """
    counts = None if pieces is None else piece_counts(game, pieces)
    named = [material_name(game, locate(game, material, 0).material) for material in materials]
    for name in named:
        if name not in registered:
            raise MissingTableError(game.name, folder, material=name)
    if counts is not None:
        named += [name for name in registered if parse_material(game, name).pieces in counts]
    chosen = list(dict.fromkeys(named if counts is not None or materials else registered))
    if not chosen:
        raise nothing_registered(game, folder)
    return chosen


def nothing_registered(game: Game | StochasticGame, folder: Path) -> TablebaseError:
    """The error for a folder whose catalog has no table that is asked for."""
    return TablebaseError(f"no table of {game.name} is registered in {folder}: build one, or run 'tablebase reindex'")
