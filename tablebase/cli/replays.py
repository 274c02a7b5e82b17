"""Replays of recorded games, move by move, for `line --replay`."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any

from tablebase.commands.parameters import Format
from tablebase.errors import MissingTableError, RulesError, TablebaseError
from tablebase.game.values import Bounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tablebase.game.rules import Rules
    from tablebase.play.player import Player
    from tablebase.play.records import Moment, Record
    from tablebase.probe.source import Source


def replay(
    rules: Rules[Any],
    path: Path,
    number: int,
    folder: Path,
    plies: int | None,
    *,
    player: str | None,
    boards: bool,
    style: Format,
) -> None:
    """Show the positions and moves of a recorded game, with the values that tables have, or what a player says who looks ahead."""
    from tablebase.commands.output import in_digits, say, write_rows
    from tablebase.play.records import replayed

    if boards:
        check_drawn(rules)
    record = _read(path, number)
    moments = list(replayed(rules, record))
    shown = moments if plies is None else moments[: plies + 1]
    with ExitStack() as stack:
        source = _source(rules, folder, stack)
        adviser = None if player is None else _adviser(rules, moments[0].position, player, folder, stack)
        rows = [_row(rules, ply, moment, source, adviser) for ply, moment in enumerate(shown)]
    if style is not Format.TABLE:
        write_rows(rows, style)
    elif boards:
        _write_boards(rules, record, shown, rows)
    else:
        write_rows(map(in_digits, rows), style, [*_columns(rules), *(["remark"] if adviser else [])])
    say(f"game {record.number}, {' against '.join(record.players)}: {record.why}")


def check_drawn(rules: Rules[Any]) -> None:
    """Raise `RulesError` unless there is more to see than the text of a position."""
    from tablebase.commands.drawings import is_drawn

    if not is_drawn(rules):
        raise RulesError(f"{rules.name} draws no boards of its positions: leave out --boards")


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


def _adviser(rules: Rules[Any], start: Any, name: str, folder: Path, stack: ExitStack) -> Player:
    """The player that says what it expects."""
    from tablebase.play.player import Seat
    from tablebase.play.players import open_player

    return stack.enter_context(open_player(name, Seat(rules, start, None, folder)))


def _row(rules: Rules[Any], ply: int, moment: Moment[Any], source: Source[Any] | None, adviser: Player | None) -> dict[str, Any]:
    """Return the row of a position, with the move or the label of the outcome of chance that follows."""
    from tablebase.play.advisers import advice
    from tablebase.play.match import Match
    from tablebase.play.records import label_of

    event, answer, remark = moment.event, None, None
    # The last position may be none of a table, with a piece on a goal or without pieces of a side.
    if source is not None and event is not None:
        with suppress(MissingTableError):
            answer = source.probe(moment.position)
    label = None if event is None else label_of(event)
    said = rules.draw_text(label) if label else rules.move_text(moment.position, event) if event else None
    if adviser is not None and event is not None and label is None and (answer is None or not answer.value.is_known):
        remark = advice(adviser, Match(rules, moment.position)).remark or None
    return {
        "ply": ply,
        "side": rules.side(moment.position),
        "move": label or event,
        **({"meaning": said} if rules.board is None else {}),
        **(dict.fromkeys(rules.value_fields) if answer is None else answer.value.fields),
        "best": None if answer is None else answer.best,
        "position": rules.format(moment.position),
        **({} if adviser is None else {"remark": remark}),
    }


def _columns(rules: Rules[Any]) -> list[str]:
    """The columns for people; games of more than two players have no tables."""
    from tablebase.commands.output import value_columns

    known = [*value_columns(rules), "best"] if rules.players == 2 else []
    return ["ply", "side", "move", *(["meaning"] if rules.board is None else []), *known, "position"]


def _write_boards(rules: Rules[Any], record: Record, moments: Sequence[Moment[Any]], rows: Sequence[dict[str, Any]]) -> None:
    """Draw the board after every move, with what is known of the position."""
    from tablebase.commands.drawings import write_drawing

    for ply, (moment, row) in enumerate(zip(moments, rows, strict=True)):
        made = record.events[ply - 1] if ply else None
        words = rows[ply - 1].get("meaning") if ply else None
        sys.stdout.write(f"\n{ply}. {made}{f' ({words})' if words else ''}\n\n" if ply else f"{record.start}\n\n")
        write_drawing(rules, moment.position, made)
        known = said_of(row) if row["outcome"] or row.get("lower") is not None else None
        if said := "; ".join(filter(None, [known, row.get("remark")])):
            sys.stdout.write(f"   {said}\n")


def said_of(row: Mapping[str, Any]) -> str:
    """The value of a row in a few words."""
    if row["outcome"] is None:
        return Bounds(row["lower"], row["upper"]).said
    return f"{row['outcome']}{'' if row['distance'] is None else ' in ' + str(row['distance'])}"
