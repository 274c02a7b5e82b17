"""Longer work: counts, estimates, and statements over positions; each in a process of its own, within limits."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from tablebase.building.estimate import SliceEstimate
from tablebase.commands import row_types
from tablebase.commands.registry import VERBS, Verb
from tablebase.commands.shell import summary
from tablebase.errors import TablebaseError
from tablebase.game.examples import example, examples
from tablebase.positions.material import piece_counts
from tablebase.web.api.routes import PREFIX, game_for, get, post, query_of
from tablebase.web.api.schemas import LIMITS, GameName, Given, given_by
from tablebase.web.caching import CHANGING, LASTING, answered
from tablebase.web.context import settings_of, with_spaces
from tablebase.web.problems import ProblemError, has_more_materials
from tablebase.web.worker_pool import Question, apart_of, mined

router = APIRouter(tags=["work"])
LONGEST_STATEMENT = 100_000
"""Characters."""

CountGiven = given_by(
    "count", game={"description": "Name of a game in which positions cannot repeat.", "examples": examples("counted game")}
)

EstimateGiven = given_by(
    "estimate",
    material={"examples": examples("material")},
    pieces={"description": "Number of pieces; the estimate includes all tables that must be built first."},
)


class MineGiven(Given):
    """An SQL query on the positions of a game."""

    model_config = ConfigDict(json_schema_extra=example("mine"))
    game: GameName
    statement: Annotated[str, Field(max_length=LONGEST_STATEMENT, description="One SELECT statement on the table `positions`.")]
    limit: Annotated[int, Field(ge=0, le=LIMITS.rows, description="Maximum number of rows in the answer.")] = 1000


@get(router, "/count", list[row_types.CountRow], given=CountGiven)
async def count(request: Request) -> Response:
    """Count all reachable positions and all possible games; requests that take too long are rejected.

    The response is the output of `tablebase count --format json`, without the elapsed time. Tables are not needed.
    """
    given = query_of(request, CountGiven)
    return await _called(request, VERBS["count"], given, f"counting the games of {given.game}", LASTING)


@get(router, "/estimate", list[SliceEstimate], given=EstimateGiven)
async def estimate(request: Request) -> Response:
    """Predict the disk space, memory and time to build tables, including existing tables.

    The response is the output of `tablebase estimate --format json` with one worker. Requests for more than 10,000
    materials are rejected.
    """
    given = query_of(request, EstimateGiven)
    game = game_for("estimate", given.game)
    if (given.material is None) == (given.pieces is None):
        raise TablebaseError("an estimate needs either material or pieces: set exactly one of them")
    subject, hint = "the estimate", "choose fewer pieces, or "
    if given.pieces is not None:
        piece_counts(game, given.pieces)
        most = settings_of(request).limits.materials
        if has_more_materials(game, given.pieces, most):
            command = command_for(VERBS["estimate"], given)
            many = f"{game.name} has more than {most:,} materials of up to {given.pieces} pieces"
            raise ProblemError(400, f"{many}: {hint}run '{command}'", None, command=command)
    return await _called(request, VERBS["estimate"], given, subject, CHANGING, hint, workers=1)


@post(router, "/mine", row_types.MineAnswer, 403, 404)
async def mine(request: Request, given: MineGiven) -> Response:
    """Query all positions with SQL, if the server was started with --mine.

    The rows are the output of `tablebase mine --format json`. Statements are read-only and can access only the table `positions`.
    """
    return answered(request, await mined(request, given.game, given.statement, given.limit), CHANGING)


def more_routes(paths: Collection[str]) -> APIRouter:
    """Routes of the verbs that have parameters over HTTP and no handler: their answer is made in a process of its own."""
    made = APIRouter(tags=["work"])
    for verb in VERBS.values():
        if verb.http and f"{PREFIX}/{verb.name}" not in paths:
            _add(made, verb)
    return made


def _add(router: APIRouter, verb: Verb) -> None:
    model = given_by(verb.name)

    async def handler(request: Request) -> Response:
        return await _called(request, verb, query_of(request, model), "the answer", CHANGING)

    handler.__name__ = verb.name.replace("-", "_")
    handler.__doc__ = f"{summary(verb)}\n\nThe response is the output of `tablebase {verb.name} --format json`."
    get(router, f"/{verb.name}", list[dict[str, Any]], 404, given=model)(handler)


async def _called(request: Request, verb: Verb, given: Any, subject: str, lasts: str, hint: str = "", **more: Any) -> Response:
    """The rows that a verb's function returns, from a process of its own."""
    command = command_for(verb, given)
    asked = {"verb": verb.name, "given": {**given.model_dump(exclude_none=True), **more}}
    question = Question("call", asked, subject, f"{hint}run '{command}'", command)
    return answered(request, await apart_of(request).answer(request, question), lasts)


def command_for(verb: Verb, given: Any) -> str:
    """The command that answers a request without limits; the game and the position get the names that it knows."""
    if "game" in type(given).model_fields:
        game = game_for(verb.name, given.game)
        given.game = game.name
    if getattr(given, "position", None) is not None:
        given.position = with_spaces(game, given.position)
    words = ["tablebase", verb.name]
    for name, value in given.model_dump(exclude_none=True).items():
        words += [value] if name in ("game", "position") else [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)
