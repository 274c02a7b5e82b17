"""The command line. Commands import what they need only when they run, so that help is instant."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Any

import typer

import tablebase
from tablebase.cli import (
    batch,
    build,
    catalog,
    games,
    match,
    mine,
    patterns,
    play,
    plot,
    probe,
    prove,
    prune,
    search,
    serve,
    signals,
    streams,
    transfers,
    verify,
)
from tablebase.cli.options import Call, UsageError, usage_sentence
from tablebase.compute.docstrings import docstring
from tablebase.errors import CapacityError, TablebaseError, system_error

app = typer.Typer(
    name="tablebase",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"tablebase {tablebase.__version__}\n")
        raise typer.Exit


@app.callback(help="Solve small board games, store the value of every position, and look it up.")
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""


MORE_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""For commands that pass further options on to the game."""

MODULES = (
    games,
    build,
    batch,
    prune,
    transfers,
    probe,
    play,
    match,
    search,
    prove,
    catalog,
    mine,
    patterns,
    plot,
    serve,
    verify,
)
"""In the order of their commands in the help."""

for module in MODULES:
    for command in module.COMMANDS:
        settings = MORE_OPTIONS if command in build.LIMITED else None
        name = command.__name__.replace("_", "-")
        app.command(name=name, help=docstring(command), context_settings=settings)(command)


@cache
def _command() -> Any:
    """The program as a command of click; making it takes longer than many commands."""
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; every known error is one sentence on stderr."""
    streams.prepare()
    signals.listen()
    sys.exit(run(arguments, bounded=True))


def run(arguments: Sequence[str] | None = None, *, bounded: bool = False) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of this program.
    bounded : bool
        Whether statements run in a process of their own; see `tablebase.cli.statements`. It is forked, which only the
        program itself can allow.
    """
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        result = _command().main(words, prog_name="tablebase", standalone_mode=False, obj=Call(words, bounded))
        sys.stdout.flush()
        code = result if isinstance(result, int) else 0
        # Some versions of typer turn Ctrl-C into this exit code themselves.
        return _fail(signals.sentence(signal.SIGINT), code) if code == signals.INTERRUPTED else code
    except (streams.ReaderGoneError, BrokenPipeError):
        return 0
    except TablebaseError as fault:
        return _fail(str(fault), fault.exit_code)
    except UsageError as fault:
        return _fail(usage_sentence(fault), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _fail(signals.sentence(signal.SIGINT), signals.INTERRUPTED)
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
    with suppress(streams.ReaderGoneError, TablebaseError):
        sys.stdout.flush()
    sys.stderr.write(f"error: {sentence}\n")
    return code
