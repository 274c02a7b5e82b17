"""The command `line`: the optimal line from a position, or a recorded game, move by move."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands.calls import Call
from tablebase.commands.drawings import check_pictures, check_sheet, is_drawn, write_drawing, write_sheet
from tablebase.commands.parameters import PLAYERS, Format, Output, Page, Shell
from tablebase.commands.tablebase import Tablebase as Tablebase
from tablebase.errors import MissingTableError, RulesError, TablebaseError
from tablebase.game.values import Bounds, chance_text
from tablebase.system.compute.messages import say
from tablebase.system.files.outputs import check_output_folder, written_folder

if TYPE_CHECKING:
    from tablebase.game.rules import Rules
    from tablebase.play.player import Player
    from tablebase.play.records import Moment
    from tablebase.probe.source import Source

SUFFIX = ".svg"
DIGITS = 3
"""At least, in the names of pictures of a line."""
FOLDER_CURE = "name a new folder with --to"


def show_line(
    call: Call,
    *,
    boards: bool = False,
    svg: Annotated[Path | None, Shell(metavar="DIR", option="--to", output=Output.NEW_FOLDER)] = None,
    sheet: Annotated[Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    every: bool = False,
    page: Page = "a4",
    explain: bool = False,
    replay: Annotated[Path | None, Shell(metavar="FILE")] = None,
    number: Annotated[int, Shell(metavar="N", least=1)] = 1,
    player: Annotated[str | None, Shell(metavar="NAME", complete=PLAYERS)] = None,
) -> None:
    """Write a row or draw a board for each position, and draw pictures.

    Without options, this command reads the tables in the folder 'data' and prints one row for each position of the line. If the
    position is drawn, the line ends when a position repeats.

    Parameters
    ----------
    boards : bool
        Draw the board of every position.
    svg : Path, optional
        Also draw every position as an SVG file, in a new folder.
    sheet : Path, optional
        Also draw the key positions (for example, after captures) on printable pages, as a PDF, SVG or PNG file.
    every : bool
        With --sheet, draw every position instead of only the key positions.
    explain : bool
        For each position, show how many moves keep the value, and the value of every other move; '!' marks only moves.
    replay : Path, optional
        Instead of best play, show a recorded game from a file that 'match --output' has written.
    number : int
        With --replay, number of the game in the file.
    player : str, optional
        With --replay, player that evaluates positions without tables: engine or computer (both search ahead), or another player
        that 'tablebase play --help' lists. By default, these positions have no value.
    """
    rules = call.rules
    if replay is not None and (call.has_start or svg is not None or sheet is not None):
        raise TablebaseError("a game that is replayed has its own start, and no pictures: leave out the position, --to and --sheet")
    if replay is not None and explain:
        raise TablebaseError("--explain is about best play, not about a game that is replayed: leave it out")
    if replay is None and player is not None:
        raise TablebaseError("--player speaks of the positions of a game: name its file with --replay, or leave out --player")
    if boards and (replay is not None or call.style is Format.TABLE) and not is_drawn(rules):
        raise RulesError(f"{rules.name} draws no boards of its positions: leave out --boards")
    if replay is not None:
        _replay(call, replay, number, player=player, boards=boards)
        return
    if svg is not None:
        check_pictures(rules, "--to")
        check_output_folder(svg, FOLDER_CURE, new=True)
    if sheet is not None:
        check_sheet(rules, sheet)
    found = call()
    rows = found.to_dict()
    if svg is not None:
        digits = max(DIGITS, len(str(len(rows) - 1)))
        with written_folder(svg, FOLDER_CURE) as draft:
            for place, picture in enumerate(found.pictures()):
                (draft / f"{place:0{digits}}{SUFFIX}").write_text(picture, encoding="utf-8")
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
    """The columns of values for people: of games with chance the bounds alone."""
    outcome, distance, *bounds = rules.value_fields
    return (*bounds,) or (outcome, distance)


def _in_digits(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose chances are text: 0 and 1 only where they are exact; a move that may not be best is marked."""
    if row.get("best_is_certain") is False:
        row = {**row, "best": f"{row['best']} (perhaps)"}
    return {name: chance_text(value) if name in ("lower", "upper") and value is not None else value for name, value in row.items()}


# Recorded games


def _replay(call: Call, path: Path, number: int, *, player: str | None, boards: bool) -> None:
    """Show the positions and moves of a recorded game, with the values that tables have, or what a player says who looks ahead."""
    from tablebase.play.player import Seat
    from tablebase.play.players import open_player
    from tablebase.play.records import records_in, replayed
    from tablebase.probe.prober import Prober

    count = 0
    for count, record in enumerate(records_in(path), start=1):  # noqa: B007 (the count of all if none is found)
        if record.number == number:
            break
    else:
        raise TablebaseError(f"{path} has no game {number}: it has {count} games")
    rules, plies = call.rules, call.given.get("plies")
    moments = list(replayed(rules, record))
    shown = moments if plies is None else moments[: plies + 1]
    with ExitStack() as stack:
        source: Source[Any] | None = None
        # Games without kernels are listed before their tables are looked for, which takes a while.
        if (call.folder / rules.name).is_dir():
            found = stack.enter_context(closing(Prober(call.folder))).of(rules)
            with suppress(MissingTableError):
                found.require()
                source = found
        seat = Seat(rules, moments[0].position, None, call.folder)
        adviser = None if player is None else stack.enter_context(open_player(player, seat))
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
    """Return the row of a position, with the move or the label of the outcome of chance that follows."""
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
        adviser.choose(Match(rules, moment.position), Random(0))
        remark = adviser.remark or None
    return {
        "ply": ply,
        "side": rules.side(moment.position),
        "move": label or event,
        **({} if "squares" in rules.can else {"meaning": said}),
        **(
            dict.fromkeys((*rules.value_fields, *rules.best_fields)) if answer is None else answer.value.fields | answer.best_fields
        ),
        "position": rules.format(moment.position),
        **({} if adviser is None else {"remark": remark}),
    }


def _said_of(row: Mapping[str, Any]) -> str:
    """The value of a row in a few words."""
    if row["outcome"] is None:
        return Bounds(row["lower"], row["upper"]).said
    return f"{row['outcome']}{'' if row['distance'] is None else ' in ' + str(row['distance'])}"
