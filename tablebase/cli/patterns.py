"""The command that finds what decides slices: patterns."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import all_features, chosen_rules
from tablebase.commands.parameters import Format
from tablebase.game.plain_arguments import usable_workers

if TYPE_CHECKING:
    from tablebase.patterns.pattern_search import Patterns, Search


class TargetName(StrEnum):
    """What is predicted."""

    OUTCOME = "outcome"
    DISTANCE = "distance"
    ONLY_MOVE = "only_move"


SUBJECT_FIELDS = ["game", "material", "side", "pieces"]
GAIN_FIELDS = ["features", "number", "gain", "explains", "decides"]
SHOWN_GAIN_FIELDS = ["features", "gain", "explains", "decides"]
TOTAL_FIELDS = ["commonest", "entropy", "positions"]
RULE_FIELDS = ["positions", "share", "condition"]


def patterns(
    game: options.GameName,
    size: options.Size = None,
    variant: options.Variant = None,
    material: options.Materials = None,
    pieces: options.Pieces = None,
    pool: Annotated[bool, typer.Option("--pool", help="Search all slices as one set of positions.")] = False,
    target: Annotated[TargetName, typer.Option("--target", help="What is predicted.")] = TargetName.OUTCOME,
    outcome: Annotated[
        options.ShownOutcome | None,
        typer.Option("--outcome", help="Only positions with this outcome: for distance win or loss, for only_move win or draw."),
    ] = None,
    feature_file: options.FeatureFile = None,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Number of features, and of pairs of features, to show.")
    ] = 10,
    conditions: Annotated[
        int, typer.Option("--conditions", metavar="N", min=1, max=3, help="Most conditions of a rule, from 1 to 3.")
    ] = 2,
    support: Annotated[
        float, typer.Option("--support", metavar="SHARE", help="Least share of the positions that a rule or leaf covers.")
    ] = 0.0,
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=0, max=8, help="Depth of the decision trees; 0 for none.")] = 3,
    page: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Also write a page with tables and charts.")] = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Threads = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Find features, rules and trees that predict outcomes. Those of single slices are stored in the catalog."""
    from contextlib import closing
    from importlib.resources import files

    from tablebase.building.reindex import prepare_catalog
    from tablebase.charts.report import CURE, write_report
    from tablebase.commands.output import say
    from tablebase.errors import MissingExtraError
    from tablebase.files.outputs import check_output
    from tablebase.mining.selection import select_by_name
    from tablebase.patterns.pattern_search import Settings, searches
    from tablebase.patterns.targets import target_of
    from tablebase.patterns.trees import available
    from tablebase.tables.store import Store

    rules = chosen_rules("patterns", game, size, variant)
    features = all_features(rules, feature_file)
    if depth and not available():
        say(str(MissingExtraError("trees", "patterns")))
        depth = 0
    settings = Settings(target_of(target, outcome), depth, conditions, support)
    if page is not None:
        check_output(page, CURE, inputs=[feature_file])
    prepare_catalog(data, catalog)
    selection = select_by_name(rules, data, material or [], pieces, catalog=catalog)
    with closing(Store(data)) as store:
        planned = searches(rules, store, selection, features, usable_workers(workers), settings, pool)
        results = _run(data, catalog, planned)
        if page is None:
            _write(results, len(planned), top, style)
        else:
            found: list[Patterns] = []
            _write(_noted(results, found), len(planned), top, style)
            write_report(page, found, top, (files("tablebase.web") / "static" / "pages.css").read_text(encoding="utf-8"))
            say(f"wrote {page}: {len(found)} {'set' if len(found) == 1 else 'sets'} of positions")


def _noted(results: Iterable[Patterns], found: list[Patterns]) -> Iterator[Patterns]:
    """The results, which are also collected."""
    for result in results:
        found.append(result)
        yield result


