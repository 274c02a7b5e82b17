"""Copies of tables: into another folder, into an object store, and from either into this one.

Copies in another folder may be packed, for keeping and sending: in larger chunks and with more compression.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from tablebase.building.kind import table_kind
from tablebase.building.transfer import CHECKSUMS, Taken, take_in
from tablebase.catalog.catalog import Catalog, entries_of
from tablebase.catalog.entries import Entry
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CapacityError, CorruptCatalogError, CorruptTableError, TablebaseError
from tablebase.game.installed import load_rules
from tablebase.system.compute.messages import reach
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.system.executors.executor import Executor, Watch, unwatched
from tablebase.system.executors.scheduler import run_graph
from tablebase.tables.folder import check_bytes, free_space, link_or_copy, missing_file, on_one_file_system
from tablebase.tables.header import Form
from tablebase.tables.object_store import ObjectStore, is_url
from tablebase.tables.writer import drafted

INTERVAL = 60.0
"""Seconds after which an object store gets the catalog as it is; what was stored since is stored again after an interruption."""


class Source:
    """A folder that tables are copied from, or an object store, whose catalog is fetched to the folder."""

    def __init__(self, folder: Path, store: ObjectStore | None = None) -> None:
        self.folder, self._store = folder, store
        self.place = store.url if store else str(folder)
        self.linked = 0  # files that became hard links

    def entries(self) -> Mapping[str, Entry]:
        """Return the catalog entries by file."""
        if self._store and not self._store.has(FILE_NAME):
            raise TablebaseError(f"no tablebase in {self.place}: upload tables with 'tablebase copy'")
        if self._store:
            _get_catalog(self._store, self.folder)
        return entries_of(self.folder)

    def fetch(self, file: str, draft: Path) -> None:
        """Make a draft the same as a file."""
        if self._store:
            self._store.get(file, draft)
        elif (self.folder / file).exists():
            self.linked += link_or_copy(self.folder / file, draft)
        else:
            raise missing_file(self.folder / file)

    def may_link(self, folder: Path) -> bool:
        """Return whether files may take no space on the disk of another folder."""
        return self._store is None and on_one_file_system(self.folder, folder)


def _get_catalog(store: ObjectStore, scratch: Path) -> None:
    """Fetch the catalog of a store; it cannot be rebuilt here, where its files are not."""
    store.get(FILE_NAME, scratch / FILE_NAME)
    try:
        Catalog(scratch).close()
    except CorruptCatalogError as error:
        place = f"{store.url}/{FILE_NAME}"
        raise TablebaseError(
            f"{place} {error.problem}: delete the file, and copy the tables again with 'tablebase copy'"
        ) from error


@contextmanager
def opened_source(place: str) -> Iterator[Source]:
    """The folder or the object store of this name."""
    if not is_url(place):
        yield Source(Path(place))
        return
    with _scratch() as scratch:
        yield Source(scratch, ObjectStore(place))


@contextmanager
def _scratch() -> Iterator[Path]:
    folder = mkdtemp(prefix="tablebase-")
    with cleanup_on_exit(partial(rmtree, folder, ignore_errors=True)):
        yield Path(folder)


def copies(source: Source, folder: Path, entries: Sequence[Entry]) -> Iterator[tuple[Entry, Path]]:
    """Copy tables to drafts in a folder; what `take_in` makes them with.

    Raise `CapacityError` if its disk is too small, `CorruptTableError` if a file is not the one that was registered.
    """
    needed, free = sum(entry.row["bytes"] for entry in entries), free_space(folder)
    if needed > free and not source.may_link(folder):
        hint, unit = "choose a folder on another disk", f"bytes on the disk of {folder}"
        raise CapacityError("the copy", hint, needed=needed, allowed=free, unit=unit)
    for entry in entries:
        with drafted(folder / entry.file) as draft:
            source.fetch(entry.file, draft)
            try:
                check_bytes(draft, entry.title, entry.sha256)
                table_kind(load_rules(entry.game)).opened(draft, entry.row).close()
            except CorruptTableError as error:
                raise CorruptTableError(error.problem, f"{source.place}/{entry.file}") from error
        yield entry, draft


def copy(
    source: Source, entries: Sequence[Entry], folder: Path, errors: Mapping[str, str] | None = None, catalog: str | None = None
) -> Iterator[Taken]:
    """Copy tables into a folder; see `take_in`."""
    return take_in(folder, entries, partial(copies, source, folder), errors, catalog=catalog)


def upload(source: Source, entries: Sequence[Entry], url: str) -> Iterator[Taken]:
    """Copy tables into an object store; see `take_in`. Nothing keeps another program from doing that at the same time."""
    store = ObjectStore(url)
    with _scratch() as scratch:

        def save() -> None:
            # The catalog is the last, so that it never lists what is not there.
            for name in (CHECKSUMS, FILE_NAME):
                if (scratch / name).exists():
                    store.put(scratch / name, name)

        if store.has(FILE_NAME):
            _get_catalog(store, scratch)
        saved = time.monotonic()
        for taken in take_in(scratch, entries, partial(copies, source, scratch), elsewhere=store.url):
            if taken.is_new:
                file = taken.entry.file
                store.put(scratch / file, file)
                (scratch / file).unlink()
            yield taken
            if time.monotonic() > saved + INTERVAL:
                save()
                saved = time.monotonic()
        save()


# In another form


def rewrite(
    source: Path,
    entries: Sequence[Entry],
    folder: Path,
    form: Form,
    executor: Executor,
    watch: Watch = unwatched,
    errors: Mapping[str, str] | None = None,
) -> Iterator[Taken]:
    """Write tables of a folder's catalog again into another one: `PACKED`, or `BUILT`, the very bytes of a build; see `take_in`.

    `watch` is called with entries and the stages of their files. Raise `CorruptTableError` if a file is not the registered one.
    """

    def drafts(missing: Sequence[Entry]) -> Iterator[tuple[Entry, Path]]:
        graph: dict[Entry, tuple[Entry, ...]] = dict.fromkeys(missing, ())
        by_file = {entry.file: entry for entry in missing}
        work = partial(rewrite_file, source, folder, form)
        for file, draft in run_graph(graph, work, executor, watch=watch):
            yield by_file[file], draft

    return take_in(folder, entries, drafts, errors)


def rewrite_file(source: Path, folder: Path, form: Form, entry: Entry) -> tuple[str, Path]:
    """Write one file again as a draft, and read that back; return the name of the file, and the draft to be published."""
    path = source / entry.file
    check_bytes(path, entry.title, entry.sha256)
    kind = table_kind(load_rules(entry.game))
    with closing(kind.opened(path, entry.row)) as file:
        draft = kind.rewrite(folder / entry.file, file, form)
    reach("verifying")
    with closing(kind.opened(draft, entry.row)) as file:
        file.check_values()
        if file.values_sha256 != entry.row["values_sha256"]:
            raise CorruptTableError("does not match the checksum of its values in the catalog", draft)
    return entry.file, draft
