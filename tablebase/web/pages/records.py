"""The page of records: the longest wins and losses of a game."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tablebase.api.tablebase import Tablebase
from tablebase.catalog.schema import VIEW
from tablebase.game import Game
from tablebase.game.notation import read
from tablebase.slices.material import material_name, material_of
from tablebase.tables.missing import missing_game
from tablebase.web.context import tables_of
from tablebase.web.pages.arguments import named_game
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.rendering import METHODS, page

SHOWN = 10
"""Records of each sort for each number of pieces."""

router = APIRouter(route_class=PageRoute)


@router.api_route("/{game}/records", methods=METHODS)
def records(request: Request, game: str) -> Response:
    """The longest wins and losses for each number of pieces; slices that play like others are left out."""
    rules, tables = named_game(game), tables_of(request)
    longest = {outcome: longest_of(tables, rules, outcome) for outcome in ("win", "loss")}
    counts = sorted({row["pieces"] for rows in longest.values() for row in rows}, reverse=True)
    if not counts:
        raise missing_game(rules, tables.folder)
    blocks = [(count, {outcome: _of(rows, count) for outcome, rows in longest.items()}) for count in counts]
    return page(request, "records.html", game=rules, section="records", blocks=blocks)


def longest_of(tables: Tablebase, game: Game, outcome: str) -> list[dict[str, Any]]:
    """The longest forced wins, or losses, a row for each distinct slice, longest first."""
    distance, position = f"longest_{outcome}", f"longest_{outcome}_position"
    query = tables.sql(
        f"SELECT pieces, material, side, {distance} AS distance, {position} AS position FROM {VIEW} "
        f"WHERE game = {sql_text(game.name)} AND is_alias = 0 AND {position} IS NOT NULL "
        f"ORDER BY pieces DESC, {distance} DESC, material, side"
    )
    return [_of_position(game, dict(zip(query.columns, row, strict=True))) for row in query.fetchall()]


def _of_position(game: Game, row: dict[str, Any]) -> dict[str, Any]:
    """A record with the material and the side to move of its position, in which colours may be swapped."""
    position = read(game, row["position"])
    return {**row, "material": material_name(game, material_of(game, position)), "side": game.sides[position.side].name}


def sql_text(text: str) -> str:
    """A text as a literal of SQL."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _of(rows: list[dict[str, Any]], pieces: int) -> list[dict[str, Any]]:
    return [row for row in rows if row["pieces"] == pieces][:SHOWN]
