"""The command that counts positions and games from a start: count."""

from __future__ import annotations

from typing import Annotated

import typer

from tablebase.cli.options import Format, GameName, Size, Style, Threads, Variant, chosen_game


def count(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    position: Annotated[
        str | None, typer.Option("--from", metavar="POSITION", help="Starting position; by default the start of the game.")
    ] = None,
    workers: Threads = 1,
    style: Style = Format.TABLE,
) -> None:
    """Count the reachable positions and the possible games exactly. Needs no tables."""
    from time import perf_counter

    from tqdm import tqdm

    from tablebase.cli.output import write_rows
    from tablebase.compute import threads
    from tablebase.game.notation import parse
    from tablebase.graph.counting import count as count_games
    from tablebase.graph.reachable import check_finite

    rules = chosen_game(game, size, variant)
    check_finite(rules)
    start = parse(rules, rules.start if position is None else position)
    begin = perf_counter()
    with tqdm(desc=f"count {rules.name}", unit="step", leave=False) as bar, threads.use(workers):

        def tick(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        counts = count_games(rules, start, tick)
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, counts.won, strict=True)}
    row = {"game": rules.name, "reachable": counts.reachable, "final": counts.final, "games": counts.games, **won}
    write_rows([{**row, "seconds": round(perf_counter() - begin, 2)}], style)


COMMANDS = (count,)
