"""The routes of a server for Hare & Hedgehog: its commands over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from tablebase.web.api.play import SEED
from tablebase.web.api.routes import post
from tablebase.web.api.schemas import LONGEST_NAME, Given, Told
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.worker_pool import commanded
from tablebase_rules.harehedgehog_players import COMMANDED as GAME

ABOUT = "a server for Hare & Hedgehog"
router = APIRouter(tags=["play"])
HareName = Annotated[
    str,
    Field(max_length=LONGEST_NAME, description="A game of chance or of several players, with its variant.", examples=[GAME]),
]
HarePosition = Annotated[
    str | dict[str, Any],
    Field(description="As text, or described as in `description` of an answer.", examples=["0:68:3,0:68:3 1"]),
]


class HareNew(Given):
    """A new game."""

    game: HareName = GAME
    seed: Annotated[int | None, SEED] = None


class HareMove(HareNew):
    """A move to be made."""

    position: HarePosition
    code: Annotated[int, Field(gt=-(1 << 63), lt=1 << 63, description="The number of the move.", examples=[5])]


class HareComputer(HareNew):
    """A move to be found."""

    position: HarePosition
    settings: Annotated[
        dict[str, Any], Field(description="Settings of the player computer.", examples=[{"depth": 3}], max_length=20)
    ] = {}  # noqa: RUF012


class HareMoveRow(Told):
    """A legal move."""

    code: int
    text: str


class HareCard(Told):
    """What was drawn."""

    card: str
    text: str


class HareAnswer(Told):
    """A game as it stands; see `tablebase.commands.game_requests`."""

    success: Literal[True]
    game: str
    position: str
    description: Any
    to_move: int | None
    moves: list[HareMoveRow]
    code: int | None
    cards: list[HareCard]
    places: list[int] | None
    values: list[float] | None = None


@post(router, "/harehedgehog/new", HareAnswer, name="harehedgehog_new")
async def new(request: Request, given: HareNew) -> Response:
    """Begin a game of Hare & Hedgehog, or another one with chance or several players."""
    return answered(request, await commanded(request, "new", given.model_dump(exclude_unset=True)), PRIVATE)


@post(router, "/harehedgehog/move", HareAnswer, name="harehedgehog_move")
async def move(request: Request, given: HareMove) -> Response:
    """Make a move, and all draws that follow it."""
    return answered(request, await commanded(request, "move", given.model_dump(exclude_unset=True)), PRIVATE)


@post(router, "/harehedgehog/computer", HareAnswer, name="harehedgehog_computer")
async def computer(request: Request, given: HareComputer) -> Response:
    """Make the move that looking ahead finds best, and all draws that follow it."""
    return answered(request, await commanded(request, "computer", given.model_dump(exclude_unset=True)), PRIVATE)
