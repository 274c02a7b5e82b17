"""The answer to each error: to programs problem+json, and to people a page."""

from __future__ import annotations

import json
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.types import Scope

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.web.context import in_thread, settings_of
from tablebase.web.pages import error_page
from tablebase.web.problems import FAILED, MEDIA_TYPE, ProblemError, as_problem, sentence_of

API = "/api/"
SENTENCES = {
    404: "the requested address does not exist: /api/v1/openapi.json lists all addresses",
    405: "the requested address does not support this method: use {allow}",
    400: "the request body cannot be read: send JSON in UTF-8",
}
REASONS = {404: "No page exists at this address", 405: "This page does not support the request method"}
"""Terse framework errors in sentences, to programs and to people."""


def problem(found: ProblemError) -> Response:
    """An error as problem+json; its sentence must not name a path of this machine."""
    body = {"title": HTTPStatus(found.status).phrase, "status": found.status, "detail": str(found), **found.fields}
    # In ASCII, since a text may hold half a character.
    return Response(json.dumps(body), found.status, {"cache-control": "no-store", **found.headers}, MEDIA_TYPE)


def is_of_api(scope: Scope) -> bool:
    """Return whether a request is answered in JSON."""
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path.startswith(API)


async def _on_error(request: Request, error: Exception) -> Response:
    known = error if isinstance(error, TablebaseError) else _translated(request, error)

    def answer() -> Response:
        if is_of_api(request.scope):
            return problem(as_problem(known, settings_of(request)))
        return error_page(request, known)

    # The cost of a table that has not been built is estimated.
    return await in_thread(request, answer) if isinstance(known, MissingTableError) else answer()


def _translated(request: Request, error: Exception) -> ProblemError:
    """An error of the framework or, of which the log tells more, of this program."""
    if isinstance(error, RequestValidationError):
        return ProblemError(400, sentence_of(error.errors()[0]))
    if not isinstance(error, HTTPException):
        return ProblemError(500, FAILED)
    status, headers, allow = error.status_code, dict(error.headers or {}), ""
    if status == 405:
        # HEAD is answered wherever GET is, and files below a mounted folder answer GET.
        routes = [route for route in request.app.routes if not isinstance(route, Mount)]
        scopes = {method: {**request.scope, "method": method} for method in ("GET", "POST")}
        found = [name for name, scope in scopes.items() if any(one.matches(scope)[0] is Match.FULL for one in routes)] or ["GET"]
        allow = ", ".join([*found, "HEAD"] if "GET" in found else found)
        headers = {"allow": allow}
    if not is_of_api(request.scope):
        return ProblemError(status, REASONS.get(status, "The server cannot answer this request"), headers)
    return ProblemError(status, SENTENCES.get(status, str(error.detail)).format(allow=allow), headers)


def handle_errors(app: FastAPI) -> None:
    """Let an application answer every error with one sentence."""
    for kind in (TablebaseError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _on_error)
