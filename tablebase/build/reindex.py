"""Rebuild the catalog from the table files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sqlalchemy.orm import Session

from tablebase.build.tables import lock
from tablebase.catalog.databases import database_of
from tablebase.catalog.layers import LAYER, enter_layer, of_layer
from tablebase.catalog.registration import of_file
from tablebase.catalog.salvage import Salvage, enter_known, salvage
from tablebase.errors import CorruptTableError
from tablebase.game import Game
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material
from tablebase.tables.folder import make_folder
from tablebase.tables.format import SUFFIX, check_seal, table_path, title
from tablebase.tables.reader import Table


def reindex(folder: Path, catalog: str | None = None) -> dict[str, int]:
    """Rebuild the catalog from the table files; solvers, seconds and patterns are taken over where the old one's seals hold.

    Parameters
    ----------
    folder : Path
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.

    Returns
    -------
    dict of str to int
        Number of tables registered, by game.

    Raises
    ------
    CorruptTableError, StaleTableError
        If a file is damaged, or was built under other rules; whatever is raised, the old catalog then stays as it is.
    """
    make_folder(folder)
    database = database_of(folder, catalog)
    with lock(folder), database.guard():
        files_of = {home.name: sorted(home.glob(f"*/*{SUFFIX}")) for home in sorted(folder.iterdir()) if home.is_dir()}
        salvaged = salvage(database)
        with database.replacement() as connection, Session(connection) as session:
            _fill(session, folder, files_of, salvaged)
            session.flush()
    return {name: len(files) for name, files in files_of.items() if files}


def _fill(session: Session, folder: Path, files_of: dict[str, list[Path]], salvage: Salvage) -> None:
    """Enter all tables into an empty catalog."""
    for game, files in files_of.items():
        for path in files:
            rules = load_rules(game)
            if isinstance(rules, Game):
                _enter_table(session, folder, rules, path, salvage)
            else:
                _enter_layer(session, folder, rules, path, salvage)


def _enter_table(session: Session, folder: Path, game: Game, path: Path, salvage: Salvage) -> None:
    """Enter a table file, with what an old catalog knew of it."""
    with closing(_open_sealed(game, path)) as table:
        table.check_chunks()
        registration = of_file(folder, game, table)
    known = salvage.tables.get(registration["file"])
    is_same = known is not None and known.registration["file_sha256"] == registration["file_sha256"]
    enter_known(session, game, registration, known if is_same else None)


def _enter_layer(session: Session, folder: Path, game: StochasticGame, path: Path, salvage: Salvage) -> None:
    """Enter the file of a layer, with the seconds that an old catalog knew."""
    # Games of pieces do not need Numba here.
    from tablebase.build.layers import opened_layer
    from tablebase.stochastic.files import layer_title

    with closing(opened_layer(folder, game, path)) as file:
        check_seal(path, layer_title(game, file.region, file.layer))
        file.read()
        row = of_layer(folder, file)
        known = dict(zip(LAYER, salvage.layers.get(row[LAYER.index("file")], ()), strict=False))
        if known.get("file_sha256") == row[LAYER.index("file_sha256")]:
            row = of_layer(folder, file, known["seconds"])
    enter_layer(session, game, row)


def _open_sealed(game: Game, path: Path) -> Table:
    """Open a table file after checking its place and its seal."""
    material = parse_material(game, path.name.removesuffix(SUFFIX))
    place = table_path(path.parents[2], game, locate(game, material, 0).material)
    if path != place:
        raise CorruptTableError(f"is not where this table belongs, which is {place}", path)
    check_seal(path, title(game, material))
    return Table(path, game, material)
