"""Matches between two players of a game of pieces on squares: what the command `match` does for such games."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from tablebase.cli.options import Format
from tablebase.errors import TablebaseError, quoted, system_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tablebase.game import Game
    from tablebase.play.comparison import SequentialTest
    from tablebase.play.pair_match import PlayedGame
    from tablebase.play.records import Record

CURE = "name a new file with --output"
COLUMNS = ["player", "games", "wins", "draws", "losses", "share", "elo", "forfeits"]


class Limits(NamedTuple):
    """The options that bound games; None where they were not given."""

    nodes: int | None
    seconds: float | None
    patience: float | None
    plies: int | None
    no_tables: bool


def play(
    game: Game,
    text: str,
    names: Sequence[str],
    games: int,
    opening: int,
    seed: int,
    limits: Limits,
    sprt: str | None,
    record: Path | None,
    folder: Path,
    style: Format,
) -> None:
    """Play a match, and write what it says about both players."""
    from tablebase.cli.output import say, write_rows
    from tablebase.compute.progress import progress
    from tablebase.game.notation import parse
    from tablebase.play.pair_match import Conditions, enough, play_match
    from tablebase.protocol.client import Budget
    from tablebase.tables.folder import check_folder

    check_folder(folder)
    test = None if sprt is None else _test(sprt)
    if limits.nodes is not None and limits.seconds is not None:
        raise TablebaseError("--nodes and --time both limit a move: give one of them")
    budget = Budget(None, limits.seconds) if limits.seconds is not None else Budget(limits.nodes or Budget.nodes)
    conditions = Conditions(
        parse(game, text),
        opening,
        seed,
        folder,
        not limits.no_tables,
        limits.plies or Conditions.most_plies,
        budget,
        limits.patience or Conditions.patience,
    )
    played: list[PlayedGame] = []
    with ExitStack() as stack:
        keep = recorder(record, stack)
        shown = stack.enter_context(progress(f"match {game.name}", "games", games, compiles=True))
        for one in play_match(game, names, games, conditions):
            played.append(one)
            keep(one.text)
            shown.update()
            if enough(test, played):
                break
    for one in played:
        if one.forfeit:
            say(f"game {one.text.number}: {one.text.why}")
    _write(names, played, test, style, write_rows)
    if record is not None:
        say(f"wrote {len(played)} games to {record}")


def _test(text: str) -> SequentialTest:
    """The sequential test that an option asks for."""
    from tablebase.play.comparison import SequentialTest

    try:
        least, most = map(float, text.split(","))
    except ValueError:
        raise TablebaseError(f"--sprt needs two differences in Elo points, as in 0,10, not {quoted(text)}") from None
    return SequentialTest(least, most)


def recorder(path: Path | None, stack: ExitStack) -> Callable[[Record], None]:
    """Return a function that writes games to a new file, which the first game makes, if a file is wanted."""
    from tablebase.files.outputs import appended, check_output
    from tablebase.play.records import write_record

    if path is None:
        return lambda _: None
    check_output(path, CURE, new=True)
    opened: list[TextIO] = []

    def keep(one: Record) -> None:
        if not opened:
            opened.append(stack.enter_context(appended(path, CURE, new=True)))
        try:
            opened[0].write(write_record(one))
            opened[0].flush()
        except OSError as fault:
            raise system_error(fault, path, CURE) from fault

    return keep


def _write(
    names: Sequence[str], played: Sequence[PlayedGame], test: SequentialTest | None, style: Format, write_rows: Callable[..., None]
) -> None:
    """Write a row for each player, and how a test has ended."""
    from tablebase.cli.output import say
    from tablebase.play.pair_match import pair_points

    pairs = pair_points(played)
    rows = [_row(player, name, played, pairs) for player, name in enumerate(names)]
    if test is not None:
        ratio, accepted = test.ratio(pairs), test.accepted(pairs)
        rows = [{**row, "ratio": ratio, "accepted": accepted} for row in rows]
        low, high = test.bounds
        ending = f"{accepted} is accepted" if accepted else "neither hypothesis is accepted"
        say(f"{ending}: the logarithm of the likelihood ratio is {ratio:.2f}, and the bounds are {low:.2f} and {high:.2f}")
    if style is Format.TABLE:
        shown = [{**row, "elo": interval(row, "elo"), "share": interval(row, "share")} for row in rows]
        write_rows(shown, style, COLUMNS)
    else:
        write_rows(rows, style)


def _row(player: int, name: str, played: Sequence[PlayedGame], pairs: Sequence[float]) -> dict[str, Any]:
    """What a match says about one of its players."""
    from tablebase.play.comparison import strength

    found = strength(pairs if player == 0 else [2 - points for points in pairs])
    winners = [None if one.text.winner is None else one.sides[one.text.winner] for one in played]
    return {
        "player": name,
        "games": len(played),
        "wins": winners.count(player),
        "draws": winners.count(None),
        "losses": winners.count(1 - player),
        "share": found.share,
        "share_from": found.low,
        "share_to": found.high,
        "elo": found.elo,
        "elo_from": found.elo_low,
        "elo_to": found.elo_high,
        "forfeits": sum(one.forfeit and winner == 1 - player for one, winner in zip(played, winners, strict=True)),
    }


def interval(row: dict[str, Any], name: str) -> str:
    """A number with its interval; one that is infinite as such."""
    digits = 3 if name == "share" else 0
    shown = []
    for bound in ("", "_from", "_to"):
        value, infinite = row[name + bound], "inf" if row["share" + bound] else "-inf"
        shown.append(infinite if value is None else f"{value:.{digits}f}")
    return f"{shown[0]} ({shown[1]} to {shown[2]})"
