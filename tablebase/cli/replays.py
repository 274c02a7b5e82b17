"""Replays of recorded games, move by move, for `line --replay`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any

from tablebase.cli.options import Format
from tablebase.errors import MissingTableError, TablebaseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tablebase.game import Game
    from tablebase.game.rules import Rules
    from tablebase.game.stochastic import StochasticGame
    from tablebase.play.records import Moment, Record

Known = Callable[[Any], dict[str, Any]]
"""Looks a position up in the tables; returns the columns of its value and the best move."""


def replay(
    rules: Game | StochasticGame, path: Path, number: int, folder: Path, plies: int | None, *, boards: bool, style: Format
) -> None:
    """Show the positions and moves of a recorded game, with the values of positions that tables have."""
    from tablebase.cli.output import say, write_rows
    from tablebase.game import Game
    from tablebase.play.records import replayed

    if boards and not isinstance(rules, Game):
        raise TablebaseError(f"{rules.name} has no board of squares: leave out --boards")
    record = _read(path, number)
    contract: Rules[Any] = rules
    moments = list(replayed(contract, record))
    shown = moments if plies is None else moments[: plies + 1]
    with ExitStack() as stack:
        if isinstance(rules, Game):
            known = _of_pieces(rules, folder, stack)
            rows = [_row(rules, ply, moment, known) for ply, moment in enumerate(shown)]
        else:
            known = _of_states(rules, folder, stack, style)
            rows = [_row(rules, ply, moment, known, _meaning(rules, moment)) for ply, moment in enumerate(shown)]
    if boards and isinstance(rules, Game) and style is Format.TABLE:
        _write_boards(rules, record, shown)
    else:
        write_rows(rows, style)
    say(f"game {record.number}, {' against '.join(record.players)}: {record.why}")


def _read(path: Path, number: int) -> Record:
    """Read the game with this number from a file."""
    from tablebase.play.records import records_in

    count = 0
    for record in records_in(path):
        if record.number == number:
            return record
        count += 1
    raise TablebaseError(f"{path} has no game {number}: it has {count} games")


def _row(
    rules: Game | StochasticGame, ply: int, moment: Moment[Any], known: Known, more: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the row of a position, with the move or the label of the outcome of chance that follows."""
    from tablebase.play.records import label_of

    event = moment.event
    return {
        "ply": ply,
        "side": rules.side(moment.position),
        "move": None if event is None else label_of(event) or event,
        **(more or {}),
        # The last position may be none of a table, with a piece on a goal or without pieces of a side.
        **known(moment.position if event is not None else None),
        "position": rules.format(moment.position),
    }


def _meaning(rules: StochasticGame, moment: Moment[Any]) -> dict[str, Any]:
    """Return the column with the move or the outcome of chance in words."""
    from tablebase.play.records import label_of

    if moment.event is None:
        return {"meaning": None}
    label = label_of(moment.event)
    return {"meaning": rules.move_text(moment.position, moment.event) if label is None else rules.draw_text(label)}


def _of_pieces(game: Game, folder: Path, stack: ExitStack) -> Known:
    """Look positions of pieces on squares up, if there is a folder of tables."""
    from tablebase.probe.answers import value_fields
    from tablebase.probe.prober import Prober

    prober = stack.enter_context(closing(Prober(folder))) if folder.exists() else None

    def known(position: Any) -> dict[str, Any]:
        answer = None
        if prober is not None and position is not None:
            with suppress(MissingTableError):
                answer = prober.probe(game, position)
        return {**value_fields(None if answer is None else answer.value), "best": None if answer is None else answer.best}

    return known


def _of_states(game: StochasticGame, folder: Path, stack: ExitStack, style: Format) -> Known:
    """Look states up, if there are tables of the game; games of more than two players have none, and no columns in a table."""
    from tablebase.api.chances import interval
    from tablebase.stochastic.state_prober import StateProber

    prober = None
    if game.players == 2 and game.kernels() is not None and folder.exists():
        with suppress(MissingTableError):
            prober = stack.enter_context(StateProber(folder, game))

    def known(position: Any) -> dict[str, Any]:
        if game.players > 2 and style is Format.TABLE:
            return {}
        answer = prober.probe(position) if prober is not None and position is not None else None
        best = None if answer is None else answer.best
        if style is Format.TABLE:
            return {**({"lower": None, "upper": None} if answer is None else interval(answer.bounds)), "best": best}
        unknown = dict.fromkeys(("outcome", "distance", "lower", "upper"))
        return {**(unknown if answer is None else answer.bounds.to_dict()), "best": best}

    return known


def _write_boards(game: Game, record: Record, moments: Sequence[Moment[Any]]) -> None:
    """Draw the board after every move."""
    from tablebase.cli.output import write_board
    from tablebase.game.moves import legal_moves
    from tablebase.game.notation import render_move

    for ply, moment in enumerate(moments):
        if ply == 0:
            sys.stdout.write(f"{record.start}\n\n")
            write_board(game, moment.position)
            continue
        made = record.events[ply - 1]
        move = next(one for one in legal_moves(game, moments[ply - 1].position) if render_move(game, one) == made)
        sys.stdout.write(f"\n{ply}. {made}\n\n")
        write_board(game, moment.position, move)
