"""The commands `mine`, `features`, `export`, `plot` and `patterns`: results of an open tablebase, written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tablebase.commands.calls import Call, from_input
from tablebase.commands.collection import Collection as Collection
from tablebase.commands.parameters import Format, Output, Shell, Timeout
from tablebase.errors import MissingExtraError, TablebaseError
from tablebase.game.plain_arguments import usable_workers
from tablebase.system.compute.messages import say
from tablebase.system.compute.progress import progress

if TYPE_CHECKING:
    from tablebase.mining.patterns.pattern_search import Patterns, Search

SHOWN = 1000
"""Most rows in a table on the terminal, unless --limit is given."""


def _picture(text: str) -> Path:
    from tablebase.mining.charts.picture_files import check_picture

    check_picture(Path(text))
    return Path(text)


def show_mine(
    call: Call,
    *,
    limit: Annotated[int | None, Shell(help="Show at most N rows.", metavar="N", least=0)] = None,
    timeout: Timeout = None,
    style: Annotated[
        Literal["table", "json", "csv", "markdown", "latex", "parquet"], Shell(help="Output format.", option="--format")
    ] = "table",
) -> int:
    """Write the rows; return the exit code of the process that answers.

    Without options, this command runs the statement on the tables in the folder 'data', and shows at most 1,000 rows.
    Statements are read-only, and can read only the files that you pass with --table. 'DESCRIBE positions' lists the columns.
    """
    from tablebase.commands.process import run_statement

    call.given["statement"] = from_input(call.given["statement"])
    call.given["workers"] = threads = usable_workers(call.given.get("workers"))

    def answer() -> None:
        # Loaded where the statement runs, which may be a process that is forked for it.
        from tablebase.mining.results import names_and_rows, write_parquet

        if style == "parquet" and sys.stdout.isatty():
            raise TablebaseError(
                "Parquet cannot be shown on a screen: redirect it to a file, as in '--format parquet > result.parquet'"
            )
        capped = limit is None and style == "table"
        with (
            call.opened() as mine,
            mine() as query,
            progress(f"mine {query.game.name}", "positions", query.cells, compiles=True) as shown,
        ):
            batches = query.run(SHOWN + 1 if capped else limit, shown.reach, timeout)
            if style == "parquet":
                write_parquet(sys.stdout.buffer, batches)
                return
            columns, rows = names_and_rows(batches)
            call.style = Format(style)
            call.write(islice(rows, SHOWN) if capped else rows, columns, verbatim=True)
            is_cut = capped and next(rows, None) is not None
        if is_cut:
            say(f"the table ends after {SHOWN:,} rows: use --limit for more, or --format csv for all")

    return run_statement(answer, timeout, threads)


def show_features(call: Call) -> None:
    """Write a row for each feature.

    Without options, this command lists the features that the game defines, each with a description. It does not need tables.
    """
    subjects = {0: "position", 1: "each piece", 2: "each pair"}
    rows = [
        {
            "feature": feature.name,
            "of": subjects[feature.pieces],
            "type": " ".join(feature.words) or feature.kind,
            "column": next(feature.columns(2))[0],
            "tells": feature.about,
        }
        for feature in call()
    ]
    call.write(rows, ["feature", "of", "type", "column", "tells"])


def show_plot(
    call: Call,
    *,
    output: Annotated[Path, Shell(help="PNG, SVG or PDF file to write.", metavar="FILE", parse=_picture, output=Output.FILE)],
) -> None:
    """Write the chart to a file.

    With only --output, this command draws the chart from all tables of the game in the folder 'data'. The charts 'squares' and
    'parity' also need one set of pieces, selected with --material. The chart 'chances' does not need tables. All outcomes are for
    the side to move.
    """
    from tablebase.mining.charts.drawing import save

    if call.given.get("csv") is not None and Path(call.given["csv"]) == output:
        raise TablebaseError(f"{output} is named by both --output and --csv: name another file")
    if call.given.get("statement") is not None:
        call.given["statement"] = from_input(call.given["statement"])
    # Charts of what the catalog counts compile nothing.
    compiles = call.given["chart"] in ("squares", "parity", "values", "query") or call.given.get("where") is not None
    with progress(f"plot {call.rules.name}", "positions", compiles=compiles) as shown:
        figure = call(tick=shown.reach)
    save(figure, output)
    say(f"wrote {output}: {figure.get_label()}")


def show_patterns(
    call: Call,
    *,
    top: Annotated[int, Shell(help="Show this many features, and as many feature pairs.", metavar="N", least=1)] = 10,
    output: Annotated[
        Path | None, Shell(help="Also write an HTML page with tables and charts to this file.", metavar="FILE", output=Output.FILE)
    ] = None,
) -> None:
    """Write the patterns of each set of positions as they are found, and a page.

    Without options, this command analyses all tables of the game in the folder 'data', and finds features and rules that
    predict the outcome. It analyses each set of pieces separately, and also stores these results in the catalog.
    """
    from importlib.resources import files

    from tablebase.building.reindex import prepare_catalog
    from tablebase.commands.findings import stored, write_findings
    from tablebase.mining.charts.report import HINT, write_report
    from tablebase.mining.patterns.trees import available
    from tablebase.system.files.outputs import check_output

    if call.given.get("depth", 3) and not available():
        say(str(MissingExtraError("trees", "patterns")))
        call.given["depth"] = 0
    if output is not None:
        check_output(output, HINT, inputs=[call.given.get("features")])
    prepare_catalog(call.folder, call.catalog)

    def run(planned: list[Search]) -> list[Patterns]:
        found: list[Patterns] = []

        def noted() -> Iterator[Patterns]:
            for result in stored(planned, call.folder, call.catalog):
                if output is not None:
                    found.append(result)
                yield result

        write_findings(noted(), len(planned), top, call.style)
        return found

    found = call(run=run)
    if output is not None:
        write_report(output, found, top, (files("tablebase.web") / "static" / "pages.css").read_text(encoding="utf-8"))
        say(f"wrote {output}: {len(found)} {'set' if len(found) == 1 else 'sets'} of positions")
