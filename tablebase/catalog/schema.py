"""The tables of the catalog's database, in portable SQL."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import BigInteger, Boolean, Connection, ForeignKey, Integer, SmallInteger, String, insert, inspect, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SCHEMA_VERSION = 9
"""Grows whenever a table, a column or the meaning of one changes."""
VIEW = "slice_counts"
SLICE_COUNTS = """
SELECT slices.game, slices.material, slices.side, slices.pieces, is_alias, tables.material AS stored_as,
       solutions.side AS stored_side, pairing, placements, stalemates, placements - stalemates AS positions, wins, losses, draws,
       void, longest_win, longest_loss, win_position AS longest_win_position, loss_position AS longest_loss_position
FROM slices JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id
"""
"""The view: a row for each slice, with the counts of the solution that holds its positions."""
CREATE_VIEW = f"CREATE VIEW {VIEW} AS {SLICE_COUNTS}"


class Base(DeclarativeBase):
    """All tables of the catalog.

    Its types make the databases agree: integers have 64 bits, texts are sorted by their bytes, and a truth value is 0 or 1.
    """

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        int: Integer().with_variant(BigInteger(), "postgresql"),
        str: String().with_variant(String(collation="C"), "postgresql"),
        bool: Boolean().with_variant(SmallInteger(), "postgresql"),
    }


class VersionRow(Base):
    """The version of the schema; the table has one row."""

    __tablename__ = "schema_version"
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class GameRow(Base):
    """A game that has tables here."""

    __tablename__ = "games"
    name: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    rules_digest: Mapped[str]
    side_letters: Mapped[str]
    kinds: Mapped[str]
    seal: Mapped[str]


class TableRow(Base):
    """A table file."""

    __tablename__ = "tables"
    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(ForeignKey("games.name"))
    material: Mapped[str]
    pieces: Mapped[int]
    file: Mapped[str] = mapped_column(unique=True)
    bytes: Mapped[int]
    file_sha256: Mapped[str]
    values_sha256: Mapped[str]
    rules_digest: Mapped[str]
    cells: Mapped[int]
    engine: Mapped[str | None]
    seconds: Mapped[float | None]
    seal: Mapped[str]


class SolutionRow(Base):
    """One side to move of a table: the numbers of a distinct slice."""

    __tablename__ = "solutions"
    id: Mapped[int] = mapped_column(primary_key=True)
    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), index=True)
    side: Mapped[str]
    placements: Mapped[int]
    stalemates: Mapped[int]
    wins: Mapped[int]
    losses: Mapped[int]
    draws: Mapped[int]
    void: Mapped[int]
    longest_win: Mapped[int | None]
    longest_loss: Mapped[int | None]
    longest_win_position: Mapped[str | None]
    longest_loss_position: Mapped[str | None]


class SliceRow(Base):
    """A slice under its own name, and the solution that holds its positions."""

    __tablename__ = "slices"
    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(ForeignKey("games.name"), index=True)
    material: Mapped[str]
    side: Mapped[str]
    pieces: Mapped[int]
    solution_id: Mapped[int] = mapped_column(ForeignKey("solutions.id", ondelete="CASCADE"), index=True)
    is_alias: Mapped[bool]
    pairing: Mapped[str]
    win_position: Mapped[str | None]
    loss_position: Mapped[str | None]


class DistanceRow(Base):
    """How many placements of a solution are won or lost at each distance."""

    __tablename__ = "distances"
    # Its primary key is all that it is ever searched by.
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 (SQLAlchemy reads it)
    solution_id: Mapped[int] = mapped_column(ForeignKey("solutions.id", ondelete="CASCADE"), primary_key=True)
    outcome: Mapped[str] = mapped_column(primary_key=True)
    distance: Mapped[int] = mapped_column(primary_key=True)
    placements: Mapped[int]


class LayerRow(Base):
    """A file of bounds for states of a game with chance."""

    __tablename__ = "layers"
    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(ForeignKey("games.name"))
    region: Mapped[str]
    layer: Mapped[str]
    file: Mapped[str] = mapped_column(unique=True)
    bytes: Mapped[int]
    file_sha256: Mapped[str]
    values_sha256: Mapped[str]
    rules_digest: Mapped[str]
    states: Mapped[int]
    wins: Mapped[int]
    losses: Mapped[int]
    exact: Mapped[int]
    open: Mapped[int]
    stalling: Mapped[int]
    seconds: Mapped[float | None]
    seal: Mapped[str]


class ExactRow(Base):
    """The file of exact values of a game by functions; wins, losses and draws are for the player to move."""

    __tablename__ = "exact"
    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(ForeignKey("games.name"))
    file: Mapped[str] = mapped_column(unique=True)
    bytes: Mapped[int]
    file_sha256: Mapped[str]
    values_sha256: Mapped[str]
    rules_digest: Mapped[str]
    positions: Mapped[int]
    final: Mapped[int]
    wins: Mapped[int]
    losses: Mapped[int]
    draws: Mapped[int]
    longest_win: Mapped[int | None]
    longest_win_position: Mapped[str | None]
    longest_loss: Mapped[int | None]
    longest_loss_position: Mapped[str | None]
    seconds: Mapped[float | None]
    seal: Mapped[str]


FLAT: tuple[type[LayerRow] | type[ExactRow], ...] = (LayerRow, ExactRow)
"""Tables in which a file has one row and no others."""


class _OfSlice:
    """The columns that all tables of patterns begin with."""

    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)
    slice_id: Mapped[int] = mapped_column(ForeignKey("slices.id", ondelete="CASCADE"), index=True, sort_order=-1)
    game: Mapped[str] = mapped_column(sort_order=-1)
    material: Mapped[str] = mapped_column(sort_order=-1)
    side: Mapped[str] = mapped_column(sort_order=-1)
    pieces: Mapped[int] = mapped_column(sort_order=-1)


class GainRow(_OfSlice, Base):
    """How informative one or two features are about the outcome."""

    __tablename__ = "pattern_gains"
    features: Mapped[str]
    number: Mapped[int]
    gain: Mapped[float]
    explains: Mapped[float | None]
    decides: Mapped[float]
    commonest: Mapped[float]
    entropy: Mapped[float]
    positions: Mapped[int]


class RuleRow(_OfSlice, Base):
    """A condition under which only one outcome occurs."""

    __tablename__ = "pattern_rules"
    outcome: Mapped[str]
    comparisons: Mapped[int]
    condition: Mapped[str]
    positions: Mapped[int]
    share: Mapped[float]


class TreeRow(_OfSlice, Base):
    """A small decision tree."""

    __tablename__ = "pattern_trees"
    depth: Mapped[int]
    leaves: Mapped[int]
    trained: Mapped[int]
    errors: Mapped[int]
    error: Mapped[float]
    positions: Mapped[int]
    tree: Mapped[str]
    expression: Mapped[str]


PATTERNS = (GainRow, RuleRow, TreeRow)


def create_schema(connection: Connection) -> None:
    """Make all tables and the view; none of them may exist yet."""
    Base.metadata.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(CREATE_VIEW)
    connection.execute(insert(VersionRow).values(version=SCHEMA_VERSION))


def drop_schema(connection: Connection) -> None:
    """Remove our view and our tables, also those of another version; everything else stays."""
    inspector = inspect(connection)
    tables, views = set(inspector.get_table_names()), set(inspector.get_view_names())
    for name in (VIEW, *(table.name for table in reversed(Base.metadata.sorted_tables))):
        if name in tables | views:
            connection.exec_driver_sql(f"DROP {'TABLE' if name in tables else 'VIEW'} {name}")


def version_of(connection: Connection) -> int | None:
    """The version of a catalog's schema; None if no version is stored and the tables are not those of a catalog."""
    names = set(inspect(connection).get_table_names())
    found = names & {TableRow.__tablename__, SliceRow.__tablename__}
    if VersionRow.__tablename__ in names and found:
        return connection.execute(select(VersionRow.version)).scalar_one_or_none() or 0
    # The first version did not store its number.
    return 1 if len(found) == 2 else None


def index_names(connection: Connection) -> set[str]:
    """The indices of our tables, except those of their keys."""
    inspector = inspect(connection)
    tables = Base.metadata.tables.keys() & set(inspector.get_table_names())
    return {str(index["name"]) for table in tables for index in inspector.get_indexes(table)}


def schema_fault(connection: Connection) -> str | None:
    """Why a catalog of this version lacks one of our tables or columns; None if it has all."""
    inspector = inspect(connection)
    tables = set(inspector.get_table_names())
    for table in Base.metadata.sorted_tables:
        if table.name not in tables:
            return f"is damaged (the table {table.name!r} is missing)"
        lost = set(table.columns.keys()) - {column["name"] for column in inspector.get_columns(table.name)}
        if lost:
            return f"is damaged (the table {table.name!r} lacks the column {min(lost)!r})"
    return None if VIEW in inspector.get_view_names() else f"is damaged (the view {VIEW!r} is missing)"
