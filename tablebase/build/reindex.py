"""Rebuild the catalog from the table files alone."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tablebase.catalog.catalog import Catalog
from tablebase.game import Game, load_game
from tablebase.slices.material import parse_material
from tablebase.tables.format import SUFFIX, check_seal
from tablebase.tables.reader import Table


def reindex(folder: Path) -> dict[str, int]:
    """Rebuild the catalog from the table files alone.

    Returns
    -------
    dict of str to int
        Tables entered, by game.

    Raises
    ------
    CorruptTableError, StaleTableError
        For the first file that is not as it was written, or of other rules; the old catalog then stays as it is.
    """
    games = {home.name: sorted(home.glob(f"*/*{SUFFIX}")) for home in sorted(folder.iterdir()) if home.is_dir()}
    for name, files in games.items():
        for path in files:
            _open_sealed(load_game(name), path).close()
    # Only now that every file is known to be right is the old catalog given up.
    catalog = Catalog(folder, create=True)
    try:
        catalog.drop()
        for name, files in games.items():
            for path in files:
                with closing(_open_sealed(load_game(name), path)) as table:
                    catalog.register(table.game, table)
    finally:
        catalog.close()
    return {name: len(files) for name, files in games.items() if files}


def _open_sealed(game: Game, path: Path) -> Table:
    """The table of a file whose bytes are as they were written."""
    material = parse_material(game, path.name.removesuffix(SUFFIX))
    check_seal(path, game, material)
    return Table(path, game, material)
