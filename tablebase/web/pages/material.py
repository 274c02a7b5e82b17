"""The page of a material: counts, distances, the longest win, patterns, and what captures lead to it and away from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.api.descriptions import describe_material
from tablebase.api.tablebase import Tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.errors import MissingTableError
from tablebase.game import Game
from tablebase.slices.conversions import conversions
from tablebase.slices.equivalence import swapped_material
from tablebase.slices.limits import is_buildable
from tablebase.slices.material import Material, advances_of, make_material, material_name, parse_material
from tablebase.web.context import tables_of
from tablebase.web.pages.addresses import addresses_of
from tablebase.web.pages.arguments import named_game
from tablebase.web.pages.catalogs import catalog_of, rows_of, sql_text
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.histogram import Histogram, histogram
from tablebase.web.pages.position import plies_of
from tablebase.web.pages.rendering import METHODS, page

GAINS, RULES = 8, 12
"""Patterns shown of each slice: features by what they explain, and conditions by their share."""

router = APIRouter(route_class=PageRoute)


@router.api_route("/{game}/material/{name}", methods=METHODS)
def material(request: Request, game: str, name: str) -> Response:
    """A material, with both sides to move."""
    rules = named_game(game)
    wanted = parse_material(rules, name)
    if (game, name) != (rules.name, material_name(rules, wanted)):
        return RedirectResponse(addresses_of(request).material(rules.name, material_name(rules, wanted)), 307)
    with catalog_of(request) as catalog:
        described = describe_material(catalog, rules, name)
        slices = _slices(catalog, rules, wanted, described["slices"])
        histograms = [_histogram(catalog, one) for one in slices]
        patterns = [_patterns(catalog, one) for one in slices]
        built = {str(line.material) for line in catalog.counts(rules, "material")}
    longest = max((one for one in slices if one["longest_win"]), key=lambda one: one["longest_win"], default=None)
    return page(
        request,
        "material.html",
        game=rules,
        section="game",
        described=described,
        slices=slices,
        histograms=histograms,
        longest=longest,
        line=_line(tables_of(request), rules, longest),
        patterns=patterns,
        below=_linked(rules, {conversion.child for conversion in conversions(rules, wanted)}, built),
        above=_linked(rules, _leading_to(rules, wanted), built),
    )


def _slices(catalog: Catalog, game: Game, wanted: Material, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of both sides to move; where the rules allow colour swap, the other one is that of the swapped material."""
    slices = [{**row, "label": _side_name(game, row["side"]), "alike": None} for row in rows]
    if game.swap is None:
        return slices
    twin = material_name(game, swapped_material(game, wanted))
    other = game.sides[1].name
    if twin == material_name(game, wanted):
        return [{**slices[0], "label": "Either side"}]
    described = describe_material(catalog, game, twin)["slices"]
    return [*slices, *({**row, "label": other, "alike": twin} for row in described)]


def _side_name(game: Game, letter: str) -> str:
    return next(side.name for side in game.sides if side.letter == letter)


def _histogram(catalog: Catalog, one: dict[str, Any]) -> Histogram:
    """The distances of a slice."""
    rows = rows_of(
        catalog,
        "SELECT d.outcome, d.distance, d.placements FROM distances d "
        "JOIN solutions o ON o.id = d.solution_id JOIN slices s ON s.solution_id = o.id "
        f"WHERE {_is(one, 's.')} ORDER BY d.distance, d.outcome",
    )
    return histogram((row["outcome"], row["distance"], row["placements"]) for row in rows)


def _is(one: dict[str, Any], table: str = "") -> str:
    """The condition of SQL that is true of a slice."""
    return " AND ".join(f"{table}{column} = {sql_text(one[column])}" for column in ("game", "material", "side"))


def _line(tables: Tablebase, game: Game, longest: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The optimal line from the longest win; empty if there is none, or a table on the way is missing."""
    if longest is None:
        return []
    try:
        return plies_of(tables.line(game, longest["longest_win_position"]))
    except MissingTableError:
        return []


def _patterns(catalog: Catalog, one: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What `tablebase patterns` has found for a slice, or for the one that stands for it."""
    stood_for = f"slice_id IN (SELECT t.id FROM slices t JOIN slices s ON s.solution_id = t.solution_id WHERE {_is(one, 's.')})"
    of_slice = {
        "gains": f"features, explains, decides FROM pattern_gains WHERE {stood_for} ORDER BY number, gain DESC LIMIT {GAINS}",
        "rules": f"outcome, condition, share FROM pattern_rules WHERE {stood_for} ORDER BY share DESC LIMIT {RULES}",
        "trees": f"tree, errors, positions FROM pattern_trees WHERE {stood_for} LIMIT 1",
    }
    return {name: rows_of(catalog, f"SELECT {chosen}", patterns=True) for name, chosen in of_slice.items()}


def _leading_to(game: Game, wanted: Material) -> set[Material]:
    """All materials from which one move leads to this one."""
    return {parent for parent in _parents(game, wanted) if wanted in {one.child for one in conversions(game, parent)}}


def _parents(game: Game, wanted: Material) -> Iterator[Material]:
    """Materials that may lead to one: those with a piece more, or of the same pieces with another advance."""
    more = [(kind,) for kind in range(len(game.kinds)) if wanted.kinds.count(kind) < game.kinds[kind].limit]
    if wanted.pieces >= game.max_pieces:
        more = []
    for added in [*more, *([()] if wanted.advance else [])]:
        kinds = (*wanted.kinds, *added)
        for advance in advances_of(game, tuple(sorted(kinds))):
            parent = make_material(game, kinds, advance)
            if parent != wanted and is_buildable(game, parent):
                yield parent


def _linked(game: Game, listed: set[Material], built: set[str]) -> list[tuple[str, bool]]:
    """Names of materials in order, each with whether it has been built."""
    return [(name, name in built) for name in (material_name(game, one) for one in sorted(listed))]
