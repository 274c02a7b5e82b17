"""Pack tables for keeping and sending, in larger chunks and with more compression, and unpack them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.building.transfer import Taken, open_table, take_in
from tablebase.catalog.entries import Entry
from tablebase.compute.stages import reach
from tablebase.errors import CorruptTableError
from tablebase.executors.executor import Executor, Watch, unwatched
from tablebase.executors.scheduler import run_graph
from tablebase.tables.format import check_bytes
from tablebase.tables.header import Form
from tablebase.tables.reader import Table
from tablebase.tables.writer import rewrite_draft

if TYPE_CHECKING:
    # Games of pieces do not need Numba here.
    from tablebase.stochastic.files import LayerFile


def rewrite(
    source: Path,
    entries: Sequence[Entry],
    folder: Path,
    form: Form,
    executor: Executor,
    watch: Watch = unwatched,
    faults: Mapping[str, str] | None = None,
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

    return take_in(folder, entries, drafts, faults)


def rewrite_file(source: Path, folder: Path, form: Form, entry: Entry) -> tuple[str, Path]:
    """Write one file again as a draft, and read that back; return the name of the file, and the draft to be published."""
    path = source / entry.file
    check_bytes(path, entry.title, entry.sha256)
    with closing(open_table(entry, path)) as file:
        draft = _rewrite(file, folder / entry.file, form)
    reach("verifying")
    with closing(open_table(entry, draft)) as file:
        _check_values(file, entry)
    return entry.file, draft


def _rewrite(file: Table | LayerFile, path: Path, form: Form) -> Path:
    if isinstance(file, Table):
        return rewrite_draft(path, file, form)
    from tablebase.stochastic.files import rewrite_layer

    return rewrite_layer(path, file, form)


def _check_values(file: Table | LayerFile, entry: Entry) -> None:
    """Raise `CorruptTableError` unless the values in a file are those that were registered."""
    if isinstance(file, Table):
        found = file.values_digest({side: file.source(side) for side in file.header.summaries})
    else:
        file.read()
        found = file.values_sha256
    if found != entry.row["values_sha256"]:
        raise CorruptTableError("does not hold the values that were registered", file.path)
