"""Replays of recorded games, move by move, for `line --replay`."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any

from tablebase.cli.options import Format
from tablebase.errors import MissingTableError, TablebaseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tablebase.game.rules import Rules
    from tablebase.play.records import Moment, Record
    from tablebase.probe.source import Source


def replay(rules: Rules[Any], path: Path, number: int, folder: Path, plies: int | None, *, boards: bool, style: Format) -> None:
    """Show the positions and moves of a recorded game, with the values of positions that tables have."""
    from tablebase.cli.output import in_digits, say, write_rows
    from tablebase.play.records import replayed

    if boards and rules.board is None:
        raise TablebaseError(f"{rules.name} has no board of squares: leave out --boards")
    record = _read(path, number)
    moments = list(replayed(rules, record))
    shown = moments if plies is None else moments[: plies + 1]
    with ExitStack() as stack:
        source = _source(rules, folder, stack)
        rows = [_row(rules, ply, moment, source) for ply, moment in enumerate(shown)]
    if style is not Format.TABLE:
        write_rows(rows, style)
    elif boards:
        _write_boards(rules, record, shown)
    else:
        write_rows(map(in_digits, rows), style, _columns(rules))
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


def _source(rules: Rules[Any], folder: Path, stack: ExitStack) -> Source[Any] | None:
    """The tables of the game; None where there are none."""
    from tablebase.probe.prober import Prober

    # Games without kernels are listed before their tables are looked for, which takes a while.
    if not (folder / rules.name).is_dir():
        return None
    source = stack.enter_context(closing(Prober(folder))).of(rules)
    with suppress(MissingTableError):
        source.require()
        return source
    return None


def _row(rules: Rules[Any], ply: int, moment: Moment[Any], source: Source[Any] | None) -> dict[str, Any]:
    """Return the row of a position, with the move or the label of the outcome of chance that follows."""
    from tablebase.play.records import label_of

    event, answer = moment.event, None
    # The last position may be none of a table, with a piece on a goal or without pieces of a side.
    if source is not None and event is not None:
        with suppress(MissingTableError):
            answer = source.probe(moment.position)
    label = None if event is None else label_of(event)
    said = rules.draw_text(label) if label else rules.move_text(moment.position, event) if event else None
    return {
        "ply": ply,
        "side": rules.side(moment.position),
        "move": label or event,
        **({"meaning": said} if rules.board is None else {}),
        **(dict.fromkeys(rules.value_fields) if answer is None else answer.value.fields),
        "best": None if answer is None else answer.best,
        "position": rules.format(moment.position),
    }


def _columns(rules: Rules[Any]) -> list[str]:
    """The columns for people; games of more than two players have no tables."""
    from tablebase.cli.output import value_columns

    known = [*value_columns(rules), "best"] if rules.players == 2 else []
    return ["ply", "side", "move", *(["meaning"] if rules.board is None else []), *known, "position"]


def _write_boards(rules: Rules[Any], record: Record, moments: Sequence[Moment[Any]]) -> None:
    """Draw the board after every move."""
    from tablebase.cli.output import write_board
    from tablebase.probe.answers import drawable

    for ply, moment in enumerate(moments):
        made = record.events[ply - 1] if ply else None
        sys.stdout.write(f"\n{ply}. {made}\n\n" if ply else f"{record.start}\n\n")
        write_board(drawable(rules), moment.position, made)
