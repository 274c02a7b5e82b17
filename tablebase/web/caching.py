"""Answers as JSON with a tag, so that a client that has one need not get it again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from fastapi import Request, Response

MEDIA_TYPE = "application/json"
LASTING = "public, max-age=86400"
"""Of answers from tables, which never change. A table that is missing may be built, so they do not last for ever."""
CHANGING = "public, no-cache"
"""Of answers from the catalog, which grows: to be asked for anew each time, by their tags."""
PRIVATE = "no-store"
"""Of answers to what is not to be repeated."""


def encoded(value: Any) -> bytes:
    """A value as JSON in ASCII; bytes are written as the command line writes them, in hexadecimal."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, default=bytes.hex).encode("ascii")


def answered(request: Request, value: Any, control: str = LASTING) -> Response:
    """An answer as JSON or, if the client has it already, the statement that it has not changed.

    Its tag is a digest of the answer itself, so that it changes exactly when the answer does, whatever happens to files.
    `control` is the header Cache-Control.
    """
    body = encoded(value)
    if control == PRIVATE:
        return Response(body, 200, {"cache-control": control}, MEDIA_TYPE)
    tag = f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
    headers = {"cache-control": control, "etag": tag}
    known = request.headers.get("if-none-match", "")
    # Weak tags count also (RFC 9110, 13.1.2). With its quotation marks, a tag is part only of a list that names it.
    if known.strip() == "*" or tag in known:
        return Response(None, 304, headers)
    return Response(body, 200, headers, MEDIA_TYPE)
