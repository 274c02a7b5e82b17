"""Answers as JSON has them: the description of the interface and the columns of the command line follow from these."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # that of Python 3.11 does not keep what Pydantic needs


class GameRow(TypedDict):
    """An installed game, as listed by `tablebase games`."""

    game: str
    title: str
    variants: str
    squares: int | None
    pieces: str
    start: str
    commands: str
    """Commands that support the game, separated by spaces, or `all`."""


class BoxRow(TypedDict):
    """A matchbox, as listed by `tablebase boxes`."""

    box: int
    move: int
    """Number of the move in the game, counting the moves of both sides from 1."""
    position: str
    beads: str
    """Moves that the beads in the box represent."""
    taken: str
    """Moves represented by the beads that were removed after losses."""


class CountRow(TypedDict):
    """Numbers of reachable positions and possible games; a field such as `won_w` is the number of games that side w wins."""

    game: str
    reachable: int
    """Number of reachable positions."""
    final: int
    """Number of reachable positions in which the game is over."""
    games: int
    """Number of possible games."""


class DividedRow(TypedDict):
    """Counts of the possible games after a move; a field such as `won_w` is the number of games that side w wins.

    The fields `outcome` and `distance` are the result of the move for the moving side under best play; None if unknown. `share`
    is the share of games that the moving side wins.
    """

    move: str
    outcome: str | None
    distance: int | None
    games: int
    share: float
    position: str


class ExploitRow(TypedDict):
    """Chance of winning against a weakened player; with the option `divide`, the chance after a particular first move."""

    player: str
    fuzz: float
    side: str
    """Side that plays against the weakened player."""
    chance: float
    """Chance that `side` wins."""
    best: NotRequired[str | None]
    """Best move; None if the weakened player is to move."""
    move: NotRequired[str]
    probability: NotRequired[float | None]
    """Probability that the weakened player makes the move; None for moves of the other side."""


class LayerRow(TypedDict):
    """Counts of states in a layer (one table file of a game with chance)."""

    region: str
    layer: str
    states: int
    wins: int
    losses: int
    exact: int
    """Number of states with equal bounds on the probability of winning, including wins and losses."""
    open: int
    """Number of states with the bounds 0 and 1, which say nothing about the probability of winning."""
    stalling: int
    """Number of states in which the players can prolong the game forever."""


class ExactRow(TypedDict):
    """Counts for the table of a game defined by functions; wins, losses and draws are for the player to move."""

    positions: int
    final: int
    """Number of positions in which the game is over."""
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
    """Number of ranks (table indices), including ranks without a position."""


class TierRow(_Ranks, ExactRow):
    """Counts for one tier (table) of a game defined by compiled functions; equivalent positions count once."""


class MaterialRow(TypedDict):
    """Counts for a material (set of pieces of both sides) that has tables."""

    material: str
    pieces: int
    sides: str
    """Letters of the sides to move; all counts are totals over these sides."""
    placements: int
    positions: int
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None


class SliceRow(TypedDict):
    """Counts for one slice (set of pieces with one side to move), as in the catalog view `slice_counts`."""

    game: str
    material: str
    side: str
    pieces: int
    is_alias: int
    stored_as: str
    stored_side: str
    pairing: str
    """For each piece of the stored material, the number (from 1) of the equivalent piece in the slice's material."""
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
    """Number of placements with a given outcome and distance, for one side to move."""

    side: str
    outcome: Literal["win", "loss"]
    distance: int
    placements: int


class Neighbour(TypedDict):
    """A stored material that is one capture or promotion away from another material."""

    material: str
    built: bool


class MaterialDescription(TypedDict):
    """Description of a material: pieces, counts of outcomes and distances, and the materials one capture or promotion away."""

    game: str
    material: str
    pieces: list[str]
    slices: list[SliceRow]
    distances: list[DistanceRow]
    stored_as: str
    """Name of the stored material that contains these positions or equivalent positions."""
    depends_on: list[Neighbour]
    """Stored materials that a capture or promotion can lead to."""
    needed_by: list[Neighbour]
    """Stored materials from which a capture or promotion can lead to this material."""


class RecordRow(TypedDict):
    """A position with the longest win or loss under best play."""

    pieces: int
    material: str
    side: str
    outcome: Literal["win", "loss"]
    distance: int
    position: str


class Cost(TypedDict):
    """Estimated cost of building missing tables."""

    tables: int
    """Number of tables to build, including tables that the missing table depends on."""
    placements: int
    """Number of placements (of pieces on squares) in the tables to build."""
    disk: int
    """Disk space in bytes."""
    memory: int
    """Memory in bytes for the largest table."""
    cpu_seconds: float
    """CPU time in seconds to solve, write and verify the tables."""
    wall_seconds: float
    """Elapsed time in seconds with one worker."""


class MineAnswer(TypedDict):
    """The result of an SQL query."""

    columns: list[str]
    rows: list[dict[str, Any]]
    complete: bool
    """False if the result was cut off at the row limit."""
