"""Context of every request: the open tablebase, the settings of the server, and threads to work in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from anyio import to_thread
from fastapi import Request

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import NotationError
from tablebase.game.rules import Rules
from tablebase.web.known_catalog import KnownCatalog
from tablebase.web.problems import ProblemError
from tablebase.web.settings import ServerSettings

Given = ParamSpec("Given")
Result = TypeVar("Result")


def with_spaces(rules: Rules[Any], text: str) -> str:
    """A position as the game writes it: in addresses, underscores may stand for spaces."""
    spaced = text.replace("_", " ")
    if spaced != text:
        for one in (text, spaced):
            with suppress(NotationError):
                rules.parse(one)
                return one
    return text


def tables_of(request: Request) -> Tablebase:
    """The tablebase that the server has open; safe to use from several threads."""
    return cast(Tablebase, request.app.state.tables)


def settings_of(request: Request) -> ServerSettings:
    """Return the server's settings."""
    return cast(ServerSettings, request.app.state.settings)


def catalog_of(request: Request) -> KnownCatalog:
    """Answers from the catalog, which are kept as long as it does not change; safe to use from several threads."""
    return cast(KnownCatalog, request.app.state.catalog)


async def in_thread(request: Request, work: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Call a function in a thread for its result, so that other requests are answered meanwhile.

    `ProblemError` if it takes longer than a request may. The thread continues, so only work of a limited size may be given to it.
    """
    seconds = settings_of(request).limits.seconds
    try:
        async with asyncio.timeout(seconds):
            return await to_thread.run_sync(partial(work, *given, **named), abandon_on_cancel=True)
    except TimeoutError:
        raise ProblemError(504, f"the request took longer than {seconds:g} s: send a smaller request") from None
