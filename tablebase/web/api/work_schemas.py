"""What is sent and answered about counts, estimates and statements."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from tablebase.web.api.schemas import LIMITS, LONGEST_NAME, LONGEST_POSITION, GameName, Given, MaterialName, Told

LONGEST_STATEMENT = 100_000
"""Characters."""


class CountGiven(Given):
    """A start."""

    game: Annotated[str, Field(max_length=LONGEST_NAME, description="Name of the game, which must end.", examples=["hexapawn"])]
    position: Annotated[str | None, Field(max_length=LONGEST_POSITION, description="By default the start of the game.")] = None


class CountRow(Told):
    """The counts of a start; also how many games each side wins, as `won_` and its letter."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"example": {"game": "hexapawn", "reachable": 135, "final": 65, "games": 134, "won_w": 64, "won_b": 70}},
    )
    game: str
    reachable: int
    final: int
    games: int


class EstimateGiven(Given):
    """A material, or a number of pieces."""

    game: GameName
    material: Annotated[MaterialName | None, Field(examples=["RvC"])] = None
    pieces: Annotated[int | None, Field(ge=2, le=64, description="All tables with this number of pieces, and what they need.")] = (
        None
    )


class EstimateRow(Told):
    """What tables take: of a number of pieces, or of one material."""

    pieces: int
    slices: int
    distinct: int
    tables: int
    placements: int
    distinct_placements: int
    memory: Annotated[int, Field(description="Bytes, for the largest table.")]
    disk: Annotated[int, Field(description="Bytes.")]
    cpu_seconds: float
    material: str | None
    wall_seconds: float
    start_seconds: float


class MineGiven(Given):
    """A statement over the positions of a game."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "game": "doushouqi",
                "statement": "SELECT outcome, count(*) AS n FROM positions WHERE material = 'RvC' GROUP BY outcome ORDER BY n",
            }
        }
    )
    game: GameName
    statement: Annotated[str, Field(max_length=LONGEST_STATEMENT, description="One SELECT over positions.")]
    limit: Annotated[int, Field(ge=0, le=LIMITS.rows, description="Answer with this number of rows at most.")] = 1000


class MineAnswer(Told):
    """The rows of a statement's result."""

    columns: list[str]
    rows: list[dict[str, Any]]
    complete: Annotated[bool, Field(description="Whether these are all rows.")]
