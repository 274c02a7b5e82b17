"""Errors as answers: one sentence, as RFC 9457 (problem+json) has it; of pages, as a page.

What cannot be done as it was asked has a status from 400 to 499. 503 and 504 are for tables that cannot be used, and for work that
takes more than the server allows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from tablebase.errors import (
    CorruptCatalogError,
    CorruptTableError,
    MissingExtraError,
    MissingTableError,
    StaleTableError,
    TablebaseError,
    TimeLimitError,
    UnusableFileError,
    did_you_mean,
    quoted,
)
from tablebase.web.context import in_thread, settings_of
from tablebase.web.hidden import without_paths
from tablebase.web.missing_tables import fields_of

MEDIA_TYPE = "application/problem+json"
API = "/api/"
STATUSES: tuple[tuple[type[TablebaseError], int], ...] = (
    (MissingTableError, 404),
    (CorruptTableError, 503),
    (CorruptCatalogError, 503),
    (StaleTableError, 503),
    (MissingExtraError, 503),
    (UnusableFileError, 503),
    (TimeLimitError, 504),
)
"""The statuses of errors that are not about what was sent; all others have 400."""


class ProblemError(TablebaseError):
    """An answer that is an error, with a status of HTTP, and with further fields beside its sentence."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None, **fields: Any) -> None:
        self.status, self.headers, self.fields = status, dict(headers or {}), fields
        super().__init__(sentence)


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, **fields: Any) -> Response:
    """An error as problem+json, whose sentence must not name a path of this machine."""
    body = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, **fields}
    # In ASCII, since a text may hold half a character.
    return Response(json.dumps(body), status, {"cache-control": "no-store", **(headers or {})}, MEDIA_TYPE)


def answer_problem(
    request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None, **fields: Any
) -> Response:
    """An error as problem+json or, outside the API, as a page; paths of this machine are taken out of the sentence."""
    detail = without_paths(sentence, settings_of(request))
    if request.url.path.startswith(API):
        return problem(status, detail, headers, **fields)
    page: Response = request.app.state.pages.problem_page(request, status, detail)
    page.headers.update(headers or {})
    return page


def status_of(fault: TablebaseError) -> int:
    """The status of HTTP for an error."""
    if isinstance(fault, ProblemError):
        return fault.status
    return next((status for kind, status in STATUSES if isinstance(fault, kind)), 400)


async def _on_known(request: Request, fault: Exception) -> Response:
    """A known error: its sentence, and of a table that has not been built what builds it, and what that would take."""
    assert isinstance(fault, TablebaseError)
    headers = fault.headers if isinstance(fault, ProblemError) else {}
    if not request.url.path.startswith(API):
        page: Response = await in_thread(request, request.app.state.pages.fault_page, request, fault)
        page.headers.update(headers)
        return page
    fields = fault.fields if isinstance(fault, ProblemError) else {}
    if isinstance(fault, MissingTableError):
        fields = await in_thread(request, fields_of, settings_of(request), fault)
    return answer_problem(request, status_of(fault), str(fault), headers, **fields)


async def _on_invalid(request: Request, fault: Exception) -> Response:
    """A body that is not as the description of the interface demands."""
    assert isinstance(fault, RequestValidationError)
    return answer_problem(request, 400, sentence_of(fault.errors()[0]))


def sentence_of(fault: Mapping[str, Any], known: Sequence[str] = ()) -> str:
    """What is wrong with a parameter or field, from the `type`, `loc` and `msg` of Pydantic; `known` are all parameters."""
    kind, (place, *names) = str(fault["type"]), fault["loc"]
    word = "parameter" if place == "query" else "field"
    name = ".".join(map(str, names))
    if kind == "json_invalid":
        return "the body is not JSON: send an object in UTF-8"
    if not name:
        return "the body is missing: send an object as JSON" if kind == "missing" else "the body must be an object of JSON"
    if kind == "missing":
        return f"the {word} {name} is missing: add it"
    if kind == "extra_forbidden":
        return f"there is no {word} {quoted(name)}{did_you_mean(name, known)}: leave it out"
    said = str(fault["msg"])
    return f"the {word} {name if len(name) <= 80 else quoted(name)} cannot be used: {said[:1].lower()}{said[1:]}"


SENTENCES = {
    404: "there is nothing at this address: /api/v1/openapi.json lists what there is",
    405: "this address does not answer that method: use {allow}",
    400: "the body cannot be read: send JSON in UTF-8",
}
"""What the framework says too tersely."""


async def _on_http(request: Request, fault: Exception) -> Response:
    """What the framework refuses."""
    assert isinstance(fault, HTTPException)
    headers, allow = dict(fault.headers or {}), ""
    if fault.status_code == 405:
        allow = _methods(request)
        headers = {"allow": allow}
    if request.url.path.startswith(API):
        sentence = SENTENCES.get(fault.status_code, str(fault.detail)).format(allow=allow)
    else:
        sentence = request.app.state.pages.reason(fault.status_code)
    return answer_problem(request, fault.status_code, sentence, headers)


def _methods(request: Request) -> str:
    """The methods that an address answers; HEAD is answered wherever GET is, and files below a mounted folder answer GET."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]

    def answers(method: str) -> bool:
        return any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)

    found = [method for method in ("GET", "POST") if answers(method)] or ["GET"]
    return ", ".join([*found, "HEAD"] if "GET" in found else found)


async def _on_unknown(request: Request, _fault: Exception) -> Response:
    """A fault of this program, which its log has in full."""
    return answer_problem(request, 500, "the server has failed, and its log says why: ask for something else, or report it")


def handle_errors(app: FastAPI) -> None:
    """Let an application answer every error with one sentence."""
    app.add_exception_handler(TablebaseError, _on_known)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_unknown)
