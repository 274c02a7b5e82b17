"""Moves of the named players."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field, StrictFloat, StrictInt

from tablebase.game.examples import example
from tablebase.web.api.routes import post
from tablebase.web.api.schemas import LIMITS, LONGEST_NAME, LONGEST_POSITION, GameName, Given, Told
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.worker_pool import played

router = APIRouter(tags=["play"])
SEED = Field(ge=0, lt=1 << 63, description="Seed for the random number generator; by default, a random seed.", examples=[1])
ShortText = Annotated[str, Field(max_length=LONGEST_NAME)]


class PlayGiven(Given):
    """The moves of a game so far, and the player that chooses the next move."""

    model_config = ConfigDict(json_schema_extra=example("play"))
    game: GameName
    position: str | None = Field(None, max_length=LONGEST_POSITION, description="Start position; by default, the initial position.")
    moves: list[ShortText] = Field([], max_length=LIMITS.plies, description="Moves so far; not supported in games with chance.")
    player: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="Player to use (tables, fuzzy, engine, computer, ranking, foxbox, exploit, matchboxes or random). "
        "By default, the first of computer, tables and random that supports the game.",
    )
    settings: dict[str, ShortText | StrictInt | StrictFloat] = Field(
        {}, max_length=20, description="Settings of the player, such as fuzz or level, as strings or numbers."
    )
    seed: Annotated[int | None, SEED] = None


class EndingAnswer(Told):
    """The result of a finished game."""

    winner: Annotated[str | None, Field(description="Letter of the winner; null for a draw.")]
    why: str = Field(
        description="Reason for the end (goal, last piece, no move, escaped, repeated, resigned, or a reason defined by the game)."
    )


class PlayAnswer(Told):
    """A player's move."""

    game: str
    position: Annotated[str, Field(description="Position before the move.")]
    player: str
    move: Annotated[str | None, Field(description="The player's move; null if the player resigns.")]
    after: Annotated[str, Field(description="Position after the move; in games with chance, before the next dice roll or card.")]
    remark: Annotated[str, Field(description="The player's comment on its move; may be empty.")]
    seed: Annotated[int, Field(description="Seed used for this move; the same seed gives the same move.")]
    ending: EndingAnswer | None


@post(router, "/play", PlayAnswer, 404)
async def play(request: Request, given: PlayGiven) -> Response:
    """Choose a move for a position with one of the built-in players.

    Players and settings are the same as in `tablebase play`. The server stores no games; each request contains all moves so far.
    """
    return answered(request, await played(request, given.model_dump()), PRIVATE)
