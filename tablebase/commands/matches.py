"""Matches from Python, and statistics of the games that they have recorded: `tablebase.match` and `tablebase.match_stats`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tablebase.commands.arguments import as_optional, as_texts
from tablebase.compute.messages import say
from tablebase.errors import ArgumentError, TablebaseError, quoted
from tablebase.game.game_arguments import AnyGame, as_rules, refuse_given
from tablebase.game.plain_arguments import as_list, as_number, as_path, as_real, as_text
from tablebase.game.rules import Rules
from tablebase.tables.folder import check_folder, default_folder

if TYPE_CHECKING:
    from tablebase.play.statistics import Statistics
    from tablebase.play.tournament import Conditions, Played
    from tablebase.protocol.client import Budget

GAMES = 100
LEAST_IN_MEAN, MOST_IN_MEAN = 10, 200
"""Games that a point of a curve is the mean of."""
Result = tuple[Sequence[str], Sequence[int]]
"""The players of a game, and the place of each."""
CURE = "name a new file with --output"


class MatchRows(list[dict[str, Any]]):
    """A row for each player; the fields are those of ``tablebase match --format json``.

    Parameters
    ----------
    rows : iterable of dict
    played : sequence of Played
        The games.
    """

    def __init__(self, rows: Iterable[dict[str, Any]], played: Sequence[Played]) -> None:
        super().__init__(rows)
        self.played = played


def match(
    game: AnyGame,
    position: str | None = None,
    *,
    player: str | Sequence[str] = (),
    games: int = GAMES,
    opening: int = 4,
    seed: int = 1,
    nodes: int | None = None,
    time: float | None = None,
    patience: float | None = None,
    plies: int | None = None,
    no_tables: bool = False,
    output: str | Path | None = None,
    players: int | None = None,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    data: str | Path | None = None,
) -> MatchRows:
    """Let players play each other; a bar and messages are written to standard error.

    Parameters
    ----------
    game : str, Game or StochasticGame
    position : str, optional
        Where games begin; by default at the start.
    player : sequence of str
        The players, with settings as in ``engine:level=3``; two, or more with chance or several players.
    games : int
        Games of each line-up of players.
    opening : int
        Turns or plies of random moves that each game begins with.
    seed : int
        The same seed gives the same games.
    nodes, time, patience : int, float and float, optional
        Limits of programs that speak UCI: positions or seconds a move, and seconds after which they have lost.
    plies : int, optional
        Plies after which a game is a draw.
    no_tables : bool
        Whether to play on where tables know the result.
    output : str or Path, optional
        A new file for the games.
    players, size, variant
        What distinguishes the variant of the game.
    data : str or Path, optional
        The folder of the tables.

    Raises
    ------
    TablebaseError
        If an argument is wrong, or a player cannot play.

    Examples
    --------
    >>> rows = tablebase.match("hexapawn", player=["ranking", "random"], games=10)  # doctest: +SKIP
    >>> rows[0]["share"]  # doctest: +SKIP
    """
    from tablebase.play.schedules import schedule_of
    from tablebase.play.standings import of_pairs, of_rounds
    from tablebase.play.tournament import Conditions
    from tablebase.protocol.client import PATIENCE

    count = [] if players is None else [f"players={as_number('players', players, 1)}"]
    rules = as_rules(game, as_optional(as_text, "size", size), [*as_texts("variant", variant), *count])
    names = as_texts("player", player)
    start = rules.initial if position is None else rules.parse(as_text("position", position))
    rules.check(start)
    schedule = schedule_of(rules)
    if not schedule.paired:
        only_pairs = {"nodes": nodes, "time": time, "patience": patience, "plies": plies, "no_tables": no_tables or None}
        refuse_given(rules, **only_pairs)
    folder = default_folder() if data is None else as_path("data", data)
    check_folder(folder)
    conditions: Conditions[Any] = Conditions(
        start,
        as_number("opening", opening),
        as_number("seed", seed),
        folder,
        not no_tables,
        as_optional(lambda name, value: as_number(name, value, 1), "plies", plies),
        _budget(nodes, as_optional(as_real, "time", time)),
        PATIENCE if patience is None else as_real("patience", patience),
    )
    number, record = as_number("games", games, 1), as_optional(as_path, "output", output)
    played = _all_played(rules, names, number, conditions, len(schedule(rules, len(names), number, seed)), record)
    for one in played:
        if one.forfeit:
            say(f"game {one.fixture.number + 1}: {rules.sides[one.ending.winner or 0].name} wins: {one.ending.why}")
    if record is not None:
        say(f"wrote {len(played)} games to {record}")
    return MatchRows((of_pairs if schedule.paired else of_rounds)(names, played), played)


def _budget(nodes: int | None, seconds: float | None) -> Budget:
    """What a program of its own is given for a move."""
    from tablebase.protocol.client import Budget

    if nodes is not None and seconds is not None:
        raise ArgumentError("--nodes and --time both limit a move: give one of them")
    return Budget(None, seconds) if seconds is not None else Budget(nodes or Budget.nodes)


def _all_played(
    rules: Rules[Any],
    names: Sequence[str],
    games: int,
    conditions: Conditions[Any],
    total: int,
    record: Path | None,
) -> list[Played]:
    """The games of a match; each is written to a file as soon as it is over."""
    from tablebase.compute.progress import progress
    from tablebase.play.tournament import tournament

    played: list[Played] = []
    with ExitStack() as stack:
        keep = _recorder(record, rules, names, stack)
        shown = stack.enter_context(progress(f"match {rules.name}", "games", total, compiles=True))
        for one in tournament(rules, names, games, conditions):
            played.append(one)
            keep(one)
            shown.update()
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
        opened[0].write(write_record(recorded(rules, names, one)))
        opened[0].flush()

    return keep


def match_stats(
    files: str | Path | Sequence[str | Path], *, by: str = "game", with_opening: bool = False, curve: str | Path | None = None
) -> list[dict[str, Any]]:
    """Summarize recorded games: length, moves to choose from, results.

    Parameters
    ----------
    files : sequence of str or Path
        Files that `match` has written.
    by : str
        What one row covers: ``game``, ``seat``, ``ending``, ``chance``, ``square`` or ``piece``.
    with_opening : bool
        Whether to count the random moves of openings, too.
    curve : str or Path, optional
        A picture to draw of the points that each player wins over the games: ``FILE.png``, ``FILE.svg`` or ``FILE.pdf``.

    Raises
    ------
    TablebaseError
        If there are no games, or none that has such rows.
    """
    from tablebase.play.statistics import ROWS

    paths = [files] if isinstance(files, (str, Path)) else as_list("files", files, "['games']")
    if by not in ROWS:
        raise ArgumentError(f"there are no statistics by {quoted(by)}: choose {' or '.join(ROWS)}")
    picture = as_optional(as_path, "curve", curve)
    if picture is not None:
        from tablebase.charts.picture_files import OTHER_CURVE, check_picture

        check_picture(picture, OTHER_CURVE)
    results: list[Result] | None = None if picture is None else []
    rows = [asdict(row) for row in _read([as_path("files", path) for path in paths], with_opening, results).rows(by)]
    if not rows:
        raise TablebaseError(f"none of these games has rows by {by}: choose another --by, such as game")
    if picture is not None and results is not None:
        _draw_points(results, picture)
    return rows


def _draw_points(results: Sequence[Result], path: Path) -> None:
    """Draw the points that each player wins, as a mean of the last games."""
    from tablebase.charts.drawing import draw_curves, save
    from tablebase.charts.picture_files import OTHER_CURVE
    from tablebase.play.standings import points_by_name

    # An even number, so that a mean has both games of each pair.
    window = max(2, min(MOST_IN_MEAN, len(results) // 20 // 2 * 2))
    curves = {}
    for name, points in points_by_name(results).items():
        ends = range(min(LEAST_IN_MEAN, len(points)), len(points) + 1)
        curves[name] = (ends, [sum(points[max(end - window, 0) : end]) / min(end, window) for end in ends])
    labels = "games played", f"points a game (mean of up to {window} games)"
    save(draw_curves("Points over the games", f"{len(results):,} games", labels, curves), path, OTHER_CURVE)
    say(f"wrote {path}: points over {len(results):,} games")


def _read(files: Sequence[Path], with_opening: bool, results: list[Result] | None) -> Statistics:
    """Collect the statistics of all games of some files, and the result of each if a list for them is given."""
    from tablebase.compute.progress import progress
    from tablebase.play.records import records_in
    from tablebase.play.statistics import Statistics

    found, unfinished = Statistics(with_opening=with_opening), 0
    with progress("match-stats", "games") as shown:
        for path in files:
            for record in records_in(path):
                if not record.places:
                    unfinished += 1
                    continue
                try:
                    found.add(record)
                    if results is not None:
                        results.append((record.players, record.places))
                except TablebaseError as fault:
                    raise TablebaseError(f"{path}: {fault}") from fault
                shown.update()
    if unfinished:
        say(f"left out {unfinished:,} unfinished games")
    if not found.of_games:
        raise TablebaseError(
            f"there are no finished games in {', '.join(map(str, files))}: name files that match --output has written"
        )
    return found
