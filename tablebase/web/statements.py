"""Statements over positions, for programs and for the page."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from tablebase.web.apart import Question, apart_of
from tablebase.web.context import settings_of
from tablebase.web.problems import ProblemError


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
