"""Choices of callers, importable without compiling anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tablebase.errors import ArgumentError, CapacityError, quoted
from tablebase.game.plain_arguments import as_whole
from tablebase.system.compute import machine


class RepeatedLines(StrEnum):
    """Rule for counting move sequences that repeat a position, in perft functions such as `leaves`."""

    CONTINUE = "continue"
    """Extend the line as usual."""
    LEAF = "leaf"
    """End the line; it counts once at its length and once at every greater length."""


class Repetition(StrEnum):
    """Result of the third occurrence of a position in a search; table values ignore this rule."""

    NONE = "none"
    DRAW = "draw"
    LOSS = "loss"
    """Loss for the side that repeats the position."""


class Objective(StrEnum):
    """Quantity that a player maximises in a game of several players."""

    OWN = "own"
    """His own value."""
    LEAD = "lead"
    """His least lead over the others."""


class Cards(StrEnum):
    """Handling of chance in a search."""

    DRAW = "draw"
    """One outcome for each state, drawn by a seed."""
    EXPECTATION = "expectation"
    """The average of all outcomes, rounded down to a thousandth of a point."""


@dataclass(frozen=True)
class Foresight:
    """Settings of lookahead in a game of chance or of several players."""

    depth: int = 3  # in turns of all players together
    objective: Objective = Objective.OWN  # what every player is supposed to want
    stop_at_finisher: bool = True  # whether nothing is looked at after a turn in which a player has finished
    # Whether to leave out what cannot matter. It changes no result, and is sound for two players and `Objective.LEAD` only.
    alpha_beta: bool = False
    sort: bool = False  # whether to look first at what seems best, which changes no result, and helps alpha-beta
    # For the first turn, the second one and so on, and with the last number for all later ones: how many of the moves that seem
    # best are looked at; 0 for all of them. Empty for all of them everywhere.
    cuts: tuple[int, ...] = ()
    cards: Cards = Cards.DRAW
    nodes: int = 1 << 30  # the most states that a search may look at


@dataclass(frozen=True)
class Options:
    """Options of an engine.

    Parameters
    ----------
    exact : bool
        Whether to search all moves to the full depth, like plain minimax; by default, the search is selective and much deeper.
    threads : int
        Number of threads that search in parallel.
    hash_bytes : int
        Memory for the transposition table, in bytes.
    table_bytes : int
        Memory for decompressed table data, in bytes.
    table_pieces : int, optional
        Maximum number of pieces for table lookups; by default, the largest number of pieces in any available table.
    repetition : Repetition
        Result of the third occurrence of a position.
    progress : int
        Number of plies without a capture after which the game is a draw; 0 for no limit. Table values ignore this rule.
    transpositions, ordering : bool
        Whether to use the transposition table and to sort moves; only tests turn these options off.
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


def check_options(options: Options) -> None:
    """Raise `TablebaseError` unless an engine can search like this, `CapacityError` if the tables' memory does not fit."""
    for name in ("threads", "hash_bytes", "table_bytes", "progress"):
        as_whole(name, getattr(options, name))
    if options.table_pieces is not None:
        as_whole("table_pieces", options.table_pieces)
    if options.threads < 1:
        raise ArgumentError(f"threads must be at least 1, not {options.threads}")
    for name, number in (
        ("number of plies without a capture", options.progress),
        ("number of pieces to look up", options.table_pieces),
        ("memory for tables", options.table_bytes),
    ):
        if number is not None and number < 0:
            raise ArgumentError(f"the {name} must be at least 0, not {number}")
    if options.table_bytes > machine.memory():
        raise CapacityError("the table cache", "reduce table_bytes", needed=options.table_bytes, allowed=machine.memory())
    if options.repetition not in list(Repetition):
        raise ArgumentError(f"unknown repetition rule {quoted(str(options.repetition))}: choose none, draw or loss")
