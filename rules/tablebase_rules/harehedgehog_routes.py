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
    Field(
        max_length=LONGEST_NAME,
        description="Name of a game with chance or more than two players, including its variant.",
        examples=[GAME],
    ),
]
HarePosition = Annotated[
    str | dict[str, Any],
    Field(
        description="Position as text, or as an object with the structure of the field `description` in a response.",
        examples=["0:68:3,0:68:3 1"],
    ),
]


class HareNew(Given):
    """A request for a new game."""

    game: HareName = GAME
    seed: Annotated[int | None, SEED] = None


class HareMove(HareNew):
    """A request to make a move."""

    position: HarePosition
    code: Annotated[
        int, Field(gt=-(1 << 63), lt=1 << 63, description="Number of the move, from `moves` in a response.", examples=[5])
    ]


class HareComputer(HareNew):
    """A request for a move by the computer."""

    position: HarePosition
    settings: Annotated[
        dict[str, Any],
        Field(description="Settings of the player `computer`, such as `depth`.", examples=[{"depth": 3}], max_length=20),
    ] = {}  # noqa: RUF012


class HareMoveRow(Told):
    """A legal move, with its number and description."""

    code: int
    text: str


class HareCard(Told):
    """A chance event that led to the position, such as a drawn card."""

    card: str
    text: str


class HareAnswer(Told):
    """The position and legal moves of a game; see `tablebase.commands.game_requests` for the fields."""

    success: Literal[True]
    game: str
    position: Annotated[str, Field(description="Position as text, to be sent with the next request.")]
    description: Annotated[Any, Field(description="The position as structured data, which depends on the game.")]
    to_move: Annotated[int | None, Field(description="Number of the player to move, from 1; null if the game is over.")]
    moves: Annotated[list[HareMoveRow], Field(description="Legal moves; empty if the game is over.")]
    code: Annotated[int | None, Field(description="Number of the last move; null for a new game.")]
    cards: Annotated[list[HareCard], Field(description="Chance events since the last move.")]
    places: Annotated[list[int] | None, Field(description="Place of each player, from 1; null unless the game is over.")]
    values: Annotated[list[float] | None, Field(description="For a move by the computer, the expected points of each player.")] = (
        None
    )


@post(router, "/harehedgehog/new", HareAnswer, name="harehedgehog_new")
async def new(request: Request, given: HareNew) -> Response:
    """Begin a game of Hare & Hedgehog, or another game with chance or more than two players."""
    return answered(request, await commanded(request, "new", given.model_dump(exclude_unset=True)), PRIVATE)


@post(router, "/harehedgehog/move", HareAnswer, name="harehedgehog_move")
async def move(request: Request, given: HareMove) -> Response:
    """Make a move and resolve the chance events that follow."""
    return answered(request, await commanded(request, "move", given.model_dump(exclude_unset=True)), PRIVATE)


@post(router, "/harehedgehog/computer", HareAnswer, name="harehedgehog_computer")
async def computer(request: Request, given: HareComputer) -> Response:
    """Search for the best move, then make this move and resolve the chance events that follow."""
    return answered(request, await commanded(request, "computer", given.model_dump(exclude_unset=True)), PRIVATE)
