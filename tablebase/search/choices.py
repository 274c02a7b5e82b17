"""What callers may choose, importable without compiling anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RepeatedLines(StrEnum):
    """What perft makes of a line that comes back to one of its own earlier positions."""

    CONTINUE = "continue"
    """A line like any other."""
    LEAF = "leaf"
    """One leaf, which is not continued, at every depth from there on."""


class Repetition(StrEnum):
    """What the third occurrence of a position means in play; tables know no such rule."""

    NONE = "none"
    DRAW = "draw"
    LOSS = "loss"
    """A loss for the side that repeats."""


@dataclass(frozen=True)
class Options:
    """How an engine searches.

    Parameters
    ----------
    exact : bool
        Whether scores are those of plain minimax to the depth; else the search is selective and much deeper.
    threads : int
    hash_bytes : int
        Memory of the transposition table.
    table_bytes : int
        Memory for chunks of tables.
    table_pieces : int, optional
        The most pieces of positions that are looked up in tables; by default, as many as there are tables of.
    repetition : Repetition
    progress : int
        Plies without a capture after which the game is a draw; 0 for no such rule. Tables know none.
    transpositions, ordering, mirror_keys : bool
        Whether to use the transposition table, to order moves, and to share entries between mirror images; for checks.
    """

    exact: bool = False
    threads: int = 1
    hash_bytes: int = 64 * 2**20
    table_bytes: int = 256 * 2**20
    table_pieces: int | None = None
    repetition: Repetition = Repetition.NONE
    progress: int = 0
    transpositions: bool = True
    ordering: bool = True
    mirror_keys: bool = False
