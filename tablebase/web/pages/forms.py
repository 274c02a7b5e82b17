"""Forms that are posted."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Request

from tablebase.errors import TablebaseError

MOST_BYTES, MOST_FIELDS = 20_000, 50
"""More than any form of these pages has."""


async def form_of(request: Request) -> list[tuple[str, str]]:
    """Names and values of a form's fields; `TablebaseError` if it is none, or too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise TablebaseError(f"the form is larger than {MOST_BYTES:,} bytes: send less")
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise TablebaseError("the body of the request is not a form: send fields as in position=…&code=5") from None
