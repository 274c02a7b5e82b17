"""Pages as responses: templates, headers, and errors as pages with one sentence."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tablebase.errors import MissingTableError, RulesError, TablebaseError, did_you_mean, quoted
from tablebase.game.installed import load_rules
from tablebase.game.rules import Rules
from tablebase.system.compute.messages import count_plies, in_bytes, in_time
from tablebase.version import VERSION
from tablebase.web.context import settings_of
from tablebase.web.pages import words
from tablebase.web.pages.addresses import addresses_of
from tablebase.web.problems import as_problem

HERE = Path(__file__).parents[1]
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
"""Content-Security-Policy: a page loads nothing from elsewhere, and runs no script but those of its server."""
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff"}
TITLES = {400: "Invalid request", 404: "Not found", 405: "Not allowed", 503: "Not available"}

static = StaticFiles(directory=HERE / "static")
"""Style sheets, scripts and the icon, to be mounted at ``/static``."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=words.number,
        percent=words.percent,
        plies=count_plies,
        in_bytes=in_bytes,
        in_time=in_time,
        drawn_as=words.drawn_as,
    )
    environment.globals.update(version=VERSION)
    return environment


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A file of ``templates`` as a response, which shows what the context holds."""
    chosen = {"game": None, "section": None, "can_mine": settings_of(request).mine, **context}
    text = _environment().get_template(template).render(to=addresses_of(request), words=words, **chosen)
    return HTMLResponse(text, status, HEADERS)


def check_parameters(request: Request) -> None:
    """Refuse a parameter that means nothing to a page; a variant, for instance, is a part of the address."""
    known = [parameter.alias for parameter in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            raise TablebaseError(f"unknown parameter {quoted(name)}{did_you_mean(name, known)}: correct or remove it")


def error_page(request: Request, error: TablebaseError) -> Response:
    """The page for an error; to a page, the name of a game is a part of its address, and an unknown one not found."""
    if isinstance(error, MissingTableError):
        game = load_rules(error.game)
        return page(request, "missing.html", status=404, game=game, **missing(request, game, error))
    found = as_problem(error, settings_of(request))
    status = 404 if isinstance(error, RulesError) else found.status
    title = TITLES.get(status, TITLES[503] if status >= 500 else TITLES[400])
    asked: Rules[Any] | None = None
    with suppress(TablebaseError):
        asked = load_rules(request.path_params.get("game", ""))
    shown = page(request, "problem.html", status=status, title=title, detail=f"{found}.", game=asked)
    shown.headers.update(found.headers)
    return shown


def missing(request: Request, game: Rules[Any], error: MissingTableError) -> dict[str, object]:
    """Describe a missing table: a sentence, the command without the server's folder, and the estimate."""
    problem = as_problem(error, settings_of(request))
    command = problem.fields["command"]
    if error.material is not None and command is None:
        detail = f"{words.capital(str(problem))}."
    elif error.material is not None:
        detail = f"The table {error.material} of {game.title} has not been built."
    else:
        detail = f"No table of {game.title}{f' with {error.pieces} pieces' if error.pieces else ''} has been built."
    return {"detail": detail, "command": command, "cost": problem.fields["estimate"]}
