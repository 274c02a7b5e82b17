"""The page of records: the longest wins and losses of a game."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.schema import VIEW
from tablebase.game import Game
from tablebase.game.notation import read
from tablebase.slices.material import material_name, material_of
from tablebase.tables.missing import missing_game
from tablebase.web.context import tables_of
from tablebase.web.pages.arguments import named_game
from tablebase.web.pages.catalogs import catalog_of, rows_of, sql_text
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.rendering import METHODS, page

SHOWN = 10
"""Records of each sort for each number of pieces."""

router = APIRouter(route_class=PageRoute)


@router.api_route("/{game}/records", methods=METHODS)
def records(request: Request, game: str) -> Response:
    """The longest wins and losses for each number of pieces; slices that play like others are left out."""
    rules = named_game(game)
    with catalog_of(request) as catalog:
        longest = {outcome: longest_of(catalog, rules, outcome) for outcome in ("win", "loss")}
    counts = sorted({row["pieces"] for rows in longest.values() for row in rows}, reverse=True)
    if not counts:
        raise missing_game(rules, tables_of(request).folder)
    blocks = [(count, {outcome: _of(rows, count) for outcome, rows in longest.items()}) for count in counts]
    return page(request, "records.html", game=rules, section="records", blocks=blocks)


def longest_of(catalog: Catalog, game: Game, outcome: str) -> list[dict[str, Any]]:
    """The longest forced wins, or losses, a row for each distinct slice, longest first."""
    distance, position = f"longest_{outcome}", f"longest_{outcome}_position"
    rows = rows_of(
        catalog,
        f"SELECT pieces, material, side, {distance} AS distance, {position} AS position FROM {VIEW} "
        f"WHERE game = {sql_text(game.name)} AND is_alias = 0 AND {position} IS NOT NULL "
        f"ORDER BY pieces DESC, {distance} DESC, material, side",
    )
    return [_of_position(game, row) for row in rows]


def _of_position(game: Game, row: dict[str, Any]) -> dict[str, Any]:
    """A record with the material and the side to move of its position, in which colours may be swapped."""
    position = read(game, row["position"])
    return {**row, "material": material_name(game, material_of(game, position)), "side": game.sides[position.side].name}


def _of(rows: list[dict[str, Any]], pieces: int) -> list[dict[str, Any]]:
    return [row for row in rows if row["pieces"] == pieces][:SHOWN]
