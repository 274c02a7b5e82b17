"""Rebuild the catalog from the table files alone."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tablebase.catalog.catalog import Catalog
from tablebase.errors import CorruptTableError
from tablebase.game import Game, load_game
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material
from tablebase.tables.format import SUFFIX, check_seal, table_path
from tablebase.tables.reader import Table


def reindex(folder: Path) -> dict[str, int]:
    """Rebuild the catalog from the table files alone.

    Returns
    -------
    dict of str to int
        Number of tables registered, by game.

    Raises
    ------
    CorruptTableError, StaleTableError
        If a file is damaged, or was built under other rules; the old catalog then stays as it is.
    """
    files_of = {home.name: sorted(home.glob(f"*/*{SUFFIX}")) for home in sorted(folder.iterdir()) if home.is_dir()}
    for name, files in files_of.items():
        for path in files:
            with closing(_open_sealed(load_game(name), path)) as table:
                table.check_chunks()
    # The old catalog is dropped only now that every file has been checked.
    catalog = Catalog(folder, create=True, anew=True)
    try:
        for name, files in files_of.items():
            for path in files:
                with closing(_open_sealed(load_game(name), path)) as table:
                    catalog.register(table.game, table)
    finally:
        catalog.close()
    return {name: len(files) for name, files in files_of.items() if files}


def _open_sealed(game: Game, path: Path) -> Table:
    """Open a table file after checking its place and its seal."""
    material = parse_material(game, path.name.removesuffix(SUFFIX))
    place = table_path(path.parents[2], game, locate(game, material, 0).material)
    if path != place:
        raise CorruptTableError(f"is not where this table belongs, which is {place}", path)
    check_seal(path, game, material)
    return Table(path, game, material)
