"""What is sent and answered, as the description of the interface (OpenAPI) shows it; names are those of the command line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tablebase.web.settings import Limits

LIMITS = Limits()
LONGEST_NAME = 100
"""Characters of a game's name with its variant."""
LONGEST_POSITION = 1000
LOST = "7/7/7/7/3c3/7/7/R6/7 w"
"""A position of two pieces, for examples."""

GameName = Annotated[
    str,
    Field(
        max_length=LONGEST_NAME,
        description="Name of the game, with its variant if it has one, such as hexapawn-4x4.",
        examples=["doushouqi"],
    ),
]
PositionText = Annotated[
    str,
    Field(
        max_length=LONGEST_POSITION,
        description="Rows from the top, then the side to move; of games of chance, as the game writes its states.",
        examples=[LOST],
    ),
]
MaterialName = Annotated[str, Field(max_length=LONGEST_NAME, description="Pieces of both sides, in any order.", examples=["RvC"])]
Outcome = Annotated[
    Literal["win", "loss", "draw"] | None, Field(description="For the side that it is about; null if it is unknown.")
]
Distance = Annotated[int | None, Field(description="Plies to the result under best play; null for a draw.")]


class Given(BaseModel):
    """What is sent: nothing but these fields."""

    model_config = ConfigDict(extra="forbid")


class Told(BaseModel):
    """What is answered."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error (RFC 9457), whose `detail` is one sentence: what is wrong, and what to do."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "title": "Bad Request",
                "status": 400,
                "detail": "there is no game 'doushuqi' (did you mean 'doushouqi'?); "
                "installed: doushouqi, foxhounds, harehedgehog, hasenspiel, hexapawn, pig",
            }
        },
    )
    title: str
    status: int
    detail: str


class Cost(Told):
    """What tables take that have not been built."""

    tables: Annotated[int, Field(description="How many: the missing one, and those that it depends on.")]
    placements: Annotated[int, Field(description="In the slices that are solved and stored.")]
    disk: Annotated[int, Field(description="Bytes.")]
    memory: Annotated[int, Field(description="Bytes, for the largest of them.")]
    cpu_seconds: Annotated[float, Field(description="To solve, write and verify them.")]
    wall_seconds: Annotated[float, Field(description="The same by the clock, with one worker.")]


class MissingTable(Problem):
    """A table that has not been built, the command that builds it, and what that takes."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "title": "Not Found",
                "status": 404,
                "detail": "the table RCvW of doushouqi has not been built: run 'tablebase build doushouqi --material RCvW'",
                "game": "doushouqi",
                "material": "RCvW",
                "pieces": None,
                "command": "tablebase build doushouqi --material RCvW",
                "estimate": {
                    "tables": 1,
                    "placements": 228096,
                    "disk": 41000,
                    "memory": 301000000,
                    "cpu_seconds": 0.1,
                    "wall_seconds": 0.1,
                },
            }
        }
    )
    game: str | None = None
    material: str | None = None
    pieces: int | None = None
    command: str | None = None
    estimate: Cost | None = None


# Games


class GameRow(Told):
    """An installed game, as `tablebase games` lists it."""

    game: str
    title: str
    variants: str
    squares: int | None
    pieces: str
    start: str
    commands: str


# Probes and lines


class ProbeGiven(Given):
    """A position, and how to look it up."""

    game: GameName
    position: PositionText
    strict: Annotated[bool, Field(description="Refuse positions with moves whose tables are missing.")] = False
    turns: Annotated[
        int | None,
        Field(ge=1, le=100, description="Games of chance: also the chances of winning within this number of turns."),
    ] = None


class BatchGiven(Given):
    """Many positions of one game."""

    game: GameName
    positions: Annotated[
        list[str],
        # Longer lists are refused by the route, whose sentence names the server's own limit.
        Field(min_length=1, examples=[[LOST, "7/7/5c1/R6/7/7/7/7/7 b"]], json_schema_extra={"maxItems": LIMITS.batch}),
    ]
    strict: Annotated[bool, Field(description="Do not answer positions with moves whose tables are missing.")] = False
    turns: Annotated[
        int | None,
        Field(ge=1, le=100, description="Games of chance: also the chances of winning within this number of turns."),
    ] = None


class MoveRow(Told):
    """A legal move, and the value of the position after it for the side that makes it."""

    move: Annotated[str, Field(description="Origin and target; of games of chance, the number of the move.")]
    position: str
    outcome: Outcome
    distance: Distance
    missing: Annotated[str, Field(description="The material whose table is missing, if the value is unknown.")] | None = None
    lower: Annotated[float, Field(description="Games of chance: the chance to win that the mover can force.")] | None = None
    upper: Annotated[float, Field(description="Games of chance: what the others cannot prevent, at most.")] | None = None
    outcomes: list[DrawRow] | None = None


