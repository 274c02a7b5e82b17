"""Patterns in the catalog, so that SQL can ask for them across slices.

They go with the slice: when its table is entered anew or forgotten, so are they.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ForeignKey, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.schema import Base, SliceRow
from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.patterns.gains import Gain
from tablebase.patterns.search import Patterns
from tablebase.slices.material import material_name

PAIRS = 50
"""Pairs of features that are kept for each slice, those of most gain."""


class _OfSlice:
    """What all rows say first."""

    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)
    slice_id: Mapped[int] = mapped_column(ForeignKey("slices.id", ondelete="CASCADE"), index=True, sort_order=-1)
    game: Mapped[str] = mapped_column(sort_order=-1)
    material: Mapped[str] = mapped_column(sort_order=-1)
    side: Mapped[str] = mapped_column(sort_order=-1)
    pieces: Mapped[int] = mapped_column(sort_order=-1)


class GainRow(_OfSlice, Base):
    """What one or two features tell of the outcome."""

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
    """A condition that leaves one outcome."""

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


TABLES = (GainRow, RuleRow, TreeRow)


def save(catalog: Catalog, game: Game, found: Patterns) -> None:
    """Enter what was found in a slice; what was found in it before is replaced.

    Parameters
    ----------
    catalog : Catalog
        Opened to be made.
    game : Game
    found : Patterns

    Raises
    ------
    TablebaseError
        If the slice is no longer in the catalog.
    """
    material, side = material_name(game, found.slice.material), game.sides[found.slice.side].letter
    place = select(SliceRow.id).where(SliceRow.game == game.name, SliceRow.material == material, SliceRow.side == side)
    with catalog.writing() as session:
        number = session.scalar(place)
        if number is None:
            raise TablebaseError(f"the slice {material} of {game.name} is no longer in the catalog: build it again")
        # Another program may have made the catalog, without these tables.
        Base.metadata.create_all(session.connection())
        for table in TABLES:
            session.execute(delete(table).where(table.slice_id == number))
        pieces = found.slice.material.pieces
        common = {"slice_id": number, "game": game.name, "material": material, "side": side, "pieces": pieces}
        session.add_all(GainRow(**common, **row) for row in gain_rows(found, PAIRS))
        session.add_all(RuleRow(**common, **row) for row in rule_rows(found))
        session.add_all(TreeRow(**common, **row) for row in tree_rows(found))


def best(found: Patterns, number: int, most: int | None = None) -> list[Gain]:
    """The gains of so many features together, the best first."""
    return [one for one in found.gains if len(one.features) == number][:most]


def gain_rows(found: Patterns, pairs: int, singles: int | None = None) -> Iterator[dict[str, Any]]:
    """What features tell, as fields of `pattern_gains`: the best singles, then the best pairs."""
    whole = {"commonest": found.commonest, "entropy": found.entropy, "positions": found.positions}
    for one in (*best(found, 1, singles), *best(found, 2, pairs)):
        told = {"gain": one.gain, "explains": one.explains, "decides": one.decides}
        yield {"features": one.name, "number": len(one.features), **told, **whole}


def rule_rows(found: Patterns) -> Iterator[dict[str, Any]]:
    """The rules, as fields of `pattern_rules`."""
    for one in found.rules:
        named = {"outcome": one.outcome, "comparisons": one.comparisons, "condition": one.condition}
        yield {**named, "positions": one.positions, "share": one.positions / found.positions}


def tree_rows(found: Patterns) -> Iterator[dict[str, Any]]:
    """The tree, if there is one, as fields of `pattern_trees`."""
    if found.tree is not None:
        one, positions = found.tree, found.positions
        counted = {"trained": one.trained, "errors": one.errors, "error": one.errors / positions, "positions": positions}
        yield {"depth": one.depth, "leaves": one.leaves, **counted, "tree": one.text, "expression": one.sql}
