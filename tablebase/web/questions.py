"""Moves of the named players and of the commands for Hare & Hedgehog, and statements, for programs and for pages.

What moves at once does so in a thread, and all else in a process of its own, within limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request

from tablebase.api.commands import COMMANDS
from tablebase.web.apart import Question, apart_of
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.players import chosen_move, is_quick
from tablebase.web.problems import ProblemError


async def played(request: Request, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The move of a player, as `tablebase.web.players.chosen_move` answers it.

    Parameters
    ----------
    request : Request
    asked : mapping
        Arguments of `chosen_move`, among them `game`, `moves` and `player`.

    Raises
    ------
    ProblemError
        If it cannot be found within the server's limits.
    TablebaseError
        What `chosen_move` raises.
    """
    most = settings_of(request).limits.plies
    if len(asked["moves"]) > most:
        raise ProblemError(413, f"there are {len(asked['moves']):,} moves: send at most {most:,}, from a later position")
    if is_quick(asked["player"], asked["game"]):
        return await in_thread(request, chosen_move, tables_of(request).folder, **asked)
    question = Question("play", {"request": dict(asked)}, "this move", "name another player, or a lower level")
    answer: dict[str, Any] = await apart_of(request).answer(question)
    return answer


async def commanded(request: Request, name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What one of `tablebase.api.commands` answers.

    Parameters
    ----------
    request : Request
    name : str
        ``new``, ``move`` or ``computer``.
    asked : mapping
        What the command reads.

    Raises
    ------
    ProblemError
        If it does not succeed, which the answer's field `success` says as the command does, or not within the server's limits.
    """
    if name == "computer":
        question = Question("computer", {"request": dict(asked)}, "this move", "ask for a smaller depth")
        answer = await apart_of(request).answer(question)
    else:
        answer = await in_thread(request, COMMANDS[name], dict(asked))
    if not answer["success"]:
        raise ProblemError(400, answer["error"], None, success=False)
    return dict(answer)


async def mined(request: Request, game: str, statement: str, limit: int) -> dict[str, Any]:
    """The result of a statement, from a process of its own: `columns`, `rows` as mappings, and whether it is `complete`.

    Raises
    ------
    ProblemError
        If the server answers no statements, or this one cannot be answered within its limits.
    """
    settings = settings_of(request)
    if not settings.mine:
        raise ProblemError(403, "statements are not answered here: start the server with 'tablebase serve --mine'")
    fields = {"game": game, "statement": statement, "limit": min(limit, settings.limits.rows)}
    question = Question("mine", fields, "the statement", "ask for fewer groups or rows, or for fewer pieces")
    answer: dict[str, Any] = await apart_of(request).answer(question)
    return answer
