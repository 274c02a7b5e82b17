"""Measure the program on this machine, and print tables or JSON.

    python -m scripts.measure tables doushouqi RCvWE
    python -m scripts.measure tables foxhounds FvHHHH@14
    python -m scripts.measure sums 4
    python -m scripts.measure tiers kalah-pits=4
    python -m scripts.measure search
    python -m scripts.measure tricks --depth 7
    python -m scripts.measure lookahead
    python -m scripts.measure mining --data data --pieces 4
    python -m scripts.measure builds --pieces 4 --memory 2G
    python -m scripts.measure serve --data data

``tables``: every solver, check, storage and probes of one table. ``sums``: two solvers on all tables with a number of pieces.
``tiers``: a build of a game by compiled functions, by phases, and probes of many positions.
``search``: perft and the engine. ``tricks``: what alpha-beta, sorting and cuts save and change in Hare & Hedgehog. ``lookahead``:
positions a second there by number of players and depth, and the depth that a second buys. ``mining``: SQL over positions, beside
Parquet files. ``builds``: whole builds by each executor. ``serve``: probes of random positions over HTTP; the folder must hold all
tables up to ``--pieces``.

No folder of tables is changed. Other work on the machine changes times: compare ratios of one run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tablebase.commands.output import write_rows
from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError

Report = dict[str, list[dict[str, Any]]]


def parser() -> argparse.ArgumentParser:
    """The parser of the subcommands."""
    options = argparse.ArgumentParser("measure", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="write JSON instead of tables")
    commands = options.add_subparsers(dest="command", required=True)
    tables = commands.add_parser("tables", parents=[shared], help="one table: solvers, checks, storage, probes")
    tables.add_argument("game")
    tables.add_argument("material")
    sums = commands.add_parser("sums", parents=[shared], help="two solvers on all tables with a number of pieces")
    sums.add_argument("pieces", type=int)
    tiers = commands.add_parser("tiers", parents=[shared], help="a build of a game by compiled functions")
    tiers.add_argument("game")
    tiers.add_argument("--tiers", default="all", help="names of tiers, by default all")
    tiers.add_argument("--workers", type=int, default=1)
    commands.add_parser("search", parents=[shared], help="perft and the engine")
    tricks = commands.add_parser("tricks", parents=[shared], help="tricks of a search in Hare & Hedgehog")
    tricks.add_argument("--depth", type=int, default=6, help="the largest depth, by default 6")
    lookahead = commands.add_parser("lookahead", parents=[shared], help="positions a second in Hare & Hedgehog")
    lookahead.add_argument("--seconds", type=float, default=1.0, help="CPU-seconds that a move may take, by default 1")
    for command, count in ((tricks, 50), (lookahead, 10)):
        command.add_argument("--positions", type=int, default=count, help=f"how many to search, by default {count}")
    mining = commands.add_parser("mining", parents=[shared], help="SQL over positions")
    builds = commands.add_parser("builds", parents=[shared], help="whole builds by each executor")
    builds.add_argument("--memory", metavar="8G", help="memory that a build may use")
    serve = commands.add_parser("serve", parents=[shared], help="a server under load")
    serve.add_argument("--seconds", type=float, default=60.0, help="how long to measure, by default 60")
    for command, pieces in ((mining, 3), (builds, 3), (serve, 4)):
        command.add_argument("--pieces", type=int, default=pieces, help=f"number of pieces, by default {pieces}")
    for command in (mining, serve):
        command.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    return options


def measure(given: argparse.Namespace) -> Report:
    """Run a subcommand; return lists of rows, by title."""
    # Imported where it is used, to keep --help fast and to need no extra of another subcommand.
    if given.command == "tables":
        from scripts.measure.tables import measure_tables

        return measure_tables(given.game, given.material)
    if given.command == "sums":
        from scripts.measure.tables import measure_sums

        return measure_sums(given.pieces)
    if given.command == "tiers":
        from scripts.measure.tiers import measure_tiers

        return measure_tiers(given.game, given.tiers, given.workers)
    if given.command == "search":
        from scripts.measure.search import measure_search

        return measure_search()
    if given.command == "tricks":
        from scripts.measure.lookahead import measure_tricks

        return measure_tricks(given.positions, given.depth)
    if given.command == "lookahead":
        from scripts.measure.lookahead import measure_speed

        return measure_speed(given.positions, given.seconds)
    if given.command == "mining":
        from scripts.measure.mining import measure_mining

        return measure_mining(given.data, given.pieces)
    if given.command == "builds":
        from scripts.measure.builds import measure_builds

        return measure_builds(given.pieces, given.memory)
    from scripts.measure.serve import measure_serving

    return measure_serving(given.data, given.pieces, given.seconds)


def main() -> None:
    """Run a subcommand; exit with the code of the program's own errors."""
    given = parser().parse_args()
    try:
        report = measure(given)
    except TablebaseError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    if given.json:
        print(json.dumps(report, indent=2))
        return
    for section in report.values():
        write_rows(section, Format.TABLE)
        print()


if __name__ == "__main__":
    main()
