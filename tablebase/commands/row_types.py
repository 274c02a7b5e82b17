"""Answers as JSON has them: the description of the interface and the columns of the command line follow from these."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # that of Python 3.11 does not keep what Pydantic needs


class GameRow(TypedDict):
    """An installed game, as `tablebase games` lists it."""

    game: str
    title: str
    variants: str
    squares: int | None
    pieces: str
    start: str
    commands: str


class BoxRow(TypedDict):
    """A matchbox, as `tablebase boxes` lists it."""

    box: int
    move: int
    """The number of the move in the game, counting both sides from 1."""
    position: str
    beads: str
    """The moves of its beads."""
    taken: str
    """The moves of removed beads."""


class CountRow(TypedDict):
    """The counts from a start; `won_` with the letter of a side is the number of games that the side wins."""

    game: str
    reachable: int
    final: int
    games: int


class DividedRow(TypedDict):
    """The games after a move; `won_` with the letter of a side is the number of games that the side wins.

    `outcome` and `distance` are the result that the move forces for the moving side, None if unknown; `share` is the share of
    games that this side wins.
    """

    move: str
    outcome: str | None
    distance: int | None
    games: int
    share: float
    position: str


class ExploitRow(TypedDict):
    """The chance of a side to win against a weakened player; with `divide`, after a move of either player."""

    player: str
    fuzz: float
    side: str
    chance: float
    best: NotRequired[str | None]
    """The best move; None if the other player moves."""
    move: NotRequired[str]
    probability: NotRequired[float | None]
    """The probability that the other player makes the move; None for moves of the side."""


class LayerRow(TypedDict):
    """A layer of the tables of a game of chance."""

    region: str
    layer: str
    states: int
    wins: int
    losses: int
    exact: int
    open: int
    stalling: int


class ExactRow(TypedDict):
    """The table of a game by functions without chance; wins, losses and draws are for the player to move."""

    positions: int
    final: int
    """Positions in which the game is over."""
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_win_position: str | None
    longest_loss: int | None
    longest_loss_position: str | None


class _Ranks(TypedDict):
    tier: str
    ranks: int
    """The number of ranks, including ranks without a position."""


class TierRow(_Ranks, ExactRow):
    """A tier of a game by compiled functions, in which equivalent positions count once."""


class MaterialRow(TypedDict):
    """A material that has been built."""

    material: str
    pieces: int
    sides: str
    """Letters of the sides to move with a separate slice."""
    placements: int
    positions: int
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None


class SliceRow(TypedDict):
    """A slice, as in the view `slice_counts` of the catalog."""

    game: str
    material: str
    side: str
    pieces: int
    is_alias: int
    stored_as: str
    stored_side: str
    pairing: str
    placements: int
    stalemates: int
    positions: int
    wins: int
    losses: int
    draws: int
    void: int
    longest_win: int | None
    longest_loss: int | None
    longest_win_position: str | None
    longest_loss_position: str | None


class DistanceRow(TypedDict):
    """The number of a slice's placements with one outcome and distance."""

    side: str
    outcome: Literal["win", "loss"]
    distance: int
    placements: int


class Neighbour(TypedDict):
    """A stored material that a capture or promotion connects with another one."""

    material: str
    built: bool


class MaterialDescription(TypedDict):
    """A material with its pieces, slices, distances and neighbours."""

    game: str
    material: str
    pieces: list[str]
    slices: list[SliceRow]
    distances: list[DistanceRow]
    stored_as: str
    """The material under which the positions are stored."""
    depends_on: list[Neighbour]
    """Stored materials after a capture or promotion."""
    needed_by: list[Neighbour]
    """Stored materials with a capture or promotion into this one."""


class RecordRow(TypedDict):
    """A longest win or loss under best play, with its position."""

    pieces: int
    material: str
    side: str
    outcome: Literal["win", "loss"]
    distance: int
    position: str


class Cost(TypedDict):
    """Cost of tables that have not been built."""

    tables: int
    """The number of tables, including the tables that the missing one depends on."""
    placements: int
    """The number of placements in the slices to solve."""
    disk: int
    """Disk space in bytes."""
    memory: int
    """Memory in bytes for the largest table."""
    cpu_seconds: float
    """CPU time to solve, write and verify the tables."""
    wall_seconds: float
    """Elapsed time with one worker."""


class MineAnswer(TypedDict):
    """The rows of a statement's result."""

    columns: list[str]
    rows: list[dict[str, Any]]
    complete: bool
    """False if further rows were left out."""
