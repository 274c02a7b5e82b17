"""Moves of the named players, and the commands of a server for Hare & Hedgehog."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from tablebase.api.commands import COMMANDS
from tablebase.web.apart import Question, apart_of
from tablebase.web.api.play_schemas import HareAnswer, HareComputer, HareMove, HareNew, PlayAnswer, PlayGiven
from tablebase.web.api.routes import post, rules_of
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.players import chosen_move, is_quick
from tablebase.web.problems import ProblemError

router = APIRouter(tags=["play"])


@post(router, "/play", PlayAnswer, 404)
async def play(request: Request, given: PlayGiven) -> Response:
    """Choose a move as one of the named players.

    Players, and their settings, are those of `tablebase play`. Nothing is kept: what has been played is sent along.
    """
    most = settings_of(request).limits.plies
    if len(given.moves) > most:
        raise ProblemError(413, f"there are {len(given.moves):,} moves: send at most {most:,}, from a later position")
    fields = given.model_dump()
    rules_of(given.game)
    if is_quick(given.player, given.game):
        return answered(request, await in_thread(request, chosen_move, tables_of(request).folder, **fields), PRIVATE)
    question = Question("play", {"request": fields}, "this move", "name another player, or a lower level")
    return answered(request, await apart_of(request).answer(question), PRIVATE)


@post(router, "/harehedgehog/new", HareAnswer, name="harehedgehog_new")
async def new(request: Request, given: HareNew) -> Response:
    """Begin a game of Hare & Hedgehog, or another one with chance or several players."""
    fields = given.model_dump(exclude_unset=True)
    return _told(request, await in_thread(request, COMMANDS["new"], fields))


@post(router, "/harehedgehog/move", HareAnswer, name="harehedgehog_move")
async def move(request: Request, given: HareMove) -> Response:
    """Make a move, and all draws that follow it."""
    fields = given.model_dump(exclude_unset=True)
    return _told(request, await in_thread(request, COMMANDS["move"], fields))


@post(router, "/harehedgehog/computer", HareAnswer, name="harehedgehog_computer")
async def computer(request: Request, given: HareComputer) -> Response:
    """Make the move that looking ahead finds best, and all draws that follow it."""
    fields = given.model_dump(exclude_unset=True)
    question = Question("computer", {"request": fields}, "this move", "ask for a smaller depth")
    return _told(request, await apart_of(request).answer(question))


def _told(request: Request, answer: dict[str, Any]) -> Response:
    """The answer of a command; if it does not succeed, a problem, which still says so as the command does."""
    if not answer["success"]:
        raise ProblemError(400, answer["error"], None, success=False)
    return answered(request, answer, PRIVATE)
