"""Matches, and statistics of the games that they have recorded: match and match-stats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

from tablebase.commands import lib
from tablebase.commands.arguments import as_folder, as_optional, checked, rules_for
from tablebase.commands.calls import Call
from tablebase.commands.parameters import Data, Format, GameName, Output, Players, PositionText, Shell, Size, Variant
from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game.plain_arguments import as_list, as_path, as_texts
from tablebase.system.compute.messages import Amount, brief, say

if TYPE_CHECKING:
    from tablebase.play.tournament import Played

LEAST_IN_MEAN, MOST_IN_MEAN = 10, 200
"""Games in the mean of a point of a curve."""
HINT = "choose a new file for --output"
DIGITS = {"rank": 0, "place": 2, "share": 3}
"""Columns that have intervals, and how many digits behind the point they show."""
SPREADS = ("plies", "turns", "choices")
SHOWN = ["game", "games", "drawn", *SPREADS, "chance", "captures", "pieces_left"]
"""Columns of the table by game, where a mean has its standard deviation beside it."""


@brief
class MatchRows(list[dict[str, Any]]):
    """List of rows, one for each player, as in ``tablebase match --format json``; the attribute `played` contains the games."""

    def __init__(self, rows: Iterable[dict[str, Any]], played: Sequence[Played]) -> None:
        super().__init__(rows)
        self.played = played


@checked
def match(
    game: GameName,
    position: PositionText = None,
    *,
    player: Annotated[str | Sequence[str], Shell(metavar="NAME")] = (),
    games: Annotated[int, Shell(metavar="N", least=1, most=1_000_000)] = 100,
    opening: Annotated[int, Shell(metavar="N", least=0, most=100)] = 4,
    seed: Annotated[int, Shell(metavar="N", least=0)] = 1,
    nodes: Annotated[int | None, Shell(metavar="N", least=1)] = None,
    time: Annotated[float | None, Shell(metavar="S", least=0.001)] = None,
    patience: Annotated[float | None, Shell(metavar="S", least=0.1)] = None,
    plies: Annotated[int | None, Shell(metavar="N", least=1)] = None,
    no_tables: bool = False,
    output: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.NEW_FILE)] = None,
    players: Players = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = None,
) -> MatchRows:
    """Run matches between built-in players and external engines.

    A progress bar and messages are written to standard error.

    Parameters
    ----------
    position : str, optional
        First position of each game; by default, the initial position.
    player : str or sequence of str
        Built-in player listed by 'tablebase play --help', with optional settings (engine:level=3), or external UCI engine
        (uci:stockfish).
    games : int
        Number of games. In games with chance or more than two players, you can give more players than one game needs; each
        combination of players then plays this number of games.
    opening : int
        Number of random moves at the start of each game. In games with chance or more than two players, turns are counted instead
        of moves.
    seed : int
        Seed for the random number generator; the same seed gives the same games.
    nodes : int, optional
        Node limit for each move of an external engine; by default, 10,000.
    time : float, optional
        Time in seconds for each move of an external engine, instead of a node limit.
    patience : float, optional
        An external engine loses the game if it does not answer within this number of seconds; by default, 30.
    plies : int, optional
        Number of plies (moves by one side) after which a game is a draw; by default, 300.
    no_tables : bool
        Play every game to the end; by default, a game ends with the table's result as soon as a table contains its position.
    output : str or Path, optional
        Record the games in a new file, for use with 'line --replay' and 'match-stats'.
    game, players, size, variant, data : see `tablebase.build`
    """
    rules = rules_for("match", game, size, variant, players)
    names, record, folder = as_texts("player", player), as_optional(as_path, "output", output), as_folder(data)
    start = rules.initial if position is None else rules.parse(position)
    rules.check(start)
    schedule = lib.schedules.schedule_of(rules)
    if not schedule.paired:
        only_pairs = {"nodes": nodes, "time": time, "patience": patience, "plies": plies, "no_tables": no_tables or None}
        lib.game_arguments.refuse_given(rules, "paired matches", **only_pairs)
    lib.folder.check_folder(folder)
    if nodes is not None and time is not None:
        raise ArgumentError("cannot use --nodes with --time: leave out --nodes or --time")
    budget = lib.client.Budget(None if time is not None else nodes or lib.client.Budget.nodes, time)
    patience = lib.client.PATIENCE if patience is None else patience
    conditions = lib.tournament.Conditions(start, opening, seed, folder, not no_tables, plies, budget, patience)
    total = len(schedule(rules, len(names), games, seed))
    if record is not None:
        lib.outputs.check_output(record, HINT, new=True)
    played: list[Played] = []
    with ExitStack() as stack, lib.progress.progress(f"match {rules.name}", "games", total, compiles=True) as shown:
        file: TextIO | None = None
        for one in lib.tournament.tournament(rules, names, games, conditions):
            played.append(one)
            if record is not None:
                # The first game makes the file.
                file = file or stack.enter_context(lib.outputs.appended(record, HINT, new=True))
                file.write(lib.records.write_record(lib.tournament.recorded(rules, names, one)))
                file.flush()
            shown.update()
    for one in played:
        if one.forfeit:
            say(f"game {one.fixture.number + 1}: {rules.sides[one.ending.winner or 0].name} wins: {one.ending.why}")
    if record is not None:
        say(f"wrote {len(played)} games to {record}")
    return MatchRows((lib.standings.of_pairs if schedule.paired else lib.standings.of_rounds)(names, played), played)


def show_match(call: Call) -> None:
    """With only --player, this command plays 100 games, each starting with 4 random moves, and prints one row for each player."""
    rows = call()
    columns = [name for name in rows[0] if call.style is not Format.TABLE or not name.endswith(("_from", "_to"))]
    for name in [name for name in DIGITS if f"{name}_from" in rows[0] and call.style is Format.TABLE]:
        for row in rows:
            number, low, high = (f"{row[name + bound]:.{DIGITS[name]}f}" for bound in ("", "_from", "_to"))
            row[name] = f"{number} ({low} to {high})"
    call.write(rows, columns)


@checked
def match_stats(
    files: Annotated[str | Path | Sequence[str | Path], Shell(metavar="FILE…", argument=True)],
    *,
    by: Literal["game", "seat", "ending", "chance", "square", "piece"] = "game",
    with_opening: bool = False,
    curve: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
) -> list[dict[str, Any]]:
    """Show statistics of recorded games, such as lengths and results.

    Parameters
    ----------
    files : sequence of str or Path
        Files of recorded games, written by 'match --output'.
    by : str
        Group the statistics by game, seat (playing order), ending (reason for the end), chance (dice rolls and cards), square
        (move destination) or piece (moved piece).
    with_opening : bool
        Include the random moves at the start of games in the statistics; by default, they are excluded.
    curve : str or Path, optional
        Also draw a chart of each player's running average score, as a PNG, SVG or PDF file.
    """
    named = [files] if isinstance(files, (str, Path)) else as_list("files", files, "['games']")
    paths = [as_path("files", path) for path in named]
    picture = as_optional(as_path, "curve", curve)
    if picture is not None:
        lib.picture_files.check_picture(picture, lib.picture_files.OTHER_CURVE)
    found, unfinished = lib.statistics.MatchStatistics(with_opening=with_opening), 0
    results: list[tuple[Sequence[str], Sequence[int]]] = []
    with lib.progress.progress("match-stats", "games") as shown:
        for path in paths:
            for record in lib.records.records_in(path):
                if not record.places:
                    unfinished += 1
                    continue
                try:
                    found.add(record)
                except TablebaseError as error:
                    raise TablebaseError(f"{path}: {error}") from error
                results.append((record.players, record.places))
                shown.update()
    if unfinished:
        say(f"left out {unfinished:,} unfinished games")
    if not found.of_games:
        where = ", ".join(map(str, paths))
        raise TablebaseError(f"no finished games in {where}: give files written by 'match --output'")
    rows = found.rows(by)
    if not rows:
        raise TablebaseError(f"cannot group these games by {by}: choose another value for --by, such as 'game'")
    if picture is not None:
        _draw_points(results, picture)
    return rows


def show_match_stats(call: Call) -> None:
    """Without options, this command prints one row of averages over all recorded games, such as the average number of moves. If
    the files contain several games, such as Hexapawn and Kalah, one row is printed for each of them.
    """
    rows, by = call(), call.given.get("by", "game")
    columns = [*lib.statistics.GAME, *lib.statistics.ROWS[by]]
    if call.style is Format.TABLE and by == "game":
        columns, sign = SHOWN, "±" if lib.output.is_unicode() else "+-"
        for row in rows:
            means = {name: f"{row[name]:.1f} {sign} {row[f'{name}_sd']:.1f}" for name in SPREADS if row[name] is not None}
            row |= {name: Amount(mean) for name, mean in means.items()}
    elif call.style is Format.TABLE and len({row["game"] for row in rows}) == 1:
        columns = list(lib.statistics.ROWS[by])
    call.write(rows, columns)


def _draw_points(results: Sequence[tuple[Sequence[str], Sequence[int]]], path: Path) -> None:
    # An even number, so that a mean has both games of each pair.
    window = max(2, min(MOST_IN_MEAN, len(results) // 20 // 2 * 2))
    curves = {}
    for name, points in lib.standings.points_by_name(results).items():
        ends = range(min(LEAST_IN_MEAN, len(points)), len(points) + 1)
        curves[name] = (ends, [sum(points[max(end - window, 0) : end]) / min(end, window) for end in ends])
    labels = "games played", f"points a game (mean of up to {window} games)"
    drawn = lib.drawing.draw_curves("Points over the games", f"{len(results):,} games", labels, curves)
    lib.drawing.save(drawn, path, lib.picture_files.OTHER_CURVE)
    say(f"wrote {path}: points over {len(results):,} games")
