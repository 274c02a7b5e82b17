"""The command that lets players play each other: match."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from tablebase.cli import options
from tablebase.cli.options import Format, chosen_rules, chosen_start
from tablebase.errors import TablebaseError, quoted, system_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tablebase.game.rules import Rules
    from tablebase.play.comparison import SequentialTest
    from tablebase.play.tournament import Conditions, Played
    from tablebase.protocol.client import Budget

GAMES = 100
CURE = "name a new file with --output"


def match(
    game: options.GameName,
    position: options.PositionText = None,
    begin: options.Start = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="A player, with its settings as in engine:level=3 or computer:depth=3,objective=lead, or uci:COMMAND; "
            "two, or more with chance or several players.",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=1_000_000, help="Games of each line-up of players.")
    ] = GAMES,
    opening: Annotated[
        int,
        typer.Option("--opening", metavar="N", min=0, max=100, help="Turns or plies of random moves that each game begins with."),
    ] = 4,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same games.")] = 1,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Positions a move for uci:COMMAND; by default 10,000.")
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", metavar="S", min=0.001, help="Seconds a move for uci:COMMAND, instead of --nodes.")
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option("--patience", metavar="S", min=0.1, help="Seconds after which uci:COMMAND has lost if it does not answer."),
    ] = None,
    plies: Annotated[
        int | None, typer.Option("--plies", metavar="N", min=1, help="Plies after which a game is a draw; by default 300.")
    ] = None,
    no_tables: Annotated[bool, typer.Option("--no-tables", help="Play on where tables know the result.")] = False,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="E0,E1", help="Stop as soon as one of two differences in Elo points is likely enough."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the games to a new file, which line --replay reads.")
    ] = None,
    players: options.Players = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
    style: options.Style = Format.TABLE,
) -> None:
    """Run matches between built-in players and external engines."""
    from tablebase.cli.output import say
    from tablebase.game.game_arguments import refuse_given
    from tablebase.play.schedules import schedule_of
    from tablebase.play.tournament import Conditions
    from tablebase.protocol.client import PATIENCE
    from tablebase.tables.folder import check_folder

    rules: Any = chosen_rules(game, size, variant, players)
    names = player or []
    start = rules.parse(chosen_start(rules, position, begin))
    rules.check(start)
    schedule = schedule_of(rules)
    if not schedule.paired:
        only_pairs = {"nodes": nodes, "time": time, "patience": patience, "plies": plies, "no_tables": no_tables or None}
        refuse_given(rules, **only_pairs, sprt=sprt)
    check_folder(data)
    test = None if sprt is None else _test(sprt)
    conditions: Conditions[Any] = Conditions(
        start, opening, seed, data, not no_tables, plies, _budget(nodes, time), patience or PATIENCE
    )
    played = _all_played(rules, names, games, conditions, len(schedule(rules, len(names), games, seed)), test, record)
    for one in played:
        if one.forfeit:
            say(f"game {one.fixture.number + 1}: {rules.sides[one.ending.winner or 0].name} wins: {one.ending.why}")
    _write(names, played, test, style, paired=schedule.paired)
    if record is not None:
        say(f"wrote {len(played)} games to {record}")


def _budget(nodes: int | None, seconds: float | None) -> Budget:
    """What a program of its own is given for a move."""
    from tablebase.protocol.client import Budget

    if nodes is not None and seconds is not None:
        raise TablebaseError("--nodes and --time both limit a move: give one of them")
    return Budget(None, seconds) if seconds is not None else Budget(nodes or Budget.nodes)


def _test(text: str) -> SequentialTest:
    """The sequential test that an option asks for."""
    from tablebase.play.comparison import SequentialTest

    try:
        least, most = map(float, text.split(","))
    except ValueError:
        raise TablebaseError(f"--sprt needs two differences in Elo points, as in 0,10, not {quoted(text)}") from None
    return SequentialTest(least, most)


def _all_played(
    rules: Rules[Any],
    names: Sequence[str],
    games: int,
    conditions: Conditions[Any],
    total: int,
    test: SequentialTest | None,
    record: Path | None,
) -> list[Played]:
    """The games of a match, until a test needs no more of them; each is written to a file as soon as it is over."""
    from tablebase.compute.progress import progress
    from tablebase.play.standings import enough
    from tablebase.play.tournament import tournament

    played: list[Played] = []
    with ExitStack() as stack:
        keep = _recorder(record, rules, names, stack)
        shown = stack.enter_context(progress(f"match {rules.name}", "games", total, compiles=True))
        for one in tournament(rules, names, games, conditions):
            played.append(one)
            keep(one)
            shown.update()
            if enough(test, played):
                break
    return played


def _recorder(path: Path | None, rules: Rules[Any], names: Sequence[str], stack: ExitStack) -> Callable[[Played], None]:
    """What keeps a game, if a file is wanted: a new one, which the first game makes."""
    from tablebase.files.outputs import appended, check_output
    from tablebase.play.records import write_record
    from tablebase.play.tournament import recorded

    if path is None:
        return lambda _: None
    check_output(path, CURE, new=True)
    opened: list[TextIO] = []

    def keep(one: Played) -> None:
        if not opened:
            opened.append(stack.enter_context(appended(path, CURE, new=True)))
        try:
            opened[0].write(write_record(recorded(rules, names, one)))
            opened[0].flush()
        except OSError as fault:
            raise system_error(fault, path, CURE) from fault

    return keep


def _write(names: Sequence[str], played: Sequence[Played], test: SequentialTest | None, style: Format, *, paired: bool) -> None:
    """Write a row for each player, and how a test has ended."""
    from tablebase.cli.output import say, write_rows
    from tablebase.play.standings import of_pairs, of_rounds, pair_points

    rows = of_pairs(names, played) if paired else of_rounds(names, played)
    columns = [name for name in rows[0] if not name.endswith(("_from", "_to"))]
    if test is not None:
        pairs = pair_points(played)
        ratio, accepted = test.ratio(pairs), test.accepted(pairs)
        rows = [{**row, "ratio": ratio, "accepted": accepted} for row in rows]
        low, high = test.bounds
        ending = f"{accepted} is accepted" if accepted else "neither hypothesis is accepted"
        say(f"{ending}: the logarithm of the likelihood ratio is {ratio:.2f}, and the bounds are {low:.2f} and {high:.2f}")
    if style is Format.TABLE:
        shown = [{**row, "elo": _interval(row, "elo"), "share": _interval(row, "share")} for row in rows]
        write_rows(shown, style, columns)
    else:
        write_rows(rows, style)


def _interval(row: dict[str, Any], name: str) -> str:
    """A number with its interval; one that is infinite as such."""
    digits = 3 if name == "share" else 0
    shown = []
    for bound in ("", "_from", "_to"):
        value, infinite = row[name + bound], "inf" if row["share" + bound] else "-inf"
        shown.append(infinite if value is None else f"{value:.{digits}f}")
    return f"{shown[0]} ({shown[1]} to {shown[2]})"
