"""What the commands copy, merge, pack and unpack have in common: which tables, which folders, progress and summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli.output import say
from tablebase.compute.progress import progress
from tablebase.errors import ConflictError, TablebaseError
from tablebase.files.outputs import check_output_folder

if TYPE_CHECKING:
    from tablebase.building.transfer import Taken
    from tablebase.catalog.entries import Entry
    from tablebase.executors.executor import Watch


def other_folder(place: str, data: Path) -> Path:
    """The folder of this name, which must not be that of the tables.

    Raises
    ------
    TablebaseError
        If it is, or if the name is the address of an object store.
    """
    from tablebase.tables.object_store import is_url

    if is_url(place):
        raise TablebaseError(f"{place} is not a folder: only 'copy' and 'merge' know object stores")
    if Path(place).resolve() == data.resolve():
        raise TablebaseError(f"{place} is the folder of the tables itself: name another one")
    return Path(place)


def target_folder(place: str, data: Path) -> Path:
    """The folder that tables are written to; like `other_folder`, and not in the folder of a tablebase either."""
    folder = other_folder(place, data)
    check_output_folder(folder, "name another folder with --to", folder=data)
    return folder


class Tally:
    """What has come of tables.

    Parameters
    ----------
    total : int
        Tables that were asked for.

    Attributes
    ----------
    new, there : int
        Tables that were made, and those that were there before.
    bytes, before : int
        Of the new tables' files, and of those that they were made from.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.new = self.there = self.bytes = self.before = 0

    def add(self, taken: Taken) -> None:
        """Count a table."""
        self.new += taken.is_new
        self.there += not taken.is_new
        self.bytes += taken.bytes
        self.before += taken.entry.row["bytes"] * taken.is_new

    def __str__(self) -> str:
        there = f"; there already: {self.there}" if self.there else ""
        return f"{self.new} of {self.total} tables, {self.bytes:,} bytes{there}"


def take(
    title: str,
    done: str,
    place: object,
    entries: Sequence[Entry],
    make: Callable[[Watch], Iterator[Taken]],
    *,
    failed: int = 0,
    verbose: bool = False,
) -> Tally:
    """Show how tables are taken into a folder, and say what has come of it.

    Parameters
    ----------
    title : str
        Of the progress.
    done : str
        What has been done with the tables, such as ``copied to``.
    place : object
        Where they are now.
    entries : sequence of Entry
    make : callable
        Takes them in; given what is to be called with entries and the stages that their tables have reached.
    failed : int
        Further tables, which cannot be taken in.
    verbose : bool
    """
    tally = Tally(len(entries) + failed)
    with progress(title, "tables", len(entries), verbose=verbose) as shown:
        try:
            for taken in make(lambda entry, stage: shown.at(entry.file, stage)):
                tally.add(taken)
                shown.leave(taken.entry.file)
                shown.update()
                shown.note(f"{taken.entry.file}: {f'{taken.bytes:,} bytes' if taken.is_new else 'there already'}")
        except ConflictError:
            if tally.new:
                shown.write(f"{done} {place}: {tally}")
            raise
    say(f"{done} {place}: {tally}" if tally.new else f"nothing to do: all {tally.total} tables are in {place}")
    return tally
