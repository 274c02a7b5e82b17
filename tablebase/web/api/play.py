"""Moves of the named players, and the commands of a server for Hare & Hedgehog."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field, StrictFloat, StrictInt

from tablebase.api.commands import DEFAULT_GAME
from tablebase.web.api.routes import post
from tablebase.web.api.schemas import LIMITS, LONGEST_NAME, LONGEST_POSITION, GameName, Given, Told
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.questions import commanded, played

router = APIRouter(tags=["play"])
SEED = Field(ge=0, lt=1 << 63, description="Decides all chance; without it, chance itself does.", examples=[1])
SettingText = Annotated[str, Field(max_length=LONGEST_NAME)]
HareName = Annotated[
    str,
    Field(
        max_length=LONGEST_NAME, description="A game of chance or of several players, with its variant.", examples=[DEFAULT_GAME]
    ),
]
HarePosition = Annotated[
    str | dict[str, Any],
    Field(description="As text, or described as in `description` of an answer.", examples=["0:68:3,0:68:3 1"]),
]


class PlayGiven(Given):
    """A game as it stands, and who is to move in it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"game": "hexapawn", "position": "ppp/3/PPP w", "moves": ["b1b2"], "player": "engine", "seed": 1}
        }
    )
    game: GameName
    position: Annotated[
        str | None, Field(max_length=LONGEST_POSITION, description="Where the game has begun; by default its start.")
    ] = None
    moves: Annotated[
        list[Annotated[str, Field(max_length=LONGEST_NAME)]],
        Field(max_length=LIMITS.plies, description="What has been played since; not of games of chance."),
    ] = []  # noqa: RUF012 (Pydantic copies it)
    player: Annotated[
        str | None,
        Field(
            max_length=LONGEST_NAME,
            description="A player for the game: tables, fuzzy, engine, computer, ranking, foxbox, exploit, matchboxes or random; "
            "by default computer where it can play, else tables where there may be some, else random.",
        ),
    ] = None
    settings: Annotated[
        dict[str, SettingText | StrictInt | StrictFloat],
        Field(max_length=20, description="Settings of the player, such as fuzz and level, as texts or numbers."),
    ] = {}  # noqa: RUF012
    seed: Annotated[int | None, SEED] = None


class EndingRow(Told):
    """How a game has ended."""

    winner: Annotated[str | None, Field(description="Letter of the side that has won; null for a draw.")]
    why: Annotated[
        str,
        Field(description="goal, last piece, no move, escaped, repeated or resigned; in a game by functions a word of its author."),
    ]


class PlayAnswer(Told):
    """A player's move."""

    game: str
    position: Annotated[str, Field(description="Before the move.")]
    player: str
    move: Annotated[str | None, Field(description="Null if the player resigns.")]
    after: Annotated[str, Field(description="The position after the move; of games of chance, before what is drawn then.")]
    remark: str
    seed: Annotated[int, Field(description="The same seed leads to the same move.")]
    ending: EndingRow | None


class HareNew(Given):
    """A new game."""

    game: HareName = DEFAULT_GAME
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
    """A game as it stands; see `tablebase.api.commands`."""

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


@post(router, "/play", PlayAnswer, 404)
async def play(request: Request, given: PlayGiven) -> Response:
    """Choose a move as one of the named players.

    Players, and their settings, are those of `tablebase play`. Nothing is kept: what has been played is sent along.
    """
    return answered(request, await played(request, given.model_dump()), PRIVATE)


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
