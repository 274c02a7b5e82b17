"""Reachable positions and possible games, counted exactly from a position or after each of its moves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from tablebase.commands import lib
from tablebase.commands.arguments import as_folder, checked, rules_for
from tablebase.commands.calls import Call
from tablebase.commands.parameters import Data, GameName, PositionText, Size, Threads, Tick, Variant
from tablebase.errors import ArgumentError, CapacityError, MissingTableError
from tablebase.game.capabilities import part
from tablebase.game.plain_arguments import usable_workers
from tablebase.game.rules import Rules, legal

if TYPE_CHECKING:
    from tablebase.commands.row_types import CountRow, DividedRow


@checked
def count(
    game: GameName,
    position: PositionText = None,
    *,
    divide: bool = False,
    size: Size = None,
    variant: Variant = None,
    workers: Threads = None,
    data: Data = None,
    tick: Tick = None,
) -> CountRow | list[DividedRow]:
    """Count all reachable positions and all possible games. This command does not need tables.

    Parameters
    ----------
    position : str, optional
        Position to count from; by default, the initial position.
    divide : bool
        Show one row for each legal move, with the number of possible games after the move and the move's result under best play.
    game, size, variant, workers : see `tablebase.build`; workers are threads, not processes
    data : str or Path, optional
        Folder of tables in which to look up the results of moves, for games with too many positions to solve directly.
    tick : callable, optional
        Progress callback, called with the number of finished steps and the total number of steps (None if unknown).
    """
    rules = rules_for("count", game, size, variant)
    with lib.threads.use(usable_workers(workers)):
        start = rules.initial if position is None else rules.parse(position)
        if divide:
            return _divided(rules, start, as_folder(data), tick)
        counts = _counts(rules, start, tick)
    totals = {"reachable": counts.reachable, "final": counts.final, "games": counts.games}
    drawn = {"drawn": counts.games - sum(counts.won)} if "game graphs" not in rules.can else {}
    return cast("CountRow", {"game": rules.name, **totals, **_won(rules, counts.won), **drawn})


def show_count(call: Call) -> None:
    """Without options, this command prints one row with the numbers of reachable positions, possible games, and possible games
    won by each side.
    """
    begin = perf_counter()
    with lib.progress.progress(f"count {call.rules.name}", "steps", compiles=True) as shown:
        found = call(tick=shown.reach)
    call.write(found if call.given.get("divide") else [{**found, "seconds": round(perf_counter() - begin, 2)}])


def _divided(rules: Rules[Any], start: Any, folder: Path, tick: Tick) -> list[DividedRow]:
    """List moves in the order of the player ``ranking``; results come from all positions, or from tables if these are too many."""
    if rules.result(start) is not None:
        raise ArgumentError(f"the game is over in {rules.format(start)}: choose an earlier position")
    ranked = None
    if "game graphs" in rules.can:
        with suppress(CapacityError):
            ranked = lib.ranking.ranking(lib.graph_player.graph_of(lib.player.Seat(rules, start))).moves(start)
    after, rows = legal(rules, start), []
    for one in ranked or _one_by_one(rules, start, folder, tick):
        row = {"move": one.move, "outcome": one.outcome, "distance": one.distance, "games": one.games}
        position = rules.format(after[one.move])
        rows.append({**row, **_won(rules, one.won), "share": float(one.share), "position": position})
    return cast("list[DividedRow]", rows)


def _one_by_one(rules: Rules[Any], start: Any, folder: Path, tick: Tick) -> list[Any]:
    """The moves as `by_rank` orders them, with the games after each counted by itself, and what the tables know of it."""
    after, known = legal(rules, start), {}
    if folder.exists():
        with closing(lib.prober.Prober(folder)) as prober, suppress(MissingTableError):
            known = {one.move: one.value for one in prober.of(rules).probe(start).moves}
    ranked = []
    for done, (move, child) in enumerate(after.items(), start=1):
        value, counts = known.get(move), _counts(rules, child)
        known_value = (value.outcome and value.outcome.value, value.distance) if value else (None, None)
        ranked.append(lib.ranking.RankedMove(move, *known_value, counts.games, counts.won, rules.to_move(start)))
        if tick is not None:
            tick(done, len(after))
    return lib.ranking.by_rank(ranked)


def _counts(rules: Any, start: Any, tick: Tick = None) -> Any:
    ending = rules.result(start)
    if ending is not None:
        return lib.paths.GameCounts(1, 1, 1, (int(ending.winner == 0), int(ending.winner == 1)))
    return part(rules, "counts")(rules, start, tick)


def _won(rules: Rules[Any], won: Sequence[int]) -> dict[str, int]:
    return {f"won_{side.letter}": games for side, games in zip(rules.sides, won, strict=True)}
