"""What there is: a game and its tables, or a material and its slices, as data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.catalog.schema import VIEW
from tablebase.errors import TablebaseError, quoted
from tablebase.game import Game
from tablebase.slices.material import material_name, parse_material
from tablebase.tables.missing import missing_game, missing_table

BY = ("pieces", "material")


def counts_of(catalog: Catalog, game: Game, by: str) -> list[Counts]:
    """Statistics of a game's tables; `MissingTableError` if there are none."""
    if by not in BY:
        raise TablebaseError(f"statistics are by {' or by '.join(BY)}, not by {quoted(by)}")
    counts = catalog.counts(game, by)
    if not counts:
        raise missing_game(game, catalog.folder)
    return counts


def describe_game(catalog: Catalog, game: Game) -> dict[str, Any]:
    """A game's board, sides and pieces, and what has been built of it."""
    return {
        "game": game.name,
        "title": game.title,
        "board": f"{game.board.width}x{game.board.height}",
        "squares": len(game.board),
        "sides": {side.letter: side.name for side in game.sides},
        "pieces": {kind.symbol: kind.name for kind in game.kinds},
        "start": game.start,
        "built": [asdict(counts) for counts in catalog.counts(game, "pieces")],
    }


def describe_material(catalog: Catalog, game: Game, text: str) -> dict[str, Any]:
    """A material's pieces, and the row of each of its slices in the view ``slice_counts``; `MissingTableError` without any."""
    material = parse_material(game, text)
    name = material_name(game, material)
    columns, rows = catalog.answer(f"SELECT * FROM {VIEW} WHERE game = '{game.name}' AND material = '{name}' ORDER BY side")
    if not rows:
        raise missing_table(game, material, catalog.folder)
    kinds = [game.kinds[kind] for kind in material.kinds]
    return {
        "game": game.name,
        "material": name,
        "pieces": [f"{game.sides[kind.side].name} {kind.name}" for kind in kinds],
        "slices": [dict(zip(columns, row, strict=True)) for row in rows],
    }
