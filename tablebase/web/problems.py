"""Errors as answers: one sentence, as RFC 9457 (problem+json) has it.

What cannot be done as it was asked has a status from 400 to 499. 503 and 504 are for tables that cannot be used, and for work that
takes more than the server allows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Response
from starlette.types import Scope

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


def is_of_api(scope: Scope) -> bool:
    """Whether a request is answered in JSON."""
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path.startswith(API)


def status_of(fault: TablebaseError) -> int:
    """The status of HTTP for an error."""
    if isinstance(fault, ProblemError):
        return fault.status
    return next((status for kind, status in STATUSES if isinstance(fault, kind)), 400)


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
