"""Errors of pages as pages: with the right status, and with what is missing if that is a table."""

from __future__ import annotations

from fastapi import Request, Response

from tablebase.errors import MissingTableError, RulesError, TablebaseError, did_you_mean, quoted
from tablebase.game import Game, load_game
from tablebase.web import problems
from tablebase.web.context import settings_of
from tablebase.web.missing_tables import command_of, lines_of
from tablebase.web.pages.rendering import page, problem_page


def check_parameters(request: Request) -> None:
    """Refuse a parameter that means nothing to a page; a variant, for instance, is a part of the address."""
    known = [parameter.alias for parameter in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            raise TablebaseError(f"this page has no parameter {quoted(name)}{did_you_mean(name, known)}: leave it out")


def fault_page(request: Request, fault: TablebaseError) -> Response:
    """The page for an error; to a page, the name of a game is a part of its address, and an unknown one not found."""
    if isinstance(fault, MissingTableError):
        game = load_game(fault.game)
        return page(request, "missing.html", status=404, game=game, **missing(request, game, fault))
    return problem_page(request, 404 if isinstance(fault, RulesError) else problems.status_of(fault), f"{fault}.")


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
    lines = lines_of(settings, fault)
    return {"detail": detail, "command": command, "lines": lines}
