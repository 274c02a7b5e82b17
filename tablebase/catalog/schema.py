"""The tables of the catalog's database."""

from __future__ import annotations

from sqlalchemy import ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_VIEW = """
CREATE VIEW IF NOT EXISTS slice_counts AS
SELECT slices.game, slices.material, slices.side, slices.pieces, slices.is_alias,
       tables.material AS stored_as, solutions.side AS stored_side,
       placements, stalemates, placements - stalemates AS positions, wins, losses, draws, void,
       longest_win, longest_loss, longest_win_position, longest_loss_position
FROM slices JOIN solutions ON solutions.id = slices.solution_id JOIN tables ON tables.id = solutions.table_id
"""


class Base(DeclarativeBase):
    """All tables of the catalog."""


class GameRow(Base):
    """A game that has tables here."""

    __tablename__ = "games"
    name: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    rules_digest: Mapped[str]


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


class DistanceRow(Base):
    """How many placements of a solution are won or lost in so many plies."""

    __tablename__ = "distances"
    solution_id: Mapped[int] = mapped_column(ForeignKey("solutions.id", ondelete="CASCADE"), primary_key=True)
    outcome: Mapped[str] = mapped_column(primary_key=True)
    distance: Mapped[int] = mapped_column(primary_key=True)
    placements: Mapped[int]
