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
    """The moves of both sides up to the one that it makes, counted from 1."""
    position: str
    beads: str
    """The moves of the beads that it holds."""
    taken: str
    """Moves of the beads that have been taken away."""


class CountRow(TypedDict):
    """The counts of a start; also how many games each side wins, as `won_` and its letter."""

    game: str
    reachable: int
    final: int
    games: int


class DividedRow(TypedDict):
    """The games after a move; also how many of them each side wins, as `won_` and its letter.

    `outcome` and `distance` are the result that the move forces for its side, None if unknown, and `share` is the share of games
    that this side wins.
    """

    move: str
    outcome: str | None
    distance: int | None
    games: int
    share: float
    position: str


class ExploitRow(TypedDict):
    """The chance of a side to win against a player that errs; with `divide`, after one of its moves or of that player's."""

    player: str
    fuzz: float
    side: str
    chance: float
    best: NotRequired[str | None]
    """The best move; None where the other player moves."""
    move: NotRequired[str]
    probability: NotRequired[float | None]
    """That the other player makes the move; None where the side moves."""


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
    """Ranks without a position included."""


class TierRow(_Ranks, ExactRow):
    """A tier of a game by compiled functions, in which equivalent positions count once."""


class MaterialRow(TypedDict):
    """A material that has been built."""

    material: str
    pieces: int
    sides: str
    """Letters of the sides to move that have a slice of their own."""
    placements: int
    positions: int
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None


class SliceRow(TypedDict):
    """A slice, as the view `slice_counts` of the catalog has it."""

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
    """Count of a slice's placements with one result."""

    side: str
    outcome: Literal["win", "loss"]
    distance: int
    placements: int


class Neighbour(TypedDict):
    """A stored material beside another one."""

    material: str
    built: bool


class MaterialDescription(TypedDict):
    """A material: its pieces, its slices, how far its positions are from the end, and the materials beside it."""

    game: str
    material: str
    pieces: list[str]
    slices: list[SliceRow]
    distances: list[DistanceRow]
    stored_as: str
    """The material whose table holds the positions."""
    depends_on: list[Neighbour]
    """Stored materials that a capture or promotion leads to."""
    needed_by: list[Neighbour]
    """Stored materials in which a capture or promotion leads here."""


class RecordRow(TypedDict):
    """A longest win or loss: the position from which best play takes longest."""

    pieces: int
    material: str
    side: str
    outcome: Literal["win", "loss"]
    distance: int
    position: str


class Cost(TypedDict):
    """Cost of tables that have not been built."""

    tables: int
    """Number: the missing one, and those that it depends on."""
    placements: int
    """In the slices that are solved and stored."""
    disk: int
    """Bytes."""
    memory: int
    """Bytes, for the largest of them."""
    cpu_seconds: float
    """To solve, write and verify them."""
    wall_seconds: float
    """The same by the clock, with one worker."""


class MineAnswer(TypedDict):
    """The rows of a statement's result."""

    columns: list[str]
    rows: list[dict[str, Any]]
    complete: bool
    """True if these are all rows."""
