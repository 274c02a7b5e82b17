"""Commands of the search: uci, perft, analyse."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules, chosen_start
from tablebase.commands.parameters import Format
from tablebase.files.inputs import lines_of
from tablebase.search.choices import RepeatedLines, Repetition

if TYPE_CHECKING:
    from tablebase.search.engine import Analysis


def perft(
    game: options.GameName,
    position: options.PositionText = None,
    start: options.Start = None,
    depth: Annotated[
        int, typer.Option("--depth", metavar="N", min=1, help="Length of the longest lines to count, in plies or in whole turns.")
    ] = 4,
    divide: Annotated[bool, typer.Option("--divide", help="Show the leaves below each legal move, at depth N only.")] = False,
    repetitions: Annotated[
        RepeatedLines,
        typer.Option("--repetitions", help="Whether a line that comes back to one of its own earlier positions is one leaf."),
    ] = RepeatedLines.CONTINUE,
    players: options.Players = None,
    size: options.Size = None,
    variant: options.Variant = None,
    workers: options.Threads = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Count the leaves of the tree of legal moves (perft)."""
    from tablebase.commands.output import write_rows
    from tablebase.commands.searching import perft as count_leaves

    rules = chosen_rules("perft", game, size, variant, players)
    text = chosen_start(rules, position, start)
    rows = count_leaves(rules, text, depth=depth, divide=divide, repetitions=repetitions, workers=workers)
    write_rows(rows, style, ["move", "leaves"] if divide else ["depth", "leaves", "seconds"])


def analyse(
    game: options.GameName,
    position: options.PositionText = None,
    start: options.Start = None,
    depth: Annotated[int | None, typer.Option("--depth", metavar="N", min=1, help="Last depth to search, in plies.")] = None,
    time: Annotated[
        float | None,
        typer.Option("--time", metavar="SECONDS", help="How long to search; 5 seconds if there is no other limit."),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="How many positions one thread may search.")
    ] = None,
    lines: Annotated[int, typer.Option("--lines", metavar="K", min=1, help="How many of the best moves to show.")] = 1,
    exact: Annotated[bool, typer.Option("--exact", help="Search as plain minimax would, leaving nothing out.")] = False,
    repetition: Annotated[
        Repetition, typer.Option("--repetition", help="What the third occurrence of a position is; tables know no such rule.")
    ] = Repetition.NONE,
    progress_limit: Annotated[
        int, typer.Option("--progress-limit", metavar="N", min=0, help="Plies without a capture that make a draw; 0 for no limit.")
    ] = 0,
    hash_size: Annotated[str, typer.Option("--hash", metavar="64M", help="Memory of the transposition table.")] = "64M",
    no_tables: Annotated[bool, typer.Option("--no-tables", help="Search without tables.")] = False,
    size: options.Size = None,
    variant: options.Variant = None,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, help="Number of threads; one always finds the same.")
    ] = 1,
    data: options.Data = options.DEFAULT_DATA,
    style: options.Style = Format.TABLE,
) -> None:
    """Search a position, with tables where they exist."""
    from tablebase.commands.output import write_rows
    from tablebase.commands.searching import analyse as search

    rules = chosen_rules("analyse", game, size, variant)
    answers = search(
        rules,
        chosen_start(rules, position, start),
        depth=depth,
        time=time,
        nodes=nodes,
        lines=lines,
        exact=exact,
        repetition=repetition,
        progress_limit=progress_limit,
        hash=hash_size,
        no_tables=no_tables,
        workers=workers,
        data=None if data == options.DEFAULT_DATA else data,
    )
    if style is Format.TABLE:
        _write_lines(answers)
    else:
        write_rows((_row(answer, style) for answer in answers), style)


def _row(answer: Analysis, style: Format) -> dict[str, Any]:
    """An answer as JSON has it, or with texts for what has parts."""
    row = answer.to_dict()
    if style is Format.CSV:
        row["line"] = " ".join(answer.line)
        row["reached"] = None if answer.reached is None else answer.reached.said
    return row


def _write_lines(answers: Iterable[Analysis]) -> None:
    """Write a line for each answer as soon as there is one."""
    sys.stdout.write(f"{'depth':>5}   {'score':>18}   {'nodes':>13}   {'nodes/s':>10}   {'table hits':>10}   line\n")
    for answer in answers:
        rate = f"{answer.nodes / answer.seconds:,.0f}" if answer.nodes and answer.seconds else "-"
        ending = f" ({answer.reached.said} by the table)" if answer.reached is not None else ""
        sys.stdout.write(
            f"{answer.depth:>5}   {answer.verdict:>18}   {answer.nodes:>13,}   {rate:>10}   {answer.table_hits:>10,}"
            f"   {' '.join(answer.line)}{ending}\n"
        )
        sys.stdout.flush()


def uci(
    game: options.GameName, size: options.Size = None, variant: options.Variant = None, data: options.Data = options.DEFAULT_DATA
) -> None:
    """Connect the search to a chess GUI over UCI."""
    from tablebase.protocol.uci_server import UciServer
    from tablebase.protocol.uci_settings import Settings
    from tablebase.tables.folder import check_folder

    rules = chosen_rules("uci", game, size, variant)
    check_folder(data, built=data != options.DEFAULT_DATA)
    UciServer(Settings(rules, data if data.exists() else None), _write).serve(_lines())


def _lines() -> Iterator[str]:
    """The lines of standard input, as soon as they are there; bytes that are not text are escaped."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    yield from lines_of(sys.stdin)


def _write(line: str) -> None:
    """Write a line, and let the other program have it at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
