"""What a catalog says of its files, whatever their sort."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import Session

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.registration import TABLE, Registration, Values, contents, enter, read, read_flat, values
from tablebase.catalog.schema import PATTERNS, Base, SliceRow, SolutionRow, TableRow
from tablebase.game import Game
from tablebase.game.rules import Rules
from tablebase.tables.folder import SUFFIX


@dataclass(frozen=True, eq=False)
class Entry:
    """What a catalog says of a file: its row; of one in ``tables`` also all others, and those of `PATTERNS`."""

    row: Mapping[str, Any]
    registration: Registration | None = None
    patterns: Sequence[tuple[type[Base], Values]] = ()

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
        """What the seal of the file says it is; see `tables.folder.title`, `layer_title` and `exact_title`."""
        row = self.row
        if "material" in row:
            return f"{row['game']} {row['material']}"
        return f"{row['game']} {row['region']} {row['layer']}" if "layer" in row else f"{row['game']} exact"

    @property
    def place(self) -> str:
        """Where such a file belongs, relative to the folder; see `table_path`, `layer_path` and `exact_path`."""
        row = self.row
        home = row["pieces"] if "material" in row else row.get("region", "exact")
        name = row["material"] if "material" in row else row.get("layer", "all")
        return f"{row['game']}/{home}/{name}{SUFFIX}"

    def is_of(self, game: Rules[Any]) -> bool:
        """Whether it belongs to a game, under the rules installed now."""
        return (self.row["game"], self.row["rules_digest"]) == (game.name, game.digest)

    def solved(self, engine: str | None, seconds: float | None) -> Entry:
        """The same with another solver and its CPU-seconds."""
        known = {name: value for name, value in (("engine", engine), ("seconds", seconds)) if name in self.row}
        registration = self.registration and self.registration.solved(engine, seconds)
        return Entry({**self.row, **known}, registration, self.patterns)

    def has_values_of(self, other: Entry) -> bool:
        """Whether both hold the same values under the same rules, in whatever form."""
        return all(self.row[name] == other.row[name] for name in ("rules_digest", "values_sha256"))


def read_entries(connection: Connection) -> dict[str, Entry]:
    """What a catalog of this version says of its files, by file; files whose rows are damaged are left out."""
    seals: dict[Any, Any] = dict(values(connection, TableRow, ["id", "seal"], ["id"]))
    patterns = _patterns(connection)
    entries = {}
    for number, known in read(connection).items():
        if known.seal == seals[number]:
            entry = Entry({name: known[name] for name in TABLE}, known, patterns[number])
            entries[entry.file] = entry
    entries |= {row["file"]: Entry(row) for _, row, sound in read_flat(connection) if sound}
    return entries


def _patterns(connection: Connection) -> defaultdict[int, list[tuple[type[Base], Values]]]:
    """The rows of `PATTERNS` by the number of the table whose slices they are about, without the slice's own number."""
    of_slice = select(SliceRow.id, SolutionRow.table_id).join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
    homes = {row.id: row.table_id for row in connection.execute(of_slice)}
    found: defaultdict[int, list[tuple[type[Base], Values]]] = defaultdict(list)
    for table in PATTERNS:
        for slice_id, *row in values(connection, table, ["slice_id", *contents(table, "slice_id")], ["id"]):
            if slice_id in homes:
                found[homes[slice_id]].append((table, tuple(row)))
    return found


def enter_known(session: Session, game: Game, registration: Registration, known: Entry | None) -> None:
    """Enter a table; with the solver, the seconds and the patterns that another catalog knew of it, if it did."""
    if known is None or known.registration is None:
        enter(session, game, registration)
        return
    enter(session, game, registration.solved(known.registration["engine"], known.registration["seconds"]))
    for table, row in known.patterns:
        named = dict(zip(contents(table, "slice_id"), row, strict=True))
        of_slice = select(SliceRow.id).where(
            SliceRow.game == game.name, SliceRow.material == named["material"], SliceRow.side == named["side"]
        )
        session.execute(insert(table).values(slice_id=of_slice.scalar_subquery(), **named))


def entries_of(folder: Path, catalog: str | None = None) -> dict[str, Entry]:
    """What the catalog of a folder says of its files, by file; errors as of `Catalog`."""
    with closing(Catalog(folder, catalog=catalog)) as opened, opened.reading() as connection:
        return read_entries(connection)
