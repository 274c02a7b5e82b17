"""Common parts of all routes: their description, and the reading of requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError

from tablebase.commands.registry import check_verb
from tablebase.game.installed import load_rules
from tablebase.system.compute.modules import docstring
from tablebase.web.problems import MEDIA_TYPE, ProblemError, sentence_of

PREFIX = "/api/v1"
"""Of every address; part of each, and not of a router, so that the numbers for Prometheus name it whole."""
Handler = TypeVar("Handler", bound=Callable[..., Any])
Query = TypeVar("Query", bound=BaseModel)


class Answer(JSONResponse):
    """Answer of a route, for its description alone: `answered` makes it."""


MEANINGS = {
    304: "The client's copy (If-None-Match) is current.",
    400: "The request is invalid.",
    403: "This feature is disabled on this server.",
    404: "A required table has not been built.",
    408: "The request body took too long to arrive.",
    413: "The request body is too large.",
    415: "The request body is not JSON.",
    500: "Internal server error.",
    503: "A table or the catalog is not usable, or the request exceeds a limit of the server.",
    504: "The request exceeds the time limit of the server.",
}
ANSWERED: dict[str, Any] = {"description": "Success.", "headers": {"ETag": {"schema": {"type": "string"}}}}
ALWAYS = (400, 500, 503, 504)
WITH_BODY = (408, 413, 415)


def _described(status: int) -> dict[str, Any]:
    schema = "MissingTable" if status == 404 else "Problem"
    content = {} if status == 304 else {"content": {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}
    return {"description": MEANINGS[status], **content}


def get(
    router: APIRouter, path: str, model: Any, *statuses: int, given: type[BaseModel] | None = None
) -> Callable[[Handler], Handler]:
    """Make a function answer GET; its answer can be kept, and is a `Response`, so that nothing is checked twice.

    The path is one after `PREFIX`. The description has the model of the answer, the statuses of errors beside those of every
    route, and the parameters that the function reads with `query_of`, which `given` describes.
    """
    extra = None if given is None else {"parameters": parameters_of(given)}
    return _route(router, path, model, {304, *statuses}, methods=["GET"], openapi_extra=extra)


def post(router: APIRouter, path: str, model: Any, *statuses: int, name: str | None = None) -> Callable[[Handler], Handler]:
    """Make a function answer POST."""
    return _route(router, path, model, {*WITH_BODY, *statuses}, methods=["POST"], operation_id=name)


def _route(router: APIRouter, path: str, model: Any, statuses: set[int], **more: Any) -> Callable[[Handler], Handler]:
    def decorate(handler: Handler) -> Handler:
        summary, _, description = docstring(handler).partition("\n")
        router.add_api_route(
            f"{PREFIX}{path}",
            handler,
            response_model=model,
            response_class=Answer,
            responses={200: ANSWERED, **{status: _described(status) for status in sorted({*ALWAYS, *statuses})}},
            summary=summary,
            description=description.strip(),
            **{**more, "operation_id": more.get("operation_id") or handler.__name__},
        )
        return handler

    return decorate


def query_of(request: Request, given: type[Query]) -> Query:
    """The parameters of a request, or a `ProblemError`; the framework's own way takes as long as a probe."""
    try:
        return given.model_validate(dict(request.query_params))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ProblemError(400, sentence_of({**first, "loc": ("query", *first["loc"])}, list(given.model_fields))) from error


def parameters_of(given: type[BaseModel]) -> list[dict[str, Any]]:
    """The description of parameters, as the framework would write it."""
    schema = given.model_json_schema()
    needed = schema.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in needed,
            "schema": field,
            **({"description": field["description"]} if "description" in field else {}),
        }
        for name, field in schema["properties"].items()
    ]


def game_for(verb: str, name: str) -> Any:
    """The game that something is asked of; `RulesError` if that does not take it."""
    rules = load_rules(name)
    check_verb(verb, rules, over_http=True)
    return rules
