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
SEED = Field(ge=0, lt=1 << 63, description="Decides all chance; without it, chance itself does.", examples=[1])
ShortText = Annotated[str, Field(max_length=LONGEST_NAME)]


class PlayGiven(Given):
    """A game as it stands, and who is to move in it."""

    model_config = ConfigDict(json_schema_extra=example("play"))
    game: GameName
    position: str | None = Field(None, max_length=LONGEST_POSITION, description="First position of the game; by default its start.")
    moves: list[ShortText] = Field([], max_length=LIMITS.plies, description="Moves since then; not in games of chance.")
    player: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="A player for the game: tables, fuzzy, engine, computer, ranking, foxbox, exploit, matchboxes or random; "
        "by default computer where it can play, else tables where there may be some, else random.",
    )
    settings: dict[str, ShortText | StrictInt | StrictFloat] = Field(
        {}, max_length=20, description="Settings of the player, such as fuzz and level, as texts or numbers."
    )
    seed: Annotated[int | None, SEED] = None


class EndingAnswer(Told):
    """Ending of a game."""

    winner: Annotated[str | None, Field(description="Letter of the side that has won; null for a draw.")]
    why: str = Field(
        description="goal, last piece, no move, escaped, repeated or resigned; in a game by functions a word from its rules."
    )


class PlayAnswer(Told):
    """A player's move."""

    game: str
    position: Annotated[str, Field(description="Before the move.")]
    player: str
    move: Annotated[str | None, Field(description="Null if the player resigns.")]
    after: Annotated[str, Field(description="The position after the move; of games of chance, before the draw that follows.")]
    remark: str
    seed: Annotated[int, Field(description="The same seed leads to the same move.")]
    ending: EndingAnswer | None


@post(router, "/play", PlayAnswer, 404)
async def play(request: Request, given: PlayGiven) -> Response:
    """Choose a move as one of the named players.

    Players and settings are as in `tablebase play`. The server keeps no game: each request contains all moves so far.
    """
    return answered(request, await played(request, given.model_dump()), PRIVATE)
