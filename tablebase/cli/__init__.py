"""The command line. Commands import what they need only when they run, so that help is instant."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence

import typer

from tablebase.cli import build, catalog, count, games, mine, patterns, play, plot, probe, verify
from tablebase.errors import CapacityError, TablebaseError

INTERRUPTED = 130
INTERRUPT = "interrupted; a build or an export resumes when it is started again"

app = typer.Typer(
    name="tablebase",
    help="Solve small board games, store the value of every position, and look it up.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for module in (games, build, probe, play, count, catalog, mine, patterns, plot, verify):
    for command in module.COMMANDS:
        app.command(name=command.__name__.replace("_", "-"))(command)

# ClickException, whose place within typer depends on the version.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; every known error is one sentence on stderr."""
    signal.signal(signal.SIGINT, _stop)
    sys.exit(run(arguments, bounded=True))


def _stop(*_: object) -> None:
    """Exit at once: Python may ignore an exception raised here, and an exit never leaves a half-written table."""
    for child in multiprocessing.active_children():
        child.kill()
    os.write(2, f"\nerror: {INTERRUPT}\n".encode())
    os._exit(INTERRUPTED)


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
        result = typer.main.get_command(app).main(words, prog_name="tablebase", standalone_mode=False, obj=bounded)
        sys.stdout.flush()
        code = result if isinstance(result, int) else 0
        # Some versions of typer turn Ctrl-C into this exit code themselves.
        return _fail(INTERRUPT, INTERRUPTED) if code == INTERRUPTED else code
    except TablebaseError as fault:
        return _fail(str(fault), fault.exit_code)
    except _UsageError as fault:
        # Some messages list choices on separate lines, and some begin with the name of an exception.
        sentence = " ".join(fault.format_message().split())  # type: ignore[attr-defined]
        return _fail(sentence.replace("Value error, ", ""), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _fail(INTERRUPT, INTERRUPTED)
    except (BrokenPipeError, SystemExit):
        # The reader closed the pipe (typer makes that a SystemExit); keep Python from reporting it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        return _fail("out of memory: use fewer --workers or a smaller --memory", CapacityError.exit_code)
    except OSError as fault:
        where = f" ({fault.filename})" if fault.filename else ""
        full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
        cure = "free some space or name another folder with --data" if full else "name another folder with --data"
        return _fail(f"{fault.strerror or fault}{where}: {cure}", CapacityError.exit_code if full else 2)


def _fail(sentence: str, code: int) -> int:
    sys.stderr.write(f"error: {sentence}\n")
    return code
