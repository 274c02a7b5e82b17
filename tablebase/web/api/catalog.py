"""The installed games, and what has been built of them: statistics, materials and records, from the catalog."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.commands import row_types
from tablebase.commands.descriptions import describe_material, distances_of, list_materials, list_records, neighbours, statistics
from tablebase.commands.games import list_games
from tablebase.game.capabilities import refuse
from tablebase.game.installed import load_rules
from tablebase.positions.material import material_name, parse_material
from tablebase.web.api.routes import game_for, get, query_of
from tablebase.web.api.schemas import GameName, Given, MaterialName, given_by, told
from tablebase.web.caching import CHANGING, answered
from tablebase.web.context import catalog_of, in_thread

games_router = APIRouter(tags=["games"])
router = APIRouter(tags=["catalog"])
CountsRow: Any = told(Counts, "CountsRow", ("material", "side", "of_slices"))

StatsGiven = given_by(
    "stats",
    by={"description": "One line for each number of pieces, or for each slice."},
    pieces={"description": "Only this number of pieces."},
)


class MaterialsGiven(Given):
    """A game, and a number of pieces."""

    game: GameName
    pieces: Annotated[int | None, Field(ge=2, le=64, description="Only materials with this number of pieces.")] = None


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


@get(router, "/stats", list[CountsRow] | list[row_types.LayerRow] | list[row_types.ExactRow], 404, given=StatsGiven)
async def stats(request: Request) -> Response:
    """Count wins, losses and draws in the tables built so far; of games of chance, states by how well they are known.

    The answer is what `tablebase stats --format json` writes.
    """
    given = query_of(request, StatsGiven)
    rules = load_rules(given.game)
    refuse(rules, "materials", pieces=given.pieces)
    return await _read(
        request,
        ("stats", rules.name, given.by, given.pieces),
        lambda catalog: statistics(catalog, rules, given.by, given.pieces).rows,
    )


@get(router, "/materials", list[row_types.MaterialRow], 404, given=MaterialsGiven)
async def materials(request: Request) -> Response:
    """List the materials that have been built, aliases included."""
    given = query_of(request, MaterialsGiven)
    game = game_for("materials", given.game)
    return await _read(request, ("materials", game.name, given.pieces), lambda catalog: list_materials(catalog, game, given.pieces))


@get(router, "/material", row_types.MaterialDescription, 404, given=MaterialGiven)
async def material(request: Request) -> Response:
    """Describe a material: its slices, how far positions are from the end, what it depends on, and what depends on it."""
    given = query_of(request, MaterialGiven)
    game = game_for("material", given.game)
    name = material_name(game, parse_material(game, given.material))

    def read(catalog: Catalog) -> dict[str, Any]:
        described = describe_material(catalog, game, name)
        return {**described, "distances": distances_of(catalog, game, name), **neighbours(catalog, game, name)}

    return await _read(request, ("material", game.name, name), read)


@get(router, "/records", list[row_types.RecordRow], 404, given=StatsGiven)
async def records(request: Request) -> Response:
    """Show the longest wins and losses: of each number of pieces, or of each stored slice, the longest first."""
    given = query_of(request, StatsGiven)
    game = game_for("records", given.game)
    return await _read(request, ("records", game.name, given.by), lambda catalog: list_records(catalog, game, given.by))


async def _read(request: Request, question: Hashable, read: Callable[[Catalog], Any]) -> Response:
    return answered(request, await in_thread(request, catalog_of(request).answer, question, read), CHANGING)
