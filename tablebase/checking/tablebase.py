"""Verify the tables of a tablebase, in parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from types import MappingProxyType

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import Entry, of_table
from tablebase.checking.checksums import Checks
from tablebase.checking.table import BYTES_AT_ONCE, verify_table
from tablebase.errors import CorruptTableError, MissingTableError, StaleTableError, game_word, shell_word
from tablebase.game import Game, load_game
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material, parse_material
from tablebase.system.executors.executor import Executor
from tablebase.system.executors.scheduler import run_graph
from tablebase.tables.folder import OTHER_FILE, content_error, file_sha256, table_path
from tablebase.tables.missing import chosen_tables
from tablebase.tables.reader import Table
from tablebase.tables.store import Store

PROCESS_BYTES = 300_000_000
"""Memory of a worker before it holds any position."""


def verify_tables(
    game: Game,
    folder: Path,
    pieces: int | range | None,
    materials: Sequence[Material],
    executor: Executor,
    published: Mapping[str, str] = MappingProxyType({}),
    catalog: str | None = None,
) -> tuple[int, Checks]:
    """Check all registered tables, or those with `pieces` pieces and those of the given materials.

    Return their number and the `Checks`. `published` has the digests that values must have, by material; `catalog` is the URL of a
    PostgreSQL database, by default a file in the folder. `MissingTableError` if a material is not registered, `TablebaseError`
    without anything to check.
    """
    with closing(Catalog(folder, catalog=catalog)) as opened:
        registered = opened.registered(game)
    wanted = chosen_tables(game, folder, registered, pieces, materials)
    graph: dict[Entry, tuple[Entry, ...]] = {registered[name]: () for name in wanted}

    def needs(entry: Entry) -> int:
        """Bytes that a check needs at the most; as many as are allowed will do."""
        needed = PROCESS_BYTES + BYTES_AT_ONCE * layout_of(game, parse_material(game, entry.row["material"])).size
        return needed if executor.limits.memory is None else min(needed, executor.limits.memory)

    return len(wanted), run_graph(graph, partial(check_table, game.name, folder, dict(published)), executor, needs)


def check_table(name: str, folder: Path, published: Mapping[str, str], entry: Entry) -> tuple[str, str | None]:
    """Check one table against its catalog entry; return its material, and the error or None."""
    game, material = load_game(name), entry.row["material"]
    path = table_path(folder, game, parse_material(game, material))
    with closing(Store(folder)) as store:
        try:
            if not path.exists():
                command = f"tablebase build {game_word(name)} --material {material} --data {shell_word(folder)}"
                return material, f"{path} is in the catalog but missing: run '{command}'"
            if file_sha256(path) != entry.sha256:
                return material, str(content_error(path, OTHER_FILE))
            with closing(Table(path, game, parse_material(game, material))) as table:
                verify_table(game, table, store)
                if published.get(material, table.values_sha256) != table.values_sha256:
                    return material, f"{path} does not contain the published values: compare the rules and versions of both tables"
                if of_table(folder, game, table).solved(entry.row["engine"], entry.row["seconds"]).seal != entry.seal:
                    command = f"tablebase reindex --data {shell_word(folder)}"
                    return material, f"the catalog entry of {path} does not match the file: run '{command}'"
        except (CorruptTableError, MissingTableError, StaleTableError) as error:
            return material, str(error)
    return material, None
