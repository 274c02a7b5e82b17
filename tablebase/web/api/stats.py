"""What has been built: statistics, materials and records, from the catalog."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response

from tablebase.api.chances import layer_rows
from tablebase.api.descriptions import (
    counts_of,
    describe_material,
    distances_of,
    list_materials,
    list_records,
    neighbours,
)
from tablebase.catalog.catalog import Catalog
from tablebase.game import Game
from tablebase.game.stochastic import StochasticGame
from tablebase.slices.material import material_name, parse_material
from tablebase.web.api.routes import game_of, get, query_of, rules_of
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
from tablebase.web.caching import CHANGING, answered
from tablebase.web.catalog import KnownCatalog
from tablebase.web.context import catalog_of, in_thread

router = APIRouter(tags=["catalog"])


@get(router, "/stats", list[CountsRow] | list[LayerRow], 404, given=StatsGiven)
async def stats(request: Request) -> Response:
    """Count wins, losses and draws in the tables built so far; of games of chance, states by how well they are known.

    The answer is what `tablebase stats --format json` writes.
    """
    given = query_of(request, StatsGiven)
    return answered(request, await in_thread(request, stats_rows, catalog_of(request), given.game, given.by), CHANGING)


def stats_rows(catalog: KnownCatalog, name: str, by: str = "pieces") -> list[dict[str, Any]]:
    """What `tablebase stats --format json` writes."""
    rules = rules_of(name)
    return catalog.answer(("stats", rules.name, by), lambda opened: _stats(opened, rules, by))


def _stats(catalog: Catalog, rules: Game | StochasticGame, by: str) -> list[dict[str, Any]]:
    if isinstance(rules, StochasticGame):
        return layer_rows(catalog, rules)
    rows = [asdict(counts) for counts in counts_of(catalog, rules, by)]
    columns = [name for name in rows[0] if name not in ("material", "side")]
    columns = ["material", "side", *columns] if by == "material" else columns
    return [{name: row[name] for name in columns} for row in rows]


@get(router, "/materials", list[MaterialRow], 404, given=MaterialsGiven)
async def materials(request: Request) -> Response:
    """List the materials that have been built, aliases included."""
    given = query_of(request, MaterialsGiven)
    return answered(request, await in_thread(request, material_rows, catalog_of(request), given.game, given.pieces), CHANGING)


def material_rows(catalog: KnownCatalog, name: str, pieces: int | None = None) -> list[dict[str, Any]]:
    """The materials of a game that have been built."""
    game = game_of(name)
    return catalog.answer(("materials", game.name, pieces), lambda opened: list_materials(opened, game, pieces))


@get(router, "/material", MaterialDescription, 404, given=MaterialGiven)
async def material(request: Request) -> Response:
    """Describe a material: its slices, how far positions are from the end, what it depends on, and what depends on it."""
    given = query_of(request, MaterialGiven)
    return answered(request, await in_thread(request, material_of, catalog_of(request), given.game, given.material), CHANGING)


def material_of(catalog: KnownCatalog, name: str, text: str) -> dict[str, Any]:
    """The description of a material; `MissingTableError` if it has not been built."""
    game = game_of(name)
    full = material_name(game, parse_material(game, text))

    def read(opened: Catalog) -> dict[str, Any]:
        known = describe_material(opened, game, full)
        return {**known, "distances": distances_of(opened, game, full), **neighbours(opened, game, full)}

    return catalog.answer(("material", game.name, full), read)


@get(router, "/records", list[RecordRow], 404, given=RecordsGiven)
async def records(request: Request) -> Response:
    """Show the longest wins and losses: of each number of pieces, or of each stored slice, the longest first."""
    given = query_of(request, RecordsGiven)
    return answered(request, await in_thread(request, record_rows, catalog_of(request), given.game, given.by), CHANGING)


def record_rows(catalog: KnownCatalog, name: str, by: str = "pieces") -> list[dict[str, Any]]:
    """The longest wins and losses of a game."""
    game = game_of(name)
    return catalog.answer(("records", game.name, by), lambda opened: list_records(opened, game, by))
