"""Moves of the named players, and the commands of a server for Hare & Hedgehog."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tablebase.web.api.play_schemas import HareAnswer, HareComputer, HareMove, HareNew, PlayAnswer, PlayGiven
from tablebase.web.api.routes import post
from tablebase.web.caching import PRIVATE, answered
from tablebase.web.moves import commanded, played

router = APIRouter(tags=["play"])


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
