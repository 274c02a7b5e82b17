"""The command that counts what a start leads to: count."""

from __future__ import annotations

from typing import Annotated

import typer

from tablebase.cli.options import Format, GameName, Size, Style, Variant, Workers, chosen_game


def count(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    position: Annotated[str | None, typer.Option("--from", metavar="POSITION", help="Start here, not at the beginning.")] = None,
    workers: Workers = 1,
    style: Style = Format.TABLE,
) -> None:
    """Count the positions that can be reached and the games that are possible, exactly; needs no tables."""
    from time import perf_counter

    from tqdm import tqdm

    from tablebase.cli.output import write_rows
    from tablebase.compute import threads
    from tablebase.game.notation import parse
    from tablebase.graph.counting import count as counted
    from tablebase.graph.reachable import check_finite

    rules = chosen_game(game, size, variant)
    check_finite(rules)
    start = parse(rules, rules.start if position is None else position)
    begin = perf_counter()
    with tqdm(desc=f"count {rules.name}", unit="step", leave=False) as bar, threads.use(workers):

        def tick(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = counted(rules, start, tick)
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, found.won, strict=True)}
    row = {"game": rules.name, "reachable": found.reachable, "final": found.final, "games": found.games, **won}
    write_rows([{**row, "seconds": round(perf_counter() - begin, 2)}], style)


COMMANDS = (count,)
