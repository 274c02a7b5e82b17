"""The page of records: the longest wins and losses of a game."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from tablebase.api.rows import RecordRow
from tablebase.game import load_game
from tablebase.web.catalog import record_rows
from tablebase.web.context import catalog_of
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.rendering import page

SHOWN = 10
"""Records of each sort for each number of pieces."""

router = APIRouter(route_class=PageRoute)


@router.get("/{game}/records")
def records(request: Request, game: str) -> Response:
    """The longest wins and losses for each number of pieces; slices that play like others are left out."""
    rules = load_game(game)
    rows = record_rows(catalog_of(request), rules.name, "material")
    counts = sorted({row["pieces"] for row in rows}, reverse=True)
    blocks = [(count, {outcome: _of(rows, count, outcome) for outcome in ("win", "loss")}) for count in counts]
    sides = {side.letter: side.name for side in rules.sides}
    return page(request, "records.html", game=rules, section="records", blocks=blocks, sides=sides)


def _of(rows: list[RecordRow], pieces: int, outcome: str) -> list[RecordRow]:
    """The longest of a number of pieces with an outcome."""
    return [row for row in rows if (row["pieces"], row["outcome"]) == (pieces, outcome)][:SHOWN]
