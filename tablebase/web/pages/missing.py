"""The page about tables that have not been built: which one is missing, what it takes, and the command."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse

from tablebase.errors import MissingTableError
from tablebase.game import Game, load_game
from tablebase.web.context import settings_of
from tablebase.web.missing import command_of, lines_of
from tablebase.web.pages.rendering import page


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
