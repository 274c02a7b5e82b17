"""The command `line`: the optimal line from a position, or a recorded game, move by move."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tablebase.commands import lib
from tablebase.commands.calls import Call
from tablebase.commands.drawings import check_sheet, is_drawn, write_drawing, write_sheet
from tablebase.commands.parameters import PLAYERS, Format, Output, Page, Shell
from tablebase.commands.tablebase import Tablebase as Tablebase
from tablebase.errors import MissingTableError, RulesError, TablebaseError, check_extra
from tablebase.game.plain_arguments import parse_width
from tablebase.game.values import Bounds, chance_text
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    from tablebase.game.rules import Rules
    from tablebase.play.player import Player
    from tablebase.play.records import Moment
    from tablebase.probe.source import Source

FOLDER_HINT = "choose a new folder for --to"


def show_line(
    call: Call,
    *,
    boards: bool = False,
    svg: Annotated[Path | None, Shell(metavar="DIR", option="--to", output=Output.NEW_FOLDER)] = None,
    picture: Literal["svg", "png", "pdf"] = "svg",
    width: Annotated[float | None, Shell(metavar="88mm", parse=parse_width)] = None,
    sheet: Annotated[Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    every: bool = False,
    page: Page = "a4",
    explain: bool = False,
    replay: Annotated[Path | None, Shell(metavar="FILE")] = None,
    number: Annotated[int, Shell(metavar="N", least=1)] = 1,
    player: Annotated[str | None, Shell(metavar="NAME", complete=PLAYERS)] = None,
) -> None:
    """Without options, this command reads the tables in the folder 'data' and prints one row for each position in the line of
    best play. If the position is a draw, play is shown until a position repeats.

    Parameters
    ----------
    boards : bool
        Draw the board of every position.
    svg : Path, optional
        Also write a picture of every position to this new folder.
    picture : str
        File format of the pictures written with --to.
    width : float, optional
        Width of the pictures written with --to, such as 88mm, 3.5in, 'column' (88 mm) or 'page' (180 mm).
    sheet : Path, optional
        Also draw the key positions (for example, after captures) on printable pages, as a PDF, SVG or PNG file.
    every : bool
        With --sheet, draw every position instead of only the key positions.
    explain : bool
        For each position, show how many moves keep the result, and the values of the moves not played; '!' marks a move if all
        other moves worsen the result.
    replay : Path, optional
        Instead of best play, show a recorded game from a file written by 'match --output'.
    number : int
        Number of the game in the --replay file.
    player : str, optional
        For a replayed game, the player (such as 'engine' or 'computer') that evaluates positions without a table; by default,
        these positions are not evaluated.
    """
    rules = call.rules
    if boards and (replay is not None or call.style is Format.TABLE) and not is_drawn(rules):
        raise RulesError(f"{rules.name} does not have a board to draw: leave out --boards")
    if replay is not None:
        if call.has_start or svg is not None or sheet is not None:
            raise TablebaseError("cannot use POSITION, --to or --sheet with --replay: leave out POSITION, --to and --sheet")
        if explain:
            raise TablebaseError("cannot use --explain with --replay: leave out --explain or --replay")
        _replay(call, replay, number, player=player, boards=boards)
        return
    if player is not None:
        raise TablebaseError("cannot use --player without --replay: add --replay FILE, or leave out --player")
    if svg is not None:
        lib.pictures.check_pictures(rules, "leave out --to")
        lib.outputs.check_output_folder(svg, FOLDER_HINT, new=True)
        if picture != "svg":
            check_extra("pictures as PDF or PNG", "print")
    elif picture != "svg" or width is not None:
        raise TablebaseError("cannot use --picture or --width without --to: add --to DIR")
    if sheet is not None:
        check_sheet(rules, sheet)
    found = call()
    rows = found.to_dict()
    if svg is not None:
        digits = max(3, len(str(len(rows) - 1)))
        with lib.outputs.written_folder(svg, FOLDER_HINT) as draft:
            for place, drawn in enumerate(found.pictures()):
                lib.printing.write(drawn, draft / f"{place:0{digits}}.{picture}", width)
        say(f"wrote {len(rows)} pictures to {svg}")
    if sheet is not None:
        write_sheet(found.sheet(every=every, page=page), sheet)
    explained = found.explained if explain else None
    if call.style is not Format.TABLE:
        call.write(rows if explained is None else explained.flat if call.style is Format.CSV else explained)
    elif boards:
        last = None
        for number, row in enumerate(rows):
            write_drawing(rules, rules.parse(row["position"]), last)
            said = f"{_said_of(row)}{', ' + str(_in_digits(row)['best']) if row['best'] else ''}"
            sys.stdout.write(f"   {explained.sentences[number] if explained else said}\n\n")
            last = row["best"]
    elif explained:
        sys.stdout.write(f"{explained}\n")
    else:
        call.write(map(_in_digits, rows), ["ply", "side", *_value_columns(rules), "best", "position"])


def _value_columns(rules: Rules[Any]) -> tuple[str, ...]:
    """The columns of values in a table: in games with chance only the bounds."""
    return rules.value_fields[2:] or rules.value_fields[:2]


def _in_digits(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose chances are text: 0 and 1 only where they are exact; a move that may not be best is marked."""
    if row.get("best_is_certain") is False:
        row = {**row, "best": f"{row['best']} (perhaps)"}
    return {name: chance_text(value) if name in ("lower", "upper") and value is not None else value for name, value in row.items()}


