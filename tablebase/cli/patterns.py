"""The command that finds what decides slices: patterns."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli.migrate import prepare_catalog
from tablebase.cli.mine import FeatureFile, all_features
from tablebase.cli.options import (
    CORES,
    DEFAULT_DATA,
    CatalogUrl,
    Data,
    Format,
    GameName,
    Materials,
    Pieces,
    Size,
    Style,
    Threads,
    Variant,
    chosen_game,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.game import Game
    from tablebase.patterns.search import Patterns, Search
    from tablebase.slices.location import StoredSlice

SLICE_FIELDS = ["game", "material", "side", "pieces"]
GAIN_FIELDS = ["features", "number", "gain", "explains", "decides"]
SHOWN_GAIN_FIELDS = ["features", "gain", "explains", "decides"]
TOTAL_FIELDS = ["commonest", "entropy", "positions"]
RULE_FIELDS = ["outcome", "positions", "share", "condition"]
COUNT_FIELDS = ["positions", "wins", "losses", "draws"]
JSON_FIELDS = [*SLICE_FIELDS, *COUNT_FIELDS, "commonest", "entropy", "gains", "rules", "tree"]
SUMMARY_FIELDS = [
    "material",
    "side",
    "positions",
    "commonest",
    "feature",
    "gain",
    "decides",
    "pair",
    "pair_decides",
    "rule",
    "covers",
    "tree_error",
]


def patterns(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    material: Materials = None,
    pieces: Pieces = None,
    feature_file: FeatureFile = None,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Number of features, and of pairs of features, to show.")
    ] = 10,
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=0, max=8, help="Depth of the decision trees; 0 for none.")] = 3,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    workers: Threads = CORES,
    style: Style = Format.TABLE,
) -> None:
    """Find the features, rules and trees that decide slices. All findings are stored in the catalog."""
    from contextlib import closing

    from tablebase.cli.output import say
    from tablebase.errors import MissingExtraError
    from tablebase.mining.selection import select_by_name
    from tablebase.patterns.search import Search
    from tablebase.patterns.trees import available
    from tablebase.tables.store import Store

    rules = chosen_game(game, size, variant)
    features = all_features(rules, feature_file)
    prepare_catalog(data, catalog)
    selection = select_by_name(rules, data, material or [], pieces, catalog=catalog)
    if depth and not available():
        say(str(MissingExtraError("trees", "patterns")))
        depth = 0
    with closing(Store(data)) as store:
        searches = [Search(rules, store, {stored: wanted}, features, workers, depth) for stored, wanted in selection.items()]
        _write(rules, _run(rules, data, catalog, searches), len(searches), top, style)


def _run(game: Game, data: Path, catalog: str | None, searches: Sequence[Search]) -> Iterator[Patterns]:
    """Run the searches one by one, and store each result in the catalog, if it may be changed."""
    from contextlib import closing, nullcontext

    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import say
    from tablebase.cli.progress import progress
    from tablebase.patterns.findings import save

    writable = os.access(data, os.W_OK)
    if not writable:
        say(f"the findings are not stored, since {data} can only be read")
    total = sum(search.cells for search in searches)
    opening = closing(Catalog(data, create=True, catalog=catalog)) if writable else nullcontext()
    with opening as opened, progress("patterns", "positions", total) as shown:
        for search in searches:
            shown.name(f"patterns {_slice_fields(game, search.slice)['material']}")
            search.tick = shown.update
            result = search.run()
            if opened is not None:
                save(opened, game, result)
            yield result


def _write(game: Game, results: Iterable[Patterns], count: int, top: int, style: Format) -> None:
    """Write the results of `count` searches."""
    from tablebase.cli.output import write_rows
    from tablebase.patterns.findings import gain_rows

    if style is Format.JSON:
        write_rows((_json_object(game, result, top) for result in results), style, JSON_FIELDS)
    elif style is Format.CSV:
        rows = ({**_slice_fields(game, result.slice), **row} for result in results for row in gain_rows(result, top, top))
        write_rows(rows, style, [*SLICE_FIELDS, *GAIN_FIELDS, *TOTAL_FIELDS])
    elif count == 1:
        for result in results:
            _write_report(game, result, top)
    else:
        write_rows((_summary(game, result) for result in results), style, SUMMARY_FIELDS)


def _slice_fields(game: Game, stored: StoredSlice) -> dict[str, Any]:
    from tablebase.slices.material import material_name

    name, letter = material_name(game, stored.material), game.sides[stored.side].letter
    return {"game": game.name, "material": name, "side": letter, "pieces": stored.material.pieces}


def _outcome_counts(result: Patterns) -> dict[str, int]:
    wins, losses, draws = result.outcomes
    return {"positions": result.positions, "wins": wins, "losses": losses, "draws": draws}


def _json_object(game: Game, result: Patterns, top: int) -> dict[str, Any]:
    """A slice as a JSON object."""
    from tablebase.patterns.findings import gain_rows, rule_rows, tree_rows

    return {
        **_slice_fields(game, result.slice),
        **_outcome_counts(result),
        "commonest": result.commonest,
        "entropy": result.entropy,
        "gains": [{name: row[name] for name in GAIN_FIELDS} for row in gain_rows(result, top, top)],
        "rules": list(rule_rows(result)),
        "tree": next(tree_rows(result), None),
    }


def _summary(game: Game, result: Patterns) -> dict[str, Any]:
    """A slice in one line of a table."""
    from tablebase.patterns.findings import best

    single, pair = (next((gain for gain in best(result, number, 1) if gain.gain), None) for number in (1, 2))
    rule = next(iter(result.rules), None)
    return {
        **{name: value for name, value in _slice_fields(game, result.slice).items() if name in SUMMARY_FIELDS},
        "positions": result.positions,
        "commonest": result.commonest,
        "feature": single and single.name,
        "gain": single and single.gain,
        "decides": single and single.decides,
        "pair": pair and pair.name,
        "pair_decides": pair and pair.decides,
        "rule": rule and f"{rule.outcome} where {rule.condition}",
        "covers": rule and rule.positions / result.positions,
        "tree_error": result.tree and result.tree.errors / result.positions,
    }


def _write_report(game: Game, result: Patterns, top: int) -> None:
    """Write all that was found in one slice, for people."""
    from tablebase.cli.output import write_table
    from tablebase.patterns.findings import gain_rows, rule_rows

    material, side = _slice_fields(game, result.slice)["material"], game.sides[result.slice.side].name
    counts = ", ".join(f"{number:,} {what}" for what, number in _outcome_counts(result).items())
    _print([f"{material}, {side} to move: {counts}"])
    _print([f"entropy of the outcome: {result.entropy:.3f} bits; most common outcome: {100 * result.commonest:.1f} %", ""])
    write_table(list(gain_rows(result, top, top)), SHOWN_GAIN_FIELDS)
    _print([""])
    if result.rules:
        write_table(list(rule_rows(result)), RULE_FIELDS)
    _print([""] if result.rules else ["no rule without exceptions", ""])
    if result.tree is not None:
        wrong = f"wrong in {result.tree.errors:,} positions, {100 * result.tree.errors / result.positions:.2f} %; as SQL:"
        _print([result.tree.text, "", wrong, result.tree.sql])


def _print(lines: Sequence[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


COMMANDS = (patterns,)
