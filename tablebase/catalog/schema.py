"""The tables of the catalog's database, in portable SQL."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import BigInteger, Boolean, Connection, ForeignKey, Integer, SmallInteger, String, insert, inspect, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.schema import DDLElement

SCHEMA_VERSION = 4
"""Grows whenever a table, a column or the meaning of one changes."""
VIEW = "slice_counts"


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


class PatternSealRow(Base):
    """The seal of a slice's patterns."""

    __tablename__ = "pattern_seals"
    slice_id: Mapped[int] = mapped_column(ForeignKey("slices.id", ondelete="CASCADE"), primary_key=True, autoincrement=False)
    seal: Mapped[str]


class SealRow(Base):
    """The seal over all seals of one sort: those of the tables, or those of the patterns."""

    __tablename__ = "seals"
    name: Mapped[str] = mapped_column(primary_key=True)
    seal: Mapped[str]


def counts_by_slice() -> Any:
    """The view `slice_counts`: a row for each slice, with the counts of the solution that holds its positions."""
    counts = SolutionRow
    return (
        select(
            SliceRow.game,
            SliceRow.material,
            SliceRow.side,
            SliceRow.pieces,
            SliceRow.is_alias,
            TableRow.material.label("stored_as"),
            counts.side.label("stored_side"),
            SliceRow.pairing,
            counts.placements,
            counts.stalemates,
            (counts.placements - counts.stalemates).label("positions"),
            counts.wins,
            counts.losses,
            counts.draws,
            counts.void,
            counts.longest_win,
            counts.longest_loss,
            counts.longest_win_position,
            counts.longest_loss_position,
        )
        .join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
        .join(TableRow, TableRow.id == SolutionRow.table_id)
    )


class _CreateView(DDLElement):
    """``CREATE VIEW``."""

    inherit_cache = False


@compiles(_CreateView)
def _create_view(_element: _CreateView, compiler: Any, **_: Any) -> str:
    return f"CREATE VIEW {VIEW} AS {compiler.sql_compiler.process(counts_by_slice(), literal_binds=True)}"


def create_schema(connection: Connection) -> None:
    """Make all tables and the view in an empty database."""
    Base.metadata.create_all(connection, checkfirst=False)
    connection.execute(_CreateView())
    connection.execute(insert(VersionRow).values(version=SCHEMA_VERSION))


def drop_schema(connection: Connection) -> None:
    """Remove the view and all tables."""
    connection.exec_driver_sql(f"DROP VIEW IF EXISTS {VIEW}")
    Base.metadata.drop_all(connection)


def version_of(connection: Connection) -> int | None:
    """The version of a catalog's schema; None if this is not a catalog."""
    names = set(inspect(connection).get_table_names())
    if not {TableRow.__tablename__, SliceRow.__tablename__} <= names:
        return None
    # The first version did not say so.
    return connection.execute(select(VersionRow.version)).scalar_one_or_none() if VersionRow.__tablename__ in names else 1


def is_empty(connection: Connection) -> bool:
    """Whether a database has no tables."""
    return not inspect(connection).get_table_names()
