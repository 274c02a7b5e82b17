"""Data for programs on a game and its tables with their statistics, or on a material and its slices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TypeVar, cast

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.catalog.database import Answer
from tablebase.commands.row_types import DistanceRow, ExactRow, LayerRow, MaterialRow, Neighbour, RecordRow, TierRow
from tablebase.errors import ArgumentError, quoted
from tablebase.game import Game
from tablebase.positions.conversions import conversions, parents
from tablebase.positions.location import dependencies, dependents, locate
from tablebase.positions.material import Material, material_name, parse_material, piece_counts
from tablebase.probe.source import natural
from tablebase.system.compute.messages import brief
from tablebase.tables.missing import missing_game, missing_pieces, missing_table

Entry = TypeVar("Entry")
BY = ("pieces", "material")
SUMMED, LONGEST = ("placements", "positions", "wins", "losses", "draws"), ("longest_win", "longest_loss")


@brief
class Statistics(list[Entry]):
    """Statistics of a game's tables: a list of `Counts` objects, or of dicts for games defined by functions.

    The attribute `remarks` lists warnings about missing tables and files; their positions are not counted.
    """

    def __init__(self, entries: Iterable[Entry], by: str) -> None:
        super().__init__(entries)
        self._by, self.remarks = by, list[str]()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The statistics as dicts with the fields of ``tablebase stats --format json``."""
        return [
            {name: getattr(one, name) for name in one.columns(self._by)} if isinstance(one, Counts) else dict(one)  # type: ignore[call-overload]
            for one in self
        ]


def statistics(catalog: Catalog, game: Any, by: str = "pieces", pieces: int | range | None = None) -> Statistics[Any]:
    """Statistics of a game of any kind, perhaps only with some numbers of pieces; `MissingTableError` if there are none."""
    if has_materials := "materials" in game.can:
        if by not in BY:
            raise ArgumentError(f"invalid --by {quoted(by)}: expected {' or '.join(BY)}")
        found: list[Any] = catalog.counts(game, by)
    else:
        kinds = {"layers": LayerRow, "exact": ExactRow, "tiers": TierRow}
        rows = [(kind, entry.row) for table, kind in kinds.items() for entry in catalog.there(game, table)]
        found = [{name: row[name] for name in kind.__annotations__} for kind, row in rows]
        found.sort(key=lambda row: natural(row.get("tier", "")))
    if not found:
        raise missing_game(game, catalog.folder)
    if pieces is None or not has_materials:
        return Statistics(found, by)
    numbers = piece_counts(game, pieces)
    if not (some := [one for one in found if one.pieces in numbers]):
        raise missing_pieces(game, numbers[0], catalog.folder)
    return Statistics(some, by)


def list_materials(catalog: Catalog, game: Game, pieces: int | None = None) -> list[MaterialRow]:
    """List the materials with tables, with the counts of both sides to move added up; `MissingTableError` without any."""
    found: dict[str, list[Counts]] = {}
    for counts in statistics(catalog, game, "material"):
        if pieces in (None, counts.pieces):
            found.setdefault(str(counts.material), []).append(counts)
    rows = []
    for name, slices in found.items():
        row = {"material": name, "pieces": slices[0].pieces, "sides": "".join(str(one.side) for one in slices)}
        row |= {field: sum(getattr(one, field) for one in slices) for field in SUMMED}
        plies = {field: [getattr(one, field) for one in slices] for field in LONGEST}
        row |= {field: max((one for one in some if one is not None), default=None) for field, some in plies.items()}
        rows.append(cast("MaterialRow", row))
    return rows


def list_records(catalog: Catalog, game: Game, by: str = "pieces") -> list[RecordRow]:
    """The positions from which best play takes longest, in all tables of the rules installed now; `MissingTableError` without any.

    They are a win and a loss of each number of pieces, or by ``material`` those of each stored slice, the longest first.
    """
    columns = "s.longest_win, s.longest_win_position, s.longest_loss, s.longest_loss_position"
    _, rows = catalog.answer(
        f"SELECT t.file, t.pieces, t.material, s.side, {columns} FROM tables t JOIN solutions s ON s.table_id = t.id "
        f"WHERE t.game = '{game.name}' AND t.rules_digest = '{game.digest}' ORDER BY t.pieces, t.material, s.side DESC"
    )
    rows = [row[1:] for row in rows if (catalog.folder / row[0]).exists()]
    if not rows:
        raise missing_game(game, catalog.folder)
    found: list[RecordRow] = [
        {"pieces": pieces, "material": name, "side": side, "outcome": outcome, "distance": distance, "position": position}
        for pieces, name, side, *ends in rows
        for outcome, distance, position in (("win", *ends[:2]), ("loss", *ends[2:]))
        if distance is not None
    ]
    if by == "material":
        return sorted(found, key=lambda row: (-row["distance"], row["pieces"]))
    best: dict[tuple[int, str], RecordRow] = {}
    for row in found:
        key = (row["pieces"], row["outcome"])
        best[key] = max(best.get(key, row), row, key=lambda one: one["distance"])
    return list(best.values())


