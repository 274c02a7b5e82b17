"""Columns as the revisions write them; they stay as they are when the schema changes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Integer, SmallInteger, String

INTEGER = Integer().with_variant(BigInteger(), "postgresql")
TEXT = String().with_variant(String(collation="C"), "postgresql")
TRUTH = Boolean().with_variant(SmallInteger(), "postgresql")


def number() -> Column[Any]:
    """The number of a row."""
    return Column("id", INTEGER, primary_key=True)


def integer(name: str, *, optional: bool = False) -> Column[Any]:
    """A whole number."""
    return Column(name, INTEGER, nullable=optional)


def real(name: str, *, optional: bool = False) -> Column[Any]:
    """A number."""
    return Column(name, Double(), nullable=optional)


def text(name: str, *, optional: bool = False, unique: bool = False) -> Column[Any]:
    """A text."""
    return Column(name, TEXT, nullable=optional, unique=unique or None)


def added(name: str) -> Column[Any]:
    """A text that rows made earlier do not have yet."""
    return Column(name, TEXT, nullable=False, server_default="")


def game() -> Column[Any]:
    """The name of a game in the table of games."""
    return Column("game", TEXT, ForeignKey("games.name"), nullable=False)


def belongs_to(table: str, *, key: bool = False) -> Column[Any]:
    """The number of a row of another table, with which this one goes."""
    name = f"{table.removesuffix('s')}_id"
    return Column(
        name, INTEGER, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False, primary_key=key, autoincrement=False
    )
