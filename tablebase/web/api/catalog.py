"""The installed games, and what has been built of them: statistics, materials and records, from the catalog."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.commands import row_types
from tablebase.commands.descriptions import describe_material, distances_of, list_materials, list_records, neighbours, statistics
from tablebase.commands.games import list_games
from tablebase.game.capabilities import refuse
from tablebase.positions.material import material_name, parse_material
from tablebase.system.compute.modules import docstring
from tablebase.web.api.routes import game_for, get, query_of
from tablebase.web.api.schemas import GameName, Given, MaterialName, given_by
from tablebase.web.caching import CHANGING, answered
from tablebase.web.context import catalog_of, in_thread

games_router = APIRouter(tags=["games"])
router = APIRouter(tags=["catalog"])
Read = Callable[[Any, Any, Catalog], Any]

StatsGiven = given_by(
    "stats",
    by={"description": "Return one row for each number of pieces (pieces), or for each set of pieces and side to move (material)."},
    pieces={"description": "Number of pieces; by default, any number."},
)
MaterialsGiven = given_by("stats", "game", "pieces", pieces={"description": "List only materials with this number of pieces."})


class MaterialGiven(Given):
    """A material of a game."""

    game: GameName
    material: MaterialName


@get(games_router, "/games", list[row_types.GameRow])
async def games(request: Request) -> Response:
    """List the installed games."""
    query_of(request, Given)
    found, _ = await in_thread(request, list_games)
    return answered(request, found, CHANGING)


def from_catalog(model: Any, given: type[BaseModel]) -> Callable[[Read], Read]:
    """Make a function of a game, the parameters and the catalog answer GET at the path of its name; its answers are kept."""

    def decorate(read: Read) -> Read:
        name = read.__name__

        async def handler(request: Request) -> Response:
            asked: Any = query_of(request, given)
            game = game_for(name, asked.game)
            question = name, game.name, *asked.model_dump(exclude={"game"}).values()
            found = await in_thread(request, catalog_of(request).answer, question, partial(read, game, asked))
            return answered(request, found, CHANGING)

        handler.__name__, handler.__doc__ = name, docstring(read)
        get(router, f"/{name}", model, 404, given=given)(handler)
        return read

    return decorate


@from_catalog(list[Counts] | list[row_types.LayerRow] | list[row_types.ExactRow], StatsGiven)
def stats(game: Any, asked: Any, catalog: Catalog) -> Any:
    """Count wins, losses and draws in the tables built so far; in games with chance, also exact values and states with bounds.

    The response is the output of `tablebase stats --format json`.
    """
    refuse(game, "materials", pieces=asked.pieces)
    return statistics(catalog, game, asked.by, asked.pieces).rows


@from_catalog(list[row_types.MaterialRow], MaterialsGiven)
def materials(game: Any, asked: Any, catalog: Catalog) -> Any:
    """List the materials that have tables, including aliases (materials equivalent to a stored material)."""
    return list_materials(catalog, game, asked.pieces)


@from_catalog(row_types.MaterialDescription, MaterialGiven)
def material(game: Any, asked: Any, catalog: Catalog) -> Any:
    """Describe a material: counts of outcomes and distances, and the materials one capture or promotion away."""
    name = material_name(game, parse_material(game, asked.material))
    described = describe_material(catalog, game, name)
    return {**described, "distances": distances_of(catalog, game, name), **neighbours(catalog, game, name)}


@from_catalog(list[row_types.RecordRow], StatsGiven)
def records(game: Any, asked: Any, catalog: Catalog) -> Any:
    """Show the longest wins and losses for each number of pieces, or for each set of pieces and side to move, longest first."""
    return list_records(catalog, game, asked.by)
