"""The page about tables that have not been built: which one is missing, what it takes, and the command."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import HTMLResponse

from tablebase.build.estimate import Estimate, estimate
from tablebase.errors import CapacityError, MissingTableError
from tablebase.game import Game, load_game
from tablebase.slices.material import parse_material
from tablebase.web.context import settings_of, tables_of
from tablebase.web.pages.rendering import page

SHOWN_TABLES = 30
"""More tables are shown by their number of pieces."""


def missing_page(request: Request, fault: MissingTableError) -> HTMLResponse:
    """The page for a missing table."""
    game = load_game(fault.game)
    return page(request, "missing.html", status=404, game=game, **missing(request, game, fault))


def missing(request: Request, game: Game, fault: MissingTableError) -> dict[str, object]:
    """What there is to say about a missing table: a sentence, the command without the server's folder, and the estimate."""
    command = None if fault.command is None else fault.command.partition(" --data ")[0]
    if fault.material is not None and command is None:
        detail = f"{str(fault)[:1].upper()}{str(fault)[1:]}."
    elif fault.material is not None:
        detail = f"The table {fault.material} of {game.title} has not been built."
    elif fault.pieces is not None:
        detail = f"No table of {game.title} with {fault.pieces} pieces has been built."
    else:
        detail = f"No table of {game.title} has been built."
    return {"detail": detail, "command": command, "lines": _estimate(request, game, command), "material": fault.material}


def _estimate(request: Request, game: Game, command: str | None) -> list[Estimate]:
    """What the command needs, a line for each number of pieces; nothing if it is too large to say."""
    if command is None:
        return []
    option, _, value = command.rpartition(" --")[2].partition(" ")
    tables, catalog = tables_of(request), settings_of(request).catalog
    try:
        if option == "pieces":
            return estimate(game, int(value), [], tables.folder, catalog=catalog)
        return estimate(game, None, [parse_material(game, value)], tables.folder, whole=True, catalog=catalog)
    except CapacityError:
        return []
