"""The page of a material: counts, distances, the longest win, patterns, and what captures lead to it and away from it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.catalog.catalog import Catalog
from tablebase.commands.descriptions import describe_material, distances_of, moves_between, patterns_of
from tablebase.errors import MissingTableError
from tablebase.game import Game
from tablebase.game.moves import swapped
from tablebase.game.notation import parse, render
from tablebase.positions.equivalence import swapped_material
from tablebase.positions.material import Material, material_name, parse_material
from tablebase.web.api.routes import game_for
from tablebase.web.context import catalog_of, tables_of
from tablebase.web.pages.addresses import addresses_of
from tablebase.web.pages.histogram import histogram
from tablebase.web.pages.position import plies_of
from tablebase.web.pages.rendering import page

PATTERNS = {"gains": 8, "rules": 12}
"""Patterns shown of each slice: features by what they explain, and conditions by their share."""

router = APIRouter()


@router.get("/{game}/material")
def by_name(request: Request, game: str, name: str = "") -> Response:
    """Lead to the page of a material that was written into a form, or without one back to the game."""
    to, rules = addresses_of(request), game_for("material", game)
    return RedirectResponse(to.material(rules.name, name.strip()) if name.strip() else to.game(rules.name), 303)


@router.get("/{game}/material/{name}")
def material(request: Request, game: str, name: str) -> Response:
    """A material, with both sides to move."""
    rules = game_for("material", game)
    wanted = parse_material(rules, name)
    full = material_name(rules, wanted)
    if (game, name) != (rules.name, full):
        return RedirectResponse(addresses_of(request).material(rules.name, full), 307)
    known = catalog_of(request).answer(("material page", rules.name, full), lambda opened: _known(opened, rules, wanted))
    longest = max((one for one in known["slices"] if one["longest_win"]), key=lambda one: one["longest_win"], default=None)
    line: list[dict[str, Any]] = []
    # Empty if a table on the way is missing.
    with suppress(MissingTableError):
        line = [] if longest is None else plies_of(tables_of(request).line(rules, longest["longest_win_position"]))
    return page(request, "material.html", game=rules, section="game", longest=longest, line=line, **known)


def _known(catalog: Catalog, game: Game, wanted: Material) -> dict[str, Any]:
    """Read the catalog's data on a material at once, so that its numbers belong together."""
    name = material_name(game, wanted)
    described = describe_material(catalog, game, name)
    slices = _slices(catalog, game, wanted, described["slices"])
    return {
        "described": described,
        "slices": slices,
        "histograms": [
            histogram(
                (row["outcome"], row["distance"], row["placements"])
                for row in distances_of(catalog, game, one["material"])
                if row["side"] == one["side"]
            )
            for one in slices
        ],
        "patterns": [
            {kind: found[: PATTERNS.get(kind)] for kind, found in patterns_of(catalog, game, one["material"], one["side"]).items()}
            for one in slices
        ],
        **moves_between(catalog, game, name),
    }


def _slices(catalog: Catalog, game: Game, wanted: Material, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of both sides to move; where the rules allow colour swap, the other one is that of the swapped material."""
    names = {side.letter: side.name for side in game.sides}
    slices = [{**row, "label": names[row["side"]], "alike": None} for row in rows]
    if game.swap is None:
        return slices
    twin = material_name(game, swapped_material(game, wanted))
    other = game.sides[1].name
    if twin == material_name(game, wanted):
        return [{**slices[0], "label": "Either side"}]
    described = describe_material(catalog, game, twin)["slices"]
    for row in described:
        records = {name: row[name] for name in ("longest_win_position", "longest_loss_position")}
        turned = {name: text and render(game, swapped(game, parse(game, text))) for name, text in records.items()}
        slices.append({**row, **turned, "label": other, "alike": twin})
    return slices
