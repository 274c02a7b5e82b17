"""The command that counts positions and games from a start: count."""

from __future__ import annotations

from tablebase.cli.options import Format, GameName, PositionText, Size, Start, Style, Threads, Variant, chosen_game, chosen_start


def count(
    game: GameName,
    position: PositionText = None,
    start: Start = None,
    size: Size = None,
    variant: Variant = None,
    workers: Threads = 1,
    style: Style = Format.TABLE,
) -> None:
    """Count the reachable positions and the possible games exactly. Needs no tables."""
    from time import perf_counter

    from tablebase.cli.output import write_rows
    from tablebase.cli.progress import progress
    from tablebase.compute import threads
    from tablebase.game.notation import parse
    from tablebase.graph.counting import count as count_games
    from tablebase.graph.reachable import check_finite

    rules = chosen_game(game, size, variant)
    check_finite(rules)
    begin_at = parse(rules, chosen_start(rules, position, start))
    begin = perf_counter()
    with progress(f"count {rules.name}", "steps", compiles=True) as shown, threads.use(workers):
        counts = count_games(rules, begin_at, shown.reach)
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, counts.won, strict=True)}
    row = {"game": rules.name, "reachable": counts.reachable, "final": counts.final, "games": counts.games, **won}
    write_rows([{**row, "seconds": round(perf_counter() - begin, 2)}], style)


COMMANDS = (count,)
