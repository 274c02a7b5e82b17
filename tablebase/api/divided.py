"""The possible games after each move, beside what the move forces: ``count --divide``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from tablebase.api.row_types import DividedRow
from tablebase.errors import CapacityError, MissingTableError, TablebaseError
from tablebase.game.rules import Rules, legal
from tablebase.play.ranked_moves import RankedMove, by_rank, ranked_move

Tick = Callable[[int, int | None], None]


def divided_rows(rules: Rules[Any], position: str | None, folder: Path, tick: Tick | None = None) -> list[DividedRow]:
    """A row for each move, in the order of the player ``ranking``.

    What a move forces is known from all positions that can be reached, if there are few enough, else from the tables in a folder.

    Raises
    ------
    TablebaseError
        If the game is over, or may never end.
    """
    start = rules.initial if position is None else rules.parse(position)
    if rules.result(start) is not None:
        raise TablebaseError(f"the game is over in {rules.format(start)}: name a position from which it goes on")
    ranked = None if rules.board is None else _from_graph(rules, start)
    return [_row(rules, start, one) for one in ranked or _one_by_one(rules, start, folder, tick)]


def _row(rules: Rules[Any], start: Any, one: RankedMove) -> DividedRow:
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, one.won, strict=True)}
    row = {
        "move": one.move,
        "outcome": one.outcome,
        "distance": one.distance,
        "games": one.games,
        **won,
        "share": float(one.share),
        "position": rules.format(legal(rules, start)[one.move]),
    }
    return cast(DividedRow, row)


def _from_graph(rules: Any, start: Any) -> list[RankedMove] | None:
    """The moves of a game of pieces; None if too many positions can be reached."""
    from tablebase.graph.reachable import reachable
    from tablebase.play.graph_player import LIMIT
    from tablebase.play.ranking import ranking

    try:
        return ranking(reachable(rules, start, LIMIT)).moves(start)
    except CapacityError:
        return None


def _one_by_one(rules: Any, start: Any, folder: Path, tick: Tick | None) -> list[RankedMove]:
    """The moves, with the games after each counted by itself, and what the tables know of it."""
    from tablebase.probe.prober import Prober

    mover, known = rules.to_move(start), {}
    if folder.exists():
        with closing(Prober(folder)) as prober:
            try:
                known = {move.move: move.value for move in prober.of(rules).probe(start).moves}
            except MissingTableError:
                known = {}
    after, rows = legal(rules, start), []
    for done, (move, child) in enumerate(after.items(), start=1):
        games, won = _games(rules, child)
        value = known.get(move)
        outcome = None if value is None or value.outcome is None else value.outcome.value
        rows.append(ranked_move(move, outcome, None if value is None else value.distance, games, won, mover))
        if tick is not None:
            tick(done, len(after))
    return by_rank(rows)


def _games(rules: Any, start: Any) -> tuple[int, tuple[int, int]]:
    """The number of games from a position on, and of those that each side wins."""
    ending = rules.result(start)
    if ending is not None:
        return 1, (int(ending.winner == 0), int(ending.winner == 1))
    if rules.board is None:
        from tablebase.states.paths import count_games

        found = count_games(rules, start)
        return found.games, (found.won[0], found.won[1])
    from tablebase.graph.counting import count

    counts = count(rules, start)
    return counts.games, counts.won
