"""Rebuild the catalog from the table files."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from tablebase.build.tables import lock
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.registration import enter, of_file
from tablebase.catalog.salvage import Salvaged, restore_patterns, salvage
from tablebase.catalog.sqlite import FILE_NAME, journals, settle
from tablebase.errors import CorruptTableError
from tablebase.game import Game, load_game
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material
from tablebase.tables.folder import make_folder
from tablebase.tables.format import SUFFIX, check_seal, table_path, title
from tablebase.tables.reader import Table
from tablebase.tables.writer import DRAFT_SUFFIX, publish


def reindex(folder: Path) -> dict[str, int]:
    """Rebuild the catalog from the table files; solvers, seconds and patterns are taken over where the old one's seals hold.

    Returns
    -------
    dict of str to int
        Number of tables registered, by game.

    Raises
    ------
    CorruptTableError, StaleTableError
        If a file is damaged, or was built under other rules; whatever is raised, the old catalog then stays as it is.
    """
    path = folder / FILE_NAME
    make_folder(folder)
    with lock(folder):
        files_of = {home.name: sorted(home.glob(f"*/*{SUFFIX}")) for home in sorted(folder.iterdir()) if home.is_dir()}
        for draft in folder.glob(f".{FILE_NAME}.*{DRAFT_SUFFIX}*"):
            draft.unlink()
        draft = folder / f".{FILE_NAME}.{os.getpid()}{DRAFT_SUFFIX}"
        salvaged = salvage(path)
        try:
            _fill(folder, draft.name, files_of, salvaged)
            settle(path)
            for journal in journals(path):
                journal.unlink()
            publish(draft, path)
        finally:
            for file in folder.glob(f"{draft.name}*"):
                file.unlink()
    return {name: len(files) for name, files in files_of.items() if files}


def _fill(folder: Path, name: str, files_of: dict[str, list[Path]], salvaged: dict[str, Salvaged]) -> None:
    """Make a catalog under this name, and enter all tables in one transaction."""
    with closing(Catalog(folder, create=True, file=name)) as catalog, catalog.writing() as session:
        for game, files in files_of.items():
            for path in files:
                with closing(_open_sealed(load_game(game), path)) as table:
                    table.check_chunks()
                    registration = of_file(folder, table.game, table)
                known = salvaged.get(registration["file"])
                if known is not None and known.registration["file_sha256"] == registration["file_sha256"]:
                    enter(session, table.game, registration.solved_like(known.registration))
                    restore_patterns(session, game, known)
                else:
                    enter(session, table.game, registration)


def _open_sealed(game: Game, path: Path) -> Table:
    """Open a table file after checking its place and its seal."""
    material = parse_material(game, path.name.removesuffix(SUFFIX))
    place = table_path(path.parents[2], game, locate(game, material, 0).material)
    if path != place:
        raise CorruptTableError(f"is not where this table belongs, which is {place}", path)
    check_seal(path, title(game, material))
    return Table(path, game, material)
