"""Patterns as an open tablebase returns them, and as the command writes and stores them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tablebase.catalog.catalog import Catalog
from tablebase.commands.output import write_rows, write_table
from tablebase.commands.parameters import Format
from tablebase.mining.patterns import kept_patterns as kept
from tablebase.mining.patterns.pattern_search import Patterns, Search
from tablebase.system.compute.messages import brief, in_percent, say
from tablebase.system.compute.progress import progress

SHOWN = 10
"""Features, and pairs of features, that a notebook shows."""
GAIN_FIELDS = ["features", "number", "gain", "explains", "decides"]
SHARES = {"explains", "decides", "share", "commonest", "pair_decides", "covers", "tree_error"}


@brief
class Findings(list[Patterns]):
    """List of `Patterns`, one for each group of positions analysed together; notebooks show their charts."""

    def __repr__(self) -> str:
        return f"Findings({'; '.join(map(kept.title, self))})"

    def _repr_html_(self) -> str:
        from tablebase.mining.charts.report import patterns_html

        return "".join(patterns_html(each, SHOWN) for each in self)


def stored(searches: Sequence[Search], data: Path, catalog: str | None) -> Iterator[Patterns]:
    """Run the searches one by one, and store each result in the catalog, if these are kept and it may be changed."""
    are_kept = all(kept.are_kept(search.slices, search.settings.target) for search in searches)
    writable = os.access(data, os.W_OK)
    if are_kept and not writable:
        say(f"the patterns were not stored, because {data} is read-only")
    total = sum(search.cells for search in searches)
    opened = Catalog(data, create=True, catalog=catalog) if are_kept and writable else None
    if opened is not None:
        opened.create()
    with progress("patterns", "positions", total, compiles=True) as shown:
        for search in searches:
            shown.name(f"patterns {kept.slices_text(search.game, search.slices)}")
            search.tick = shown.update
            result = search.run()
            if opened is not None:
                kept.save(opened, result)
            yield result


def write_findings(results: Iterable[Patterns], count: int, top: int, style: Format) -> None:
    """Write the results of `count` searches."""
    if style is Format.JSON:
        write_rows((_json_object(result, top) for result in results), style)
    elif style is not Format.TABLE:
        gains = ((one, row) for one in results for row in kept.gain_rows(one, top, top))
        rows = ({**kept.subject_fields(one), **row, "target": one.target.name, "slices": len(one.slices)} for one, row in gains)
        subject, totals = ("game", "material", "side", "pieces"), ("commonest", "entropy", "positions")
        write_rows(rows, style, [*subject, *GAIN_FIELDS, *totals, "target", "slices"])
    elif count == 1:
        for result in results:
            _write_report(result, top)
    else:
        write_rows((_in_percent(_summary(result)) for result in results), style)


def _json_object(result: Patterns, top: int) -> dict[str, Any]:
    return {
        **kept.subject_fields(result),
        **kept.count_fields(result),
        "commonest": result.commonest,
        "entropy": result.entropy,
        "gains": [{name: row[name] for name in GAIN_FIELDS} for row in kept.gain_rows(result, top, top)],
        "rules": list(kept.rule_rows(result)),
        "tree": next(kept.tree_rows(result), None),
        "target": result.target.name,
        "outcomes": [str(outcome) for outcome in result.target.outcomes],
        "classes": kept.class_rows(result),
        "expression": result.expression,
        "slices": kept.slice_fields(result),
    }


def _summary(result: Patterns) -> dict[str, Any]:
    subject = kept.subject_fields(result)
    single, pair = (next((gain for gain in kept.best(result, number, 1) if gain.gain), None) for number in (1, 2))
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
    sys.stdout.write(f"{kept.title(result)}: {kept.counts_text(result)}\n{kept.entropy_text(result)}\n\n")
    write_table([_in_percent(row) for row in kept.gain_rows(result, top, top)], ["features", "gain", "explains", "decides"])
    sys.stdout.write("\n")
    if result.rules:
        write_table([_in_percent(row) for row in kept.rule_rows(result)], [result.target.name, "positions", "share", "condition"])
    sys.stdout.write("\n" if result.rules else "no rule without exceptions\n\n")
    if result.tree is not None:
        sys.stdout.write(f"{result.tree.text}\n\n{kept.tree_text(result, result.tree)}\n{result.tree.sql}\n")


def _in_percent(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: in_percent(value) if name in SHARES and value is not None else value for name, value in row.items()}
