"""What has been built, for programs and for pages: answers from the catalog, each kept until the catalog changes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tablebase.api.chances import layer_rows
from tablebase.api.descriptions import (
    counts_of,
    describe_material,
    distances_of,
    list_built,
    list_materials,
    list_records,
    neighbours,
)
from tablebase.catalog.catalog import Catalog
from tablebase.game import Game, load_game
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.slices.material import material_name, parse_material
from tablebase.tables.choice import missing_pieces
from tablebase.web.catalog import KnownCatalog


def built_rows(catalog: KnownCatalog) -> list[dict[str, Any]]:
    """The games of which anything has been built; see `list_built`."""
    return catalog.answer("built", list_built)


def stats_rows(catalog: KnownCatalog, name: str, by: str = "pieces", pieces: int | None = None) -> list[dict[str, Any]]:
    """What `tablebase stats --format json` writes."""
    rules = load_rules(name)
    return catalog.answer(("stats", rules.name, by, pieces), lambda opened: _stats(opened, rules, by, pieces))


def _stats(catalog: Catalog, rules: Game | StochasticGame, by: str, pieces: int | None) -> list[dict[str, Any]]:
    if isinstance(rules, StochasticGame):
        return layer_rows(catalog, rules)
    rows = [asdict(counts) for counts in counts_of(catalog, rules, by) if pieces in (None, counts.pieces)]
    if not rows:
        raise missing_pieces(rules, pieces or 0, catalog.folder)
    columns = [name for name in rows[0] if name not in ("material", "side", "of_slices")]
    columns = ["material", "side", *columns] if by == "material" else [*columns, "of_slices"]
    return [{name: row[name] for name in columns} for row in rows]


def material_rows(catalog: KnownCatalog, name: str, pieces: int | None = None) -> list[dict[str, Any]]:
    """The materials of a game that have been built."""
    game = load_game(name)
    return catalog.answer(("materials", game.name, pieces), lambda opened: list_materials(opened, game, pieces))


def material_of(catalog: KnownCatalog, name: str, text: str) -> dict[str, Any]:
    """The description of a material; `MissingTableError` if it has not been built."""
    game = load_game(name)
    full = material_name(game, parse_material(game, text))

    def read(opened: Catalog) -> dict[str, Any]:
        known = describe_material(opened, game, full)
        return {**known, "distances": distances_of(opened, game, full), **neighbours(opened, game, full)}

    return catalog.answer(("material", game.name, full), read)


def record_rows(catalog: KnownCatalog, name: str, by: str = "pieces") -> list[dict[str, Any]]:
    """The longest wins and losses of a game."""
    game = load_game(name)
    return catalog.answer(("records", game.name, by), lambda opened: list_records(opened, game, by))