def distances_of(catalog: Catalog, game: Game, name: str) -> list[DistanceRow]:
    """Count the placements of each slice of a material, named as by `material_name`, that are won or lost at each distance."""
    statement = (
        "SELECT c.side, d.outcome, d.distance, d.placements FROM slices c "
        "JOIN solutions s ON s.id = c.solution_id JOIN distances d ON d.solution_id = s.id "
        f"WHERE c.game = '{game.name}' AND c.material = '{name}' ORDER BY c.side DESC, d.outcome DESC, d.distance"
    )
    return cast(list[DistanceRow], _named(catalog.answer(statement)))


def neighbours(catalog: Catalog, game: Game, text: str) -> dict[str, Any]:
    """The fields of `MaterialDescription` from `stored_as` on."""
    stored = locate(game, parse_material(game, text), 0).material
    return {
        "stored_as": material_name(game, stored),
        "depends_on": _listed(catalog, game, (one for one in dependencies(game, stored) if one != stored)),
        "needed_by": _listed(catalog, game, dependents(game, stored)),
    }


def moves_between(catalog: Catalog, game: Game, text: str) -> dict[str, list[Neighbour]]:
    """The materials `below`, which a move from a material leads to, and `above`, from which a move leads to it."""
    material = parse_material(game, text)
    children = {conversion.child for conversion in conversions(game, material)}
    return {"below": _listed(catalog, game, sorted(children)), "above": _listed(catalog, game, sorted(parents(game, material)))}


def _listed(catalog: Catalog, game: Game, some: Iterable[Material]) -> list[Neighbour]:
    built = catalog.registered(game)
    stored = {one: material_name(game, locate(game, one, 0).material) for one in some}
    return [{"material": material_name(game, one), "built": name in built} for one, name in stored.items()]


def patterns_of(catalog: Catalog, game: Game, name: str, side: str) -> dict[str, list[dict[str, Any]]]:
    """Results of `tablebase patterns` for a slice: `gains` of features and `rules`, the best first, and at most one tree."""
    of_slice = (
        "slice_id IN (SELECT t.id FROM slices t JOIN slices s ON s.solution_id = t.solution_id "
        f"WHERE s.game = '{game.name}' AND s.material = '{name}' AND s.side = '{side}')"
    )
    chosen = {
        "gains": f"features, explains, decides FROM pattern_gains WHERE {of_slice} ORDER BY number, gain DESC",
        "rules": f"outcome, condition, share FROM pattern_rules WHERE {of_slice} ORDER BY share DESC",
        "trees": f"tree, errors, positions FROM pattern_trees WHERE {of_slice} LIMIT 1",
    }
    return {table: _named(catalog.sql(f"SELECT {columns}")) for table, columns in chosen.items()}


def list_built(catalog: Catalog) -> list[dict[str, Any]]:
    """List the games that have files here, games with tables first, with the numbers of their `tables` and `layers`.

    `least` and `most` are the numbers of pieces of any table; these, `tables` and `cells` are null without tables.
    """
    rows = {name: _named(catalog.answer(f"SELECT * FROM {name} ORDER BY game")) for name in ("tables", "layers")}
    there = {name: [row for row in some if (catalog.folder / row["file"]).exists()] for name, some in rows.items()}
    built = []
    for game in sorted({row["game"] for rows in there.values() for row in rows}):
        tables, layers = ([row for row in there[name] if row["game"] == game] for name in ("tables", "layers"))
        pieces, cells = [row["pieces"] for row in tables], sum(row["cells"] for row in tables)
        row = {"game": game, "tables": len(tables) or None, "least": min(pieces, default=None), "most": max(pieces, default=None)}
        built.append({**row, "cells": cells or None, "layers": len(layers)})
    return sorted(built, key=lambda row: row["tables"] is None)


def _named(answer: Answer) -> list[dict[str, Any]]:
    columns, rows = answer
    return [dict(zip(columns, row, strict=True)) for row in rows]


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
    """A material's pieces, and the row of each of its slices as in the view ``slice_counts``; `MissingTableError` without any."""
    material = parse_material(game, text)
    name = material_name(game, material)
    slices = catalog.slice_counts(game, name)
    if not slices:
        raise missing_table(game, material, catalog.folder)
    pieces = [f"{game.sides[kind.side].name} {kind.name}" for kind in map(game.kinds.__getitem__, material.kinds)]
    return {"game": game.name, "material": name, "pieces": pieces, "slices": slices}