def _run(data: Path, catalog: str | None, searches: Sequence[Search]) -> Iterator[Patterns]:
    """Run the searches one by one, and store each result in the catalog, if these are kept and it may be changed."""
    from tablebase.catalog.catalog import Catalog
    from tablebase.commands.output import say
    from tablebase.compute.progress import progress
    from tablebase.patterns.kept_patterns import are_kept, save
    from tablebase.patterns.wording import slices_text

    kept = all(are_kept(search.slices, search.settings.target) for search in searches)
    writable = os.access(data, os.W_OK)
    if kept and not writable:
        say(f"the findings are not stored, since {data} can only be read")
    total = sum(search.cells for search in searches)
    opened = Catalog(data, create=True, catalog=catalog) if kept and writable else None
    if opened is not None:
        opened.create()
    with progress("patterns", "positions", total) as shown:
        for search in searches:
            shown.name(f"patterns {slices_text(search.game, search.slices)}")
            search.tick = shown.update
            result = search.run()
            if opened is not None:
                save(opened, result)
            yield result


def _write(results: Iterable[Patterns], count: int, top: int, style: Format) -> None:
    """Write the results of `count` searches."""
    from tablebase.commands.output import write_rows
    from tablebase.patterns.kept_patterns import gain_rows
    from tablebase.patterns.wording import subject_fields

    if style is Format.JSON:
        write_rows((_json_object(result, top) for result in results), style)
    elif style is Format.CSV:
        rows = (
            {**subject_fields(result), **row, "target": result.target.name, "slices": len(result.slices)}
            for result in results
            for row in gain_rows(result, top, top)
        )
        write_rows(rows, style, [*SUBJECT_FIELDS, *GAIN_FIELDS, *TOTAL_FIELDS, "target", "slices"])
    elif count == 1:
        for result in results:
            _write_report(result, top)
    else:
        write_rows((_summary(result) for result in results), style)


def _json_object(result: Patterns, top: int) -> dict[str, Any]:
    """A set of positions as a JSON object."""
    from tablebase.patterns.kept_patterns import gain_rows, rule_rows, tree_rows
    from tablebase.patterns.wording import class_rows, count_fields, slice_fields, subject_fields

    return {
        **subject_fields(result),
        **count_fields(result),
        "commonest": result.commonest,
        "entropy": result.entropy,
        "gains": [{name: row[name] for name in GAIN_FIELDS} for row in gain_rows(result, top, top)],
        "rules": list(rule_rows(result)),
        "tree": next(tree_rows(result), None),
        "target": result.target.name,
        "outcomes": [str(outcome) for outcome in result.target.outcomes],
        "classes": class_rows(result),
        "expression": result.expression,
        "slices": slice_fields(result),
    }


def _summary(result: Patterns) -> dict[str, Any]:
    """A slice in one line of a table."""
    from tablebase.patterns.kept_patterns import best
    from tablebase.patterns.wording import subject_fields

    subject = subject_fields(result)
    single, pair = (next((gain for gain in best(result, number, 1) if gain.gain), None) for number in (1, 2))
    rule = next(iter(result.rules), None)
    return {
        "material": subject["material"],
        "side": subject["side"],
        "positions": result.positions,
        "commonest": result.commonest,
        "feature": single and single.name,
        "gain": single and single.gain,
        "decides": single and single.decides,
        "pair": pair and pair.name,
        "pair_decides": pair and pair.decides,
        "rule": rule and f"{rule.value} where {rule.condition}",
        "covers": rule and rule.positions / result.positions,
        "tree_error": result.tree and result.tree.errors / result.positions,
    }


def _write_report(result: Patterns, top: int) -> None:
    """Write all that was found in one set of positions, for people."""
    from tablebase.commands.output import write_table
    from tablebase.patterns.kept_patterns import gain_rows, rule_rows
    from tablebase.patterns.wording import counts_text, entropy_text, title, tree_text

    _print([f"{title(result)}: {counts_text(result)}", entropy_text(result), ""])
    write_table(list(gain_rows(result, top, top)), SHOWN_GAIN_FIELDS)
    _print([""])
    if result.rules:
        columns = [result.target.name, *RULE_FIELDS]
        write_table(list(rule_rows(result)), columns, [name.replace("_", " ") for name in columns])
    _print([""] if result.rules else ["no rule without exceptions", ""])
    if result.tree is not None:
        _print([result.tree.text, "", tree_text(result, result.tree), result.tree.sql])


def _print(lines: Sequence[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
