"""The command line. A module of commands is imported when one of its commands runs, or for the help of the program."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tablebase.cli import process
from tablebase.cli.options import Call, UsageError, usage_sentence
from tablebase.cli.plain_values import PlainValues
from tablebase.compute.modules import docstring
from tablebase.errors import CapacityError, TablebaseError, system_error
from tablebase.version import VERSION

COMMANDS = {
    "games": "games",
    "check-rules": "games",
    "build": "build",
    "estimate": "build",
    "reindex": "upkeep",
    "batch": "batch",
    "prune": "upkeep",
    "copy": "transfers",
    "merge": "transfers",
    "pack": "transfers",
    "unpack": "transfers",
    "probe": "probe",
    "line": "probe",
    "play": "play",
    "boxes": "boxes",
    "match": "match",
    "match-stats": "match_stats",
    "train": "train",
    "uci": "search",
    "perft": "search",
    "analyse": "search",
    "prove": "prove",
    "count": "prove",
    "exploit": "exploit",
    "stats": "catalog",
    "sql": "catalog",
    "mine": "mine",
    "features": "mine",
    "export": "mine",
    "patterns": "patterns",
    "plot": "plot",
    "serve": "serve",
    "verify": "upkeep",
}
"""Each command and the module with its function."""
GROUPS = {
    "Build": (
        "games",
        "check-rules",
        "estimate",
        "build",
        "batch",
        "verify",
        "copy",
        "merge",
        "pack",
        "unpack",
        "reindex",
        "prune",
    ),
    "Ask": ("probe", "line", "stats", "perft", "count", "analyse", "prove"),
    "Mine": ("mine", "sql", "features", "export", "patterns", "plot"),
    "Play": ("play", "match", "match-stats", "train", "boxes", "exploit"),
    "Serve": ("serve", "uci"),
}
"""The commands in the order of the help."""
LIMITED = ("build", "estimate")
"""Commands that pass further options on to the game."""
HELP = ("-h", "--help")
MORE_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


class _Exemplified(PlainValues):
    """A command whose help ends with examples, if an installed game gives them."""

    epilog: str | None

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as click takes text that it must not wrap."""
        from tablebase.game.examples import examples

        for lines in examples(f"help of {self.name}"):  # type: ignore[attr-defined]
            self.epilog = "\n  ".join([f"\b\nExample{'s' if len(lines) > 1 else ''}:", *lines])
        super().format_epilog(ctx, formatter)  # type: ignore[misc]


class _Group(_Exemplified, TyperGroup):
    """The program; its help describes commands without making them, which takes far longer."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups of commands."""
        del ctx
        width = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", _summary(name)) for name in names])


class _Command(_Exemplified, TyperCommand):
    """A command."""


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"tablebase {VERSION}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


def _function(name: str) -> Any:
    """The function of a command."""
    return getattr(import_module(f"tablebase.cli.{COMMANDS[name]}"), name.replace("-", "_"))


def _summary(name: str) -> str:
    """The first sentence about a command."""
    first = docstring(_function(name)).partition("\n\n")[0]
    return f"{first.partition('. ')[0].rstrip('.')}."


@cache
def program(name: str | None = None) -> Any:
    """The program as a command of click, with one of its commands or, as the help needs them, with all."""
    app = typer.Typer(
        name="tablebase",
        cls=_Group,
        no_args_is_help=True,
        context_settings={"help_option_names": list(HELP)},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback(help="Solve small board games, store the value of every position, and look it up.")(_options)
    for one in COMMANDS if name is None else [name]:
        function, settings = _function(one), MORE_OPTIONS if one in LIMITED else None
        app.command(name=one, cls=_Command, help=docstring(function), context_settings=settings)(function)
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; every known error is one sentence on stderr."""
    # What is imported stays, and looking for garbage in it takes a quarter of the time of many commands.
    gc.set_threshold(50_000, 50, 50)
    # NumPy's library of matrices starts a thread for each processor, which no command has work for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    process.prepare_streams()
    process.listen()
    code = run(arguments, bounded=True)
    # Otherwise Python looks for garbage again in all that was imported before it ends. DuckDB reports what is left then.
    if "duckdb" not in sys.modules:
        gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str] | None = None, *, bounded: bool = False) -> int:
    """Run a command, by default with the arguments of this program, and return its exit code.

    If it is `bounded`, statements run in a process of their own; see `tablebase.cli.child_processes`. It is forked, which only the
    program itself can allow.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = given or ["--help"]
    # The help needs no more than one of the commands that it lists. Shells, which complete words without arguments, need them all.
    name = "games" if given and given[0] in HELP else words[0] if words[0] in COMMANDS else None
    try:
        result = program(name).main(words, prog_name="tablebase", standalone_mode=False, obj=Call(words, bounded))
        sys.stdout.flush()
        code = result if isinstance(result, int) else 0
        # Some versions of typer turn Ctrl-C into this exit code themselves.
        return _fail(process.sentence(signal.SIGINT), code) if code == process.INTERRUPTED else code
    except (process.ReaderGoneError, BrokenPipeError):
        return 0
    except TablebaseError as fault:
        return _fail(str(fault), fault.exit_code)
    except UsageError as fault:
        return _fail(usage_sentence(fault), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _fail(process.sentence(signal.SIGINT), process.INTERRUPTED)
    except SystemExit as fault:
        # From code that is not ours, such as a rules module.
        status = fault.code or 0
        return status if isinstance(status, int) else _fail(status, 1)
    except MemoryError:
        return _fail("out of memory: use fewer --workers or a smaller --memory", CapacityError.exit_code)
    except OSError as fault:
        error = system_error(fault)
        return _fail(str(error), error.exit_code)


def _fail(sentence: str, code: int) -> int:
    # What has been written so far is still wanted, but the first error is the one to report.
    with suppress(process.ReaderGoneError, TablebaseError):
        sys.stdout.flush()
    sys.stderr.write(f"error: {sentence}\n")
    return code
