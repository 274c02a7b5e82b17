"""Values of positions, and lines to the end of the game."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from tablebase.api.chances import line_rows, probe_states
from tablebase.api.tablebase import Tablebase
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.web.api.routes import get, post, query_of, refuse
from tablebase.web.api.schemas import BatchGiven, LineGiven, LineRow, ProbeGiven, ProbeRow
from tablebase.web.caching import answered
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.problems import ProblemError

router = APIRouter(tags=["positions"])


@get(router, "/probe", list[ProbeRow], 404, given=ProbeGiven)
async def probe(request: Request) -> Response:
    """Show the value and the moves of a position, best move first.

    The answer is a list of one, as `tablebase probe --format json` writes it.
    """
    given = query_of(request, ProbeGiven)
    rules = load_rules(given.game)
    if isinstance(rules, StochasticGame):
        rows = await in_thread(request, rows_of, tables_of(request), given.game, [given.position], given.strict, given.turns)
    else:
        # Here and not in a thread, to which a position would take longer to be handed over than to be looked up.
        rows = rows_of(tables_of(request), given.game, [given.position], given.strict, given.turns)
    return answered(request, rows)


@post(router, "/probe", list[ProbeRow], 404, name="probe_many")
async def probe_many(request: Request, given: BatchGiven) -> Response:
    """Show the values and the moves of many positions of a game."""
    most = settings_of(request).limits.batch
    if len(given.positions) > most:
        raise ProblemError(413, f"there are {len(given.positions):,} positions: send at most {most:,} at a time")
    rows = await in_thread(request, rows_of, tables_of(request), given.game, given.positions, given.strict, given.turns)
    return answered(request, rows)


def rows_of(tables: Tablebase, name: str, positions: list[str], strict: bool, turns: int | None) -> list[dict[str, Any]]:
    """What `tablebase probe --format json` writes of positions."""
    rules = load_rules(name)
    if isinstance(rules, StochasticGame):
        refuse(rules, strict=strict)
        return [row for _, row in probe_states(tables.folder, rules, positions, turns)]
    refuse(rules, turns=turns)
    return [tables.probe(rules, position, strict=strict).to_dict() for position in positions]


@get(router, "/line", list[LineRow], 404, given=LineGiven)
async def line(request: Request) -> Response:
    """Follow the best moves from a position to the end; of games of chance, the likeliest draws, too.

    The answer is what `tablebase line --format json` writes.
    """
    given = query_of(request, LineGiven)
    most = settings_of(request).limits.plies
    return answered(request, await in_thread(request, _line, tables_of(request), given, most))


def _line(tables: Tablebase, given: LineGiven, most: int) -> list[dict[str, Any]]:
    rules = load_rules(given.game)
    if isinstance(rules, StochasticGame):
        return line_rows(tables.folder, rules, given.position, given.plies)
    return tables.line(rules, given.position, most if given.plies is None else given.plies).to_dict()
