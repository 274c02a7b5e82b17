"""Options and arguments that several commands share."""

from __future__ import annotations

import re
import shlex
import sys
import time as clock
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tablebase.compute.machine import cores
from tablebase.errors import TablebaseError, quoted, system_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablebase.game import Game
    from tablebase.game.stochastic import StochasticGame
    from tablebase.slices.material import Material


# ClickException, whose place within typer depends on the version.
UsageError: type[Exception] = typer.BadParameter.__mro__[2]


class Call(NamedTuple):
    """How the program was called.

    Parameters
    ----------
    words : list of str
        Command, arguments and options.
    bounded : bool
        Whether statements run in a process of their own.
    """

    words: list[str]
    bounded: bool


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class Where(StrEnum):
    """What runs the solvers: processes of this machine, or a cluster."""

    LOCAL = "local"
    DASK = "dask"


class By(StrEnum):
    """What one line of statistics covers."""

    PIECES = "pieces"
    MATERIAL = "material"


def parse_pieces(text: str) -> range:
    """The numbers of pieces that ``4`` or ``2-4`` stands for."""
    match = re.fullmatch(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", str(text).strip())
    if match is None or int(match[1]) > int(match[2] or match[1]):
        raise TablebaseError(f"{quoted(str(text))} is no number of pieces: write one such as 4, or a range such as 2-4")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


def complete_game(beginning: str) -> list[str]:
    """The names of installed games that begin like this, for the shell."""
    from tablebase.game.registry import game_names

    return [name for name in game_names() if name.startswith(beginning)]


def complete_player(beginning: str) -> list[str]:
    """The players whose names begin so, for the completion of shells."""
    from tablebase.play.players import player_names
    from tablebase.play.state_players import state_player_names

    names = dict.fromkeys([*player_names(), *state_player_names()])
    return [name for name in names if name.startswith(beginning)]


def from_input(word: str) -> str:
    """A word, or instead of ``-`` what standard input holds, and instead of ``@FILE`` what the file holds.

    Raises
    ------
    TablebaseError
        If that cannot be read, or is not text.
    """
    if word != "-" and not word.startswith("@"):
        return word
    try:
        return sys.stdin.read() if word == "-" else Path(word[1:]).read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise TablebaseError(f"{'standard input' if word == '-' else word[1:]} is not text in UTF-8: write it anew") from fault
    except OSError as fault:
        raise system_error(fault, word[1:], "name another file") from fault


def parse_duration(text: str) -> float:
    """Seconds of a duration such as ``8h``, ``90min``, ``1h30min`` or ``45s``."""
    units = {"d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}
    parts = re.findall(r"([0-9]{1,9}(?:\.[0-9]+)?)\s*(d|h|min|m|s)\s*", str(text).strip().lower(), re.ASCII)
    written = re.sub(r"\s", "", str(text).lower())
    if not parts or "".join(number + unit for number, unit in parts) != written:
        raise TablebaseError(f"{quoted(str(text))} is not a duration: write numbers with d, h, min or s, such as 8h or 1h30min")
    return sum(float(number) * units["min" if unit == "m" else unit] for number, unit in parts)


def parse_time(text: str) -> float:
    """Seconds since the epoch of a local time: the next ``07:00``, or ``2030-01-31T07:00``, which must not have passed."""
    now = datetime.now().astimezone()
    try:
        if re.fullmatch(r"[0-9]{1,2}:[0-9]{2}", str(text), re.ASCII):
            # Without a time zone, for summer time may begin or end before it.
            today = now.replace(tzinfo=None)
            hour, minute = map(int, str(text).split(":"))
            time = today.replace(hour=hour, minute=minute, second=0, microsecond=0)
            return (time if time > today else time + timedelta(days=1)).astimezone().timestamp()
        time = datetime.fromisoformat(str(text)).astimezone()
    except ValueError:
        raise TablebaseError(f"{quoted(str(text))} is not a time: write one such as 07:00 or 2030-01-31T07:00") from None
    if time <= now:
        raise TablebaseError(f"{text} has passed: name a time to come, such as 07:00")
    return time.timestamp()


GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="Name of the game; 'tablebase games' lists them.", autocompletion=complete_game),
]
PositionText = Annotated[
    str | None,
    typer.Argument(metavar="POSITION", help="Rows from the top, then the side to move; by default the start of the game."),
]
Start = Annotated[str | None, typer.Option("--from", metavar="POSITION", help="The same as the argument POSITION.")]
Size = Annotated[str | None, typer.Option("--size", metavar="8x8", help="Files and ranks of the board, for a game that has sizes.")]
Variant = Annotated[
    list[str] | None, typer.Option("--variant", metavar="NAME=VALUE", help="Variant of the rules; may be repeated.")
]
Players = Annotated[int | None, typer.Option("--players", metavar="N", help="Number of players; short for --variant players=N.")]
Data = Annotated[Path, typer.Option("--data", metavar="DIR", envvar="TABLEBASE_DATA", help="Folder of the tables.")]
CatalogUrl = Annotated[
    str | None,
    typer.Option(
        "--catalog",
        metavar="URL",
        envvar="TABLEBASE_CATALOG",
        help="PostgreSQL database with the catalog; by default it is a file in the folder.",
    ),
]
Style = Annotated[Format, typer.Option("--format", help="Output format.")]
Pieces = Annotated[range | None, typer.Option("--pieces", metavar="N", parser=parse_pieces, help="N pieces, or M-N for M to N.")]
Materials = Annotated[list[str] | None, typer.Option("--material", metavar="RCvW", help="This material; may be repeated.")]
To = Annotated[
    str, typer.Option("--to", metavar="DIR", help="Folder to write to; for copy also an object store, such as s3://bucket/path.")
]
WithDependencies = Annotated[
    bool, typer.Option("--with-dependencies", help="Also take the tables that these depend on, down to two pieces.")
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Write a line about each table.")]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of processes.")]
Threads = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of threads.")]
Executed = Annotated[Where, typer.Option("--executor", help="Where tables are solved: on this machine, or by workers of Dask.")]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="URL", help="Scheduler of Dask, tcp://HOST:PORT; by default one of its own."),
]
Deadline = Annotated[
    float | None,
    typer.Option("--deadline", metavar="TIME", parser=parse_time, help="Stop at this time, such as 07:00 or 2030-01-31T07:00."),
]
Duration = Annotated[
    float | None, typer.Option("--for", metavar="TIME", parser=parse_duration, help="Stop after so much time, such as 8h or 90min.")
]
Grace = Annotated[
    float,
    typer.Option("--grace", metavar="TIME", parser=parse_duration, help="Time after the deadline for tables in work."),
]
LogFile = Annotated[Path | None, typer.Option("--log", metavar="FILE", help="Add a line about each table to this file.")]
JsonLogFile = Annotated[Path | None, typer.Option("--json-log", metavar="FILE", help="The same as JSON, an object a line.")]

