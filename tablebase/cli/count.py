"""The command that counts positions and games from a start: count."""

from __future__ import annotations

from tablebase.cli.options import (
    Format,
    GameName,
    PositionText,
    Size,
    Start,
    Style,
    Threads,
    Variant,
    chosen_game,
    chosen_start,
)
from tablebase.compute.machine import usable_workers


def count(
    game: GameName,
    position: PositionText = None,
    start: Start = None,
    size: Size = None,
    variant: Variant = None,
    workers: Threads = None,
    style: Style = Format.TABLE,
) -> None:
    """Count the reachable positions and the possible games exactly. Needs no tables."""
    from time import perf_counter

    from tablebase.api.games import count_row
    from tablebase.cli.output import write_rows
    from tablebase.compute import threads
    from tablebase.compute.progress import progress

    rules = chosen_game(game, size, variant)
    text = chosen_start(rules, position, start)
    begin = perf_counter()
    with progress(f"count {rules.name}", "steps", compiles=True) as shown, threads.use(usable_workers(workers)):
        row = count_row(rules.name, text, shown.reach)
    write_rows([{**row, "seconds": round(perf_counter() - begin, 2)}], style)
