"""The tables of the catalog's database, in portable SQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, ForeignKey, MetaData, insert, inspect, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.schema import DDLElement

SCHEMA_VERSION = 2
"""Grows whenever a table, a column or the meaning of one changes."""
VIEW = "slice_counts"


class Base(DeclarativeBase):
    """All tables of the catalog."""


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
    solution_id: Mapped[int] = mapped_column(ForeignKey("solutions.id", ondelete="CASCADE"), primary_key=True)
    outcome: Mapped[str] = mapped_column(primary_key=True)
    distance: Mapped[int] = mapped_column(primary_key=True)
    placements: Mapped[int]


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
    Base.metadata.create_all(connection)
    connection.execute(_CreateView())
    connection.execute(insert(VersionRow).values(version=SCHEMA_VERSION))


def drop_schema(connection: Connection) -> None:
    """Remove the view and all tables, also those that only other programs know."""
    if VIEW in inspect(connection).get_view_names():
        connection.exec_driver_sql(f"DROP VIEW {VIEW}")
    present = MetaData()
    present.reflect(connection)
    present.drop_all(connection)


def version_of(connection: Connection) -> int | None:
    """The version of a catalog's schema; None if this is not a catalog."""
    names = inspect(connection).get_table_names()
    if VersionRow.__tablename__ in names:
        return connection.execute(select(VersionRow.version)).scalar_one_or_none()
    # The first version did not say so.
    return 1 if {TableRow.__tablename__, SliceRow.__tablename__} <= set(names) else None


def is_empty(connection: Connection) -> bool:
    """Whether a database has no tables."""
    return not inspect(connection).get_table_names()
