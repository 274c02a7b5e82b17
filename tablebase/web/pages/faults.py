"""Errors of pages as pages: with the right status, and with what is missing if that is a table."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from tablebase.errors import MissingTableError, RulesError, TablebaseError, did_you_mean, quoted
from tablebase.game import Game, load_game
from tablebase.web import problems
from tablebase.web.context import settings_of
from tablebase.web.missing_tables import command_of, lines_of
from tablebase.web.pages.rendering import page, problem_page


class PageRoute(APIRoute):
    """A route whose errors are pages, too, and which takes no parameters but its own."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route, with errors turned into pages."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                self._check_parameters(request)
                return await handler(request)
            except MissingTableError as fault:
                return await run_in_threadpool(missing_page, request, fault)
            except TablebaseError as fault:
                return problem_page(request, status_of(fault), f"{fault}.")

        return handle

    def _check_parameters(self, request: Request) -> None:
        """Refuse a parameter that means nothing here; a variant, for instance, is a part of the address."""
        known = [parameter.alias for parameter in self.dependant.query_params]
        for name in request.query_params:
            if name not in known:
                raise TablebaseError(f"this page has no parameter {quoted(name)}{did_you_mean(name, known)}: leave it out")


def status_of(fault: TablebaseError) -> int:
    """The status that says what sort of error it is; to a page, the name of a game is a part of its address."""
    return 404 if isinstance(fault, RulesError) else problems.status_of(fault)


def missing_page(request: Request, fault: MissingTableError) -> HTMLResponse:
    """The page for a missing table."""
    game = load_game(fault.game)
    return page(request, "missing.html", status=404, game=game, **missing(request, game, fault))


def missing(request: Request, game: Game, fault: MissingTableError) -> dict[str, object]:
    """What there is to say about a missing table: a sentence, the command without the server's folder, and the estimate."""
    settings = settings_of(request)
    command = command_of(settings, fault)
    if fault.material is not None and command is None:
        detail = f"{str(fault)[:1].upper()}{str(fault)[1:]}."
    elif fault.material is not None:
        detail = f"The table {fault.material} of {game.title} has not been built."
    elif fault.pieces is not None:
        detail = f"No table of {game.title} with {fault.pieces} pieces has been built."
    else:
        detail = f"No table of {game.title} has been built."
    lines = lines_of(settings.folder, fault, settings.catalog)
    return {"detail": detail, "command": command, "lines": lines}