DEFAULT_DATA = Path("data")
DEFAULT_GRACE: Any = "10min"
"""As text, which the option's parser reads."""
CORES = cores()
CHECK_FAILED = 1
"""Exit code if a check has failed."""


def chosen_game(game: str, size: str | None, variant: list[str] | None) -> Game:
    """The game of pieces on squares, in this size and variant if they are given."""
    from tablebase.game import load_game

    return load_game(_full_name(game, size, variant))


def chosen_rules(game: str, size: str | None, variant: list[str] | None, players: int | None = None) -> Game | StochasticGame:
    """The game of either sort, for the commands `api.games.FOR_ALL_GAMES`; otherwise like `chosen_game`."""
    from tablebase.game.registry import load_rules

    return load_rules(_full_name(game, size, [*(variant or []), *([] if players is None else [f"players={players}"])]))


def _full_name(game: str, size: str | None, variant: list[str] | None) -> str:
    """The name of a game with its variant."""
    return "-".join([game, *([size] if size else []), *(variant or [])])


def chosen_start(game: Game | StochasticGame, position: str | None, start: str | None) -> str:
    """The position that an argument or the option --from names; by default the start of the game."""
    from tablebase.api.games import start_text

    if position is not None and start is not None:
        raise TablebaseError("there are two positions to start from: give either POSITION or --from")
    return next((text for text in (position, start) if text is not None), start_text(game))


def parse_size(text: str) -> int:
    """Bytes of a size such as ``8G``, ``512M`` or ``1000000``."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise TablebaseError(f"{quoted(text)} is not a size: write bytes, or a number with K, M, G or T such as 8G")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


def chosen_materials(game: Game, pieces: range | None, texts: Sequence[str] | None) -> list[Material]:
    """The materials named; without any, and without a number of pieces, that of the start if the game is small enough."""
    from tablebase.build.plan import start_material
    from tablebase.slices.material import parse_materials

    if pieces is None and not texts:
        start = start_material(game)
        if start is None:
            raise TablebaseError("choose tables: --pieces 3 for all with three pieces, or --material RCvW for one material")
        return [start]
    return [material for text in texts or [] for material in parse_materials(game, text)]


def end_of_work(deadline: float | None, duration: float | None) -> float | None:
    """The earlier of a time and of the end of a duration that begins now, in seconds since the epoch; None without either."""
    ends = [end for end in (deadline, None if duration is None else clock.time() + duration) if end is not None]
    return min(ends, default=None)


def program_call(context: typer.Context) -> str:
    """The command that is being run, as a shell would take it, but for passwords."""
    return without_passwords(shlex.join(["tablebase", *context.find_root().obj.words]))


def without_passwords(words: str) -> str:
    """The words of a command, with asterisks for the passwords of URLs."""
    return re.sub(
        r"(://[^:/@\s]*:)[^/\s]*@|([?&](?:ssl)?password=)[^&\s]*", lambda url: f"{url[1]}***@" if url[1] else f"{url[2]}***", words
    )


def usage_sentence(fault: Exception) -> str:
    """What a `UsageError` says, in one line."""
    # Some messages list choices on separate lines, and some begin with the name of an exception.
    sentence = " ".join(fault.format_message().split())  # type: ignore[attr-defined]
    return sentence.replace("Value error, ", "")
