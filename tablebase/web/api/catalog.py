"""The installed games, and what has been built of them: statistics, materials and records, from the catalog."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from tablebase.api import rows
from tablebase.api.games import list_games
from tablebase.catalog.catalog import Counts
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.web.api.routes import get, query_of, refuse
from tablebase.web.api.schemas import GameName, Given, MaterialName, told
from tablebase.web.caching import CHANGING, answered
from tablebase.web.catalog import material_of, material_rows, record_rows, stats_rows
from tablebase.web.context import catalog_of, in_thread

games_router = APIRouter(tags=["games"])
router = APIRouter(tags=["catalog"])
CountsRow: Any = told(Counts, "CountsRow", ("material", "side", "of_slices"))


class StatsGiven(Given):
    """A game, and what one line is about."""

    game: GameName
    by: Annotated[Literal["pieces", "material"], Field(description="One line for each number of pieces, or for each slice.")] = (
        "pieces"
    )
    pieces: Annotated[int | None, Field(ge=2, le=64, description="Only this number of pieces.")] = None


class MaterialsGiven(Given):
    """A game, and a number of pieces."""

    game: GameName
    pieces: Annotated[int | None, Field(ge=2, le=64, description="Only materials with this number of pieces.")] = None


class MaterialGiven(Given):
    """A material of a game."""

    game: GameName
    material: MaterialName


class RecordsGiven(StatsGiven):
    """A game, and what one record is about."""


@get(games_router, "/games", list[rows.GameRow])
async def games(request: Request) -> Response:
    """List the installed games."""
    query_of(request, Given)
    return answered(request, await in_thread(request, _rows), CHANGING)


def _rows() -> list[rows.GameRow]:
    return list_games()[0]


@get(router, "/stats", list[CountsRow] | list[rows.LayerRow], 404, given=StatsGiven)
async def stats(request: Request) -> Response:
    """Count wins, losses and draws in the tables built so far; of games of chance, states by how well they are known.

    The answer is what `tablebase stats --format json` writes.
    """
    given = query_of(request, StatsGiven)
    rules = load_rules(given.game)
    if isinstance(rules, StochasticGame):
        refuse(rules, pieces=given.pieces)
    counts = await in_thread(request, stats_rows, catalog_of(request), rules.name, given.by, given.pieces)
    return answered(request, counts, CHANGING)


@get(router, "/materials", list[rows.MaterialRow], 404, given=MaterialsGiven)
async def materials(request: Request) -> Response:
    """List the materials that have been built, aliases included."""
    given = query_of(request, MaterialsGiven)
    return answered(request, await in_thread(request, material_rows, catalog_of(request), given.game, given.pieces), CHANGING)


@get(router, "/material", rows.MaterialDescription, 404, given=MaterialGiven)
async def material(request: Request) -> Response:
    """Describe a material: its slices, how far positions are from the end, what it depends on, and what depends on it."""
    given = query_of(request, MaterialGiven)
    return answered(request, await in_thread(request, material_of, catalog_of(request), given.game, given.material), CHANGING)


@get(router, "/records", list[rows.RecordRow], 404, given=RecordsGiven)
async def records(request: Request) -> Response:
    """Show the longest wins and losses: of each number of pieces, or of each stored slice, the longest first."""
    given = query_of(request, RecordsGiven)
    return answered(request, await in_thread(request, record_rows, catalog_of(request), given.game, given.by), CHANGING)
