"""What has been built: statistics, materials and records, from the catalog."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.web.api.routes import get, query_of, refuse
from tablebase.web.api.schemas import (
    CountsRow,
    LayerRow,
    MaterialDescription,
    MaterialGiven,
    MaterialRow,
    MaterialsGiven,
    RecordRow,
    RecordsGiven,
    StatsGiven,
)
from tablebase.web.built import material_of, material_rows, record_rows, stats_rows
from tablebase.web.caching import CHANGING, answered
from tablebase.web.context import catalog_of, in_thread

router = APIRouter(tags=["catalog"])


@get(router, "/stats", list[CountsRow] | list[LayerRow], 404, given=StatsGiven)
async def stats(request: Request) -> Response:
    """Count wins, losses and draws in the tables built so far; of games of chance, states by how well they are known.

    The answer is what `tablebase stats --format json` writes.
    """
    given = query_of(request, StatsGiven)
    rules = load_rules(given.game)
    if isinstance(rules, StochasticGame):
        refuse(rules, pieces=given.pieces)
    rows = await in_thread(request, stats_rows, catalog_of(request), rules.name, given.by, given.pieces)
    return answered(request, rows, CHANGING)


@get(router, "/materials", list[MaterialRow], 404, given=MaterialsGiven)
async def materials(request: Request) -> Response:
    """List the materials that have been built, aliases included."""
    given = query_of(request, MaterialsGiven)
    return answered(request, await in_thread(request, material_rows, catalog_of(request), given.game, given.pieces), CHANGING)


@get(router, "/material", MaterialDescription, 404, given=MaterialGiven)
async def material(request: Request) -> Response:
    """Describe a material: its slices, how far positions are from the end, what it depends on, and what depends on it."""
    given = query_of(request, MaterialGiven)
    return answered(request, await in_thread(request, material_of, catalog_of(request), given.game, given.material), CHANGING)


@get(router, "/records", list[RecordRow], 404, given=RecordsGiven)
async def records(request: Request) -> Response:
    """Show the longest wins and losses: of each number of pieces, or of each stored slice, the longest first."""
    given = query_of(request, RecordsGiven)
    return answered(request, await in_thread(request, record_rows, catalog_of(request), given.game, given.by), CHANGING)