def _replay(call: Call, path: Path, number: int, *, player: str | None, boards: bool) -> None:
    count = 0
    for count, record in enumerate(lib.records.records_in(path), start=1):  # noqa: B007 (the count of all if none is found)
        if record.number == number:
            break
    else:
        raise TablebaseError(f"game {number} not found in {path}, which has {count} in total: choose another --number")
    rules, plies = call.rules, call.given.get("plies")
    moments = list(lib.records.replayed(rules, record))
    shown = moments if plies is None else moments[: plies + 1]
    with ExitStack() as stack:
        source: Source[Any] | None = None
        # Games without kernels are listed before their tables are looked for, which takes a while.
        if (call.folder / rules.name).is_dir():
            found = stack.enter_context(closing(lib.prober.Prober(call.folder))).of(rules)
            with suppress(MissingTableError):
                found.require()
                source = found
        seat = lib.player.Seat(rules, moments[0].position, None, call.folder)
        adviser = None if player is None else stack.enter_context(lib.players.open_player(player, seat))
        rows = [_row(rules, ply, moment, source, adviser) for ply, moment in enumerate(shown)]
    if call.style is not Format.TABLE:
        call.write(rows)
    elif boards:
        for ply, (moment, row) in enumerate(zip(shown, rows, strict=True)):
            made = record.events[ply - 1] if ply else None
            words = rows[ply - 1].get("meaning") if ply else None
            sys.stdout.write(f"\n{ply}. {made}{f' ({words})' if words else ''}\n\n" if ply else f"{record.start}\n\n")
            write_drawing(rules, moment.position, made)
            value = _said_of(row) if row["outcome"] or row.get("lower") is not None else None
            if said := "; ".join(filter(None, [value, row.get("remark")])):
                sys.stdout.write(f"   {said}\n")
    else:
        # Games of more than two players have no tables.
        known = [*_value_columns(rules), "best"] if rules.players == 2 else []
        columns = ("ply", "side", "move", "meaning", *known, "position", "remark")
        call.write(map(_in_digits, rows), [name for name in columns if name in rows[0]])
    say(f"game {record.number}, {' against '.join(record.players)}: {record.why}")


def _row(rules: Rules[Any], ply: int, moment: Moment[Any], source: Source[Any] | None, adviser: Player | None) -> dict[str, Any]:
    event, answer, remark = moment.event, None, None
    # The last position may be none of a table, with a piece on a goal or without pieces of a side.
    if source is not None and event is not None:
        with suppress(MissingTableError):
            answer = source.probe(moment.position)
    label = None if event is None else lib.records.label_of(event)
    said = rules.draw_text(label) if label else rules.move_text(moment.position, event) if event else None
    if adviser is not None and event is not None and label is None and (answer is None or not answer.value.is_known):
        adviser.choose(lib.match.Match(rules, moment.position), Random(0))
        remark = adviser.remark or None
    row = {"ply": ply, "side": rules.side(moment.position), "move": label or event}
    row |= {} if "squares" in rules.can else {"meaning": said}
    unknown = dict.fromkeys((*rules.value_fields, *rules.best_fields))
    row |= unknown if answer is None else answer.value.fields | answer.best_fields
    row["position"] = rules.format(moment.position)
    return row if adviser is None else {**row, "remark": remark}


def _said_of(row: Mapping[str, Any]) -> str:
    if row["outcome"] is None:
        return Bounds(row["lower"], row["upper"]).said
    return f"{row['outcome']}{'' if row['distance'] is None else ' in ' + str(row['distance'])}"