class DrawRow(Told):
    """An outcome of chance."""

    probability: Annotated[str, Field(description="A fraction, such as 1/6.")]
    card: str
    position: str
    lower: float
    upper: float


class ProbeRow(Told):
    """A position, as `tablebase probe --format json` writes it. Bounds are those of games of chance, and left out otherwise."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "game": "doushouqi",
                "position": LOST,
                "side": "w",
                "outcome": "loss",
                "distance": 8,
                "best": "a2a1",
                "moves": [{"move": "a2a1", "position": "7/7/7/7/3c3/7/7/7/R6 b", "outcome": "loss", "distance": 8}],
            }
        }
    )
    game: str
    position: str
    side: Annotated[str, Field(description="Letter or number of the side to move.")]
    outcome: Outcome
    distance: Distance
    best: Annotated[str | None, Field(description="Null if there is no move, or one of unknown value may be better.")]
    moves: Annotated[list[MoveRow], Field(description="All legal moves, best first.")]
    lower: float | None = None
    upper: float | None = None
    stalling: float | None = None
    outcomes: list[DrawRow] | None = None
    within: dict[str, Any] | None = None
    winner: Annotated[str, Field(description="The side that has won, if the game is over.")] | None = None


class Reason(Told):
    """Why a position has no answer."""

    code: Annotated[str, Field(description="`bad_notation`, `missing_table`, `damaged_table`, `outdated_table` or `error`.")]
    message: Annotated[str, Field(description="One sentence: what is wrong, and what to do.")]


class UnansweredRow(Told):
    """A position without an answer, in the place of its answer."""

    game: str
    position: Annotated[str, Field(description="As it was sent.")]
    error: Reason


class LineGiven(Given):
    """A position, and how far to follow the best moves."""

    game: GameName
    position: PositionText
    plies: Annotated[int | None, Field(ge=0, le=LIMITS.plies, description="Stop after this number of plies.")] = None


class LineRow(Told):
    """A position of an optimal line, as `tablebase line --format json` writes it."""

    ply: int
    side: str
    outcome: Outcome
    distance: Distance
    lower: float | None = None
    upper: float | None = None
    best: str | None
    position: str


# The catalog


class StatsGiven(Given):
    """A game, and what one line is about."""

    game: GameName
    by: Annotated[Literal["pieces", "material"], Field(description="One line for each number of pieces, or for each slice.")] = (
        "pieces"
    )
    pieces: Annotated[int | None, Field(ge=2, le=64, description="Only this number of pieces.")] = None


class CountsRow(Told):
    """Positions of all slices with a number of pieces, or of one slice; aliases are counted."""

    material: str | None = None
    side: str | None = None
    pieces: int
    slices: int
    distinct: int
    placements: int
    stalemates: int
    positions: Annotated[int, Field(description="Placements without stalemates.")]
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None
    of_slices: Annotated[int | None, Field(description="By pieces: how many slices there are, built or not.")] = None


class LayerRow(Told):
    """A layer of the tables of a game of chance."""

    region: str
    layer: str
    states: int
    wins: int
    losses: int
    exact: int
    open: int
    stalling: int


class MaterialsGiven(Given):
    """A game, and a number of pieces."""

    game: GameName
    pieces: Annotated[int | None, Field(ge=2, le=64, description="Only materials with this number of pieces.")] = None


class MaterialRow(Told):
    """A material that has been built."""

    material: str
    pieces: int
    sides: Annotated[str, Field(description="Letters of the sides to move that have a slice of their own.")]
    placements: int
    positions: int
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None


class MaterialGiven(Given):
    """A material of a game."""

    game: GameName
    material: MaterialName


class SliceRow(Told):
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


class DistanceRow(Told):
    """How many placements of a slice have one result."""

    side: str
    outcome: Literal["win", "loss"]
    distance: int
    placements: int


class Neighbour(Told):
    """A stored material beside another one."""

    material: str
    built: bool


class MaterialDescription(Told):
    """A material: its pieces, its slices, how far its positions are from the end, and the materials beside it."""

    game: str
    material: str
    pieces: list[str]
    slices: list[SliceRow]
    distances: list[DistanceRow]
    stored_as: Annotated[str, Field(description="The material whose table holds the positions.")]
    depends_on: Annotated[list[Neighbour], Field(description="Stored materials that a capture or promotion leads to.")]
    needed_by: Annotated[list[Neighbour], Field(description="Stored materials in which a capture or promotion leads here.")]


class RecordsGiven(StatsGiven):
    """A game, and what one record is about."""


class RecordRow(Told):
    """A longest win or loss: the position from which best play takes longest."""

    pieces: int
    material: str
    side: str
    outcome: Literal["win", "loss"]
    distance: int
    position: str
