"""The pages of games: all of them, and of each what has been built, its materials as matrices of draw shares, and its records."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import groupby
from math import ceil
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tablebase.catalog.catalog import Catalog
from tablebase.commands.descriptions import list_built, list_materials, list_records
from tablebase.commands.row_types import MaterialRow
from tablebase.errors import RulesError
from tablebase.game import Game
from tablebase.game.capabilities import refuse
from tablebase.game.installed import game_names, load_rules
from tablebase.game.rules import Rules
from tablebase.positions.material import piece_counts
from tablebase.web.api.routes import game_for
from tablebase.web.context import catalog_of
from tablebase.web.pages.addresses import addresses_of, whole
from tablebase.web.pages.pictures import drawing
from tablebase.web.pages.rendering import page

SHADES = 10
"""Shades of cells, beside that of no draws."""
MOST_IN_ONE = 60
"""Up to as many materials are in one matrix; more are divided by their number of pieces."""
OUTCOMES, RECORDS = ("win", "loss"), 10
"""Records of each outcome for each number of pieces."""

MOST, OPTION = 6, "players"
"""Players of a variant at most, and the word of its name that says how many."""

router = APIRouter()


def share(row: MaterialRow) -> float:
    """The share of draws in a material."""
    return row["draws"] / row["positions"] if row["positions"] else 0.0


def shade(row: MaterialRow, largest: float) -> int:
    """From 0 for no draws to `SHADES` for the largest share that is shown."""
    return ceil(SHADES * share(row) / largest) if row["draws"] else 0


class Matrix(NamedTuple):
    """Materials by the pieces of both sides."""

    side: int  # whose pieces are the rows: of the side with more of them, so that a matrix is seldom wider than a window
    columns: list[str]  # the pieces of the other side
    rows: list[tuple[str, list[MaterialRow | None]]]  # the pieces of the side, with a material for each column


@router.get("/", response_class=HTMLResponse)
def home(request: Request) -> HTMLResponse:
    """All games that are installed, and variants of which there are tables."""
    return page(request, "home.html", games=catalog_of(request).answer("home", _entries))


def _entries(catalog: Catalog) -> list[dict[str, Any]]:
    built = {row["game"]: row for row in list_built(catalog)}
    entries: list[dict[str, Any]] = []
    for name in dict.fromkeys([*built, *game_names()]):
        with suppress(RulesError):
            rules, row = load_rules(name), built.get(name, {"tables": None, "layers": 0})
            tables = row if row["tables"] else None
            entries.append({"rules": rules, "built": tables, "layers": row["layers"], "exact": _exact(catalog, rules)})
    return entries


def _exact(catalog: Catalog, rules: Rules[Any]) -> dict[str, Any] | None:
    rows = [entry.row for table in ("exact", "tiers") for entry in catalog.of(rules, table)]
    totals: dict[str, Any] = {name: sum(row[name] for row in rows) for name in ("positions", "final", "wins", "losses", "draws")}
    longest = {name: max((row[name] for row in rows if row[name]), default=None) for name in ("longest_win", "longest_loss")}
    return {"tables": len(rows), **totals, **longest} if rows else None


@router.get("/{game}")
@router.get("/{game}/")
def game(request: Request, game: str, pieces: str | None = None) -> Response:
    """A game and what has been built of it: materials with a number of pieces, or layers."""
    rules: Rules[Any] = load_rules(game)
    to = addresses_of(request)
    if game != rules.name or not request.url.path.endswith("/"):
        return RedirectResponse(to.game(rules.name, pieces=pieces), 307)
    refuse(rules, "materials", pieces=pieces)
    layers, exact = catalog_of(request).answer(
        ("flat", rules.name), lambda opened: ([entry.row for entry in opened.of(rules, "layers")], _exact(opened, rules))
    )
    slices = _slices(request, rules, pieces) if "materials" in rules.can else {}
    shown = {**drawing(rules, rules.initial), "layers": layers, "exact": exact, "totals": [], **slices}
    return page(request, "game.html", game=rules, section="game", counts=by_players(rules), **shown)


def by_players(rules: Rules[Any]) -> list[tuple[int, str]]:
    """The numbers of players that the game can have, each with the name of its variant; empty if there is but one."""
    base, *words = rules.name.split("-")
    kept = [word for word in words if not word.startswith(f"{OPTION}=")]
    found = []
    for number in range(2, MOST + 1):
        with suppress(RulesError):
            found.append((number, load_rules("-".join([base, *kept, f"{OPTION}={number}"])).name))
    return found if len(found) > 1 else []


def _slices(request: Request, rules: Any, pieces: str | None) -> dict[str, Any]:
    totals = catalog_of(request).answer(("totals", rules.name), lambda opened: opened.counts(rules, "pieces"))
    if not totals:
        return {}
    rows = catalog_of(request).answer(("material rows", rules.name), lambda opened: list_materials(opened, rules))
    divided = len(rows) > MOST_IN_ONE
    chosen = totals[0].pieces if divided else None
    if pieces is not None:
        chosen = whole(pieces, "the number of pieces")
        piece_counts(rules, chosen)
    listed = [row for row in rows if chosen in (None, row["pieces"])]
    tiers = groupby((row for row in listed if "@" in row["material"]), lambda row: row["material"].partition("@")[0])
    return {
        "totals": totals,
        "named": (listed or rows)[-1]["material"],
        "chosen": chosen,
        "divided": divided,
        "largest": max(map(share, listed), default=0.0),
        "shade": shade,
        "matrices": matrices(rules, [row for row in listed if "@" not in row["material"]], divided=divided),
        "tiers": [(name, list(some)) for name, some in tiers],
    }


def matrices(game: Game, rows: Iterable[MaterialRow], *, divided: bool) -> list[Matrix]:
    """Materials as matrices; if they are `divided`, there is one for each number of pieces of side 0, the most even ones first."""
    blocks: dict[tuple[int, int], dict[str, MaterialRow]] = {}
    for row in rows:
        first, _, second = row["material"].partition("v")
        uneven = abs(len(first) - len(second)), -len(first)
        blocks.setdefault(uneven if divided else (0, 0), {})[row["material"]] = row
    return [_matrix(game, block) for _, block in sorted(blocks.items())]


def _matrix(game: Game, cells: dict[str, MaterialRow]) -> Matrix:
    """Materials as a matrix, fewest pieces first, then in the order of kinds."""
    letters = "".join(kind.symbol.upper() for kind in game.kinds)

    def order(pieces: str) -> tuple[int, list[int]]:
        return len(pieces), [letters.index(letter) for letter in pieces]

    firsts, seconds = (sorted({name.partition("v")[place] for name in cells}, key=order) for place in (0, 2))
    if len(seconds) > len(firsts):
        return Matrix(1, firsts, [(second, [cells.get(f"{first}v{second}") for first in firsts]) for second in seconds])
    return Matrix(0, seconds, [(first, [cells.get(f"{first}v{second}") for second in seconds]) for first in firsts])


@router.get("/{game}/records")
def records(request: Request, game: str) -> Response:
    """The longest wins and losses for each number of pieces; slices that play like others are left out."""
    rules = game_for("records", game)
    rows = catalog_of(request).answer(("records", rules.name, "material"), lambda opened: list_records(opened, rules, "material"))
    counts = sorted({row["pieces"] for row in rows}, reverse=True)
    blocks = [
        (count, {kind: [row for row in rows if (row["pieces"], row["outcome"]) == (count, kind)][:RECORDS] for kind in OUTCOMES})
        for count in counts
    ]
    sides = {side.letter: side.name for side in rules.sides}
    return page(request, "records.html", game=rules, section="records", blocks=blocks, sides=sides)
