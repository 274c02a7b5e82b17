"""The answer to each error: to programs problem+json, and to people a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.web.context import in_thread, settings_of
from tablebase.web.hidden import without_paths
from tablebase.web.missing_tables import fields_of
from tablebase.web.pages import fault_page, problem_page, reason
from tablebase.web.problems import ProblemError, is_of_api, problem, sentence_of, status_of


def _answer(request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None, **fields: Any) -> Response:
    """An error as problem+json or, outside the API, as a page; paths of this machine are taken out of the sentence."""
    detail = without_paths(sentence, settings_of(request))
    if is_of_api(request.scope):
        return problem(status, detail, headers, **fields)
    page = problem_page(request, status, detail)
    page.headers.update(headers or {})
    return page


async def _on_known(request: Request, fault: Exception) -> Response:
    """A known error: its sentence, and of a table that has not been built what builds it, and what that would take."""
    assert isinstance(fault, TablebaseError)
    headers = fault.headers if isinstance(fault, ProblemError) else {}
    if not is_of_api(request.scope):
        page = await in_thread(request, fault_page, request, fault)
        page.headers.update(headers)
        return page
    fields = fault.fields if isinstance(fault, ProblemError) else {}
    if isinstance(fault, MissingTableError):
        fields = await in_thread(request, fields_of, settings_of(request), fault)
    return _answer(request, status_of(fault), str(fault), headers, **fields)


async def _on_invalid(request: Request, fault: Exception) -> Response:
    """A body that is not as the description of the interface demands."""
    assert isinstance(fault, RequestValidationError)
    return _answer(request, 400, sentence_of(fault.errors()[0]))


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
    if is_of_api(request.scope):
        sentence = SENTENCES.get(fault.status_code, str(fault.detail)).format(allow=allow)
    else:
        sentence = reason(fault.status_code)
    return _answer(request, fault.status_code, sentence, headers)


def _methods(request: Request) -> str:
    """The methods that an address answers; HEAD is answered wherever GET is, and files below a mounted folder answer GET."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]

    def answers(method: str) -> bool:
        return any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)

    found = [method for method in ("GET", "POST") if answers(method)] or ["GET"]
    return ", ".join([*found, "HEAD"] if "GET" in found else found)


async def _on_unknown(request: Request, _fault: Exception) -> Response:
    """A fault of this program, which its log has in full."""
    return _answer(request, 500, "the server has failed, and its log says why: ask for something else, or report it")


def handle_errors(app: FastAPI) -> None:
    """Let an application answer every error with one sentence."""
    app.add_exception_handler(TablebaseError, _on_known)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_unknown)
