"""What all routes share: how they are described, and how they read the name of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Response

from tablebase.errors import RulesError
from tablebase.game import Game, load_game
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.web.problems import MEDIA_TYPE

PREFIX = "/api/v1"
"""Of every address; part of each, and not of a router, so that the numbers for Prometheus name it whole."""
Handler = TypeVar("Handler", bound=Callable[..., Any])


class Answer(Response):
    """What a route answers, for its description."""

    media_type = "application/json"


MEANINGS = {
    304: "What the client has, as If-None-Match says, has not changed.",
    400: "Something that was sent cannot be used.",
    403: "The server was not started for this.",
    404: "A table that the answer needs has not been built.",
    408: "The body took too long to arrive.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    500: "The server has failed.",
    503: "A table or the catalog cannot be used, or the answer would take more than the server allows.",
    504: "The answer would take longer than the server allows.",
}
ALWAYS = (400, 500, 503, 504)
WITH_BODY = (408, 413, 415)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers of a route that are errors, for its description."""
    return {status: _described(status) for status in sorted({*ALWAYS, *statuses})}


def _described(status: int) -> dict[str, Any]:
    if status == 304:
        return {"description": MEANINGS[status]}
    schema = "MissingTable" if status == 404 else "Problem"
    return {"description": MEANINGS[status], "content": {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}


def get(router: APIRouter, path: str, model: Any, *statuses: int, name: str | None = None) -> Callable[[Handler], Handler]:
    """Make a function answer GET; its answer can be kept, and is a `Response`, so that nothing is checked twice."""
    return _route(router, "GET", path, model, (304, *statuses), name)


def post(router: APIRouter, path: str, model: Any, *statuses: int, name: str | None = None) -> Callable[[Handler], Handler]:
    """Make a function answer POST."""
    return _route(router, "POST", path, model, (*WITH_BODY, *statuses), name)


def _route(
    router: APIRouter, method: str, path: str, model: Any, statuses: tuple[int, ...], name: str | None
) -> Callable[[Handler], Handler]:
    def decorate(handler: Handler) -> Handler:
        router.add_api_route(
            f"{PREFIX}{path}",
            handler,
            methods=[method],
            response_model=model,
            response_class=Answer,
            responses={200: _answer_of(model), **described(*statuses)},
            operation_id=name or handler.__name__,
            summary=(handler.__doc__ or "").splitlines()[0],
            description="\n".join((handler.__doc__ or "").splitlines()[1:]).strip(),
        )
        return handler

    return decorate


def _answer_of(_model: Any) -> dict[str, Any]:
    return {"description": "The answer.", "headers": {"ETag": {"schema": {"type": "string"}}}}


def rules_of(name: str) -> Game | StochasticGame:
    """The game of that name, of either sort; errors are those of `load_rules`."""
    return load_rules(name)


def game_of(name: str) -> Game:
    """The game of pieces on squares of that name; errors are those of `load_game`."""
    return load_game(name)


def refuse(game: Game | StochasticGame, **given: object) -> None:
    """Refuse what means nothing for a game."""
    for field, value in given.items():
        if value not in (None, False):
            sort = "is no game with chance" if isinstance(game, Game) else "has no pieces on squares"
            raise RulesError(f"{game.name} {sort}: leave out {field}")
