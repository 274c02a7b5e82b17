"""The command line. A module of commands is imported when one of its commands runs, or for the help of the program."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from tablebase.commands import process
from tablebase.commands.calls import ProgramCall, usage_sentence
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import HELP, Exemplified, command_of, summary
from tablebase.errors import CapacityError, TablebaseError, system_error
from tablebase.version import VERSION

VARIABLE = "_TABLEBASE_COMPLETE"
"""Variable of the environment by which a shell asks for completions."""
SCRIPTS = {
    "bash": (".bash_completions/tablebase.sh", ".bashrc", "source '{}'"),
    "zsh": (".zfunc/_tablebase", ".zshrc", "source '{}'"),
    "fish": (".config/fish/completions/tablebase.fish", "", ""),
}
"""Of each shell the file with the script, the file that it reads when it starts, and the line there; below the home folder."""


def commands() -> list[str]:
    """The names of all commands, in the order of the help."""
    return [verb.name for verb in VERBS.values() if verb.group]


class _Program(Exemplified, click.Group):
    """The program; its help describes commands without making them, which takes far longer."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return commands()

    def get_command(self, ctx: click.Context, cmd_name: str) -> Any:  # noqa: ARG002
        return command_of(cmd_name) if cmd_name in commands() else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in commands() and not ctx.resilient_parsing:
            near = ", ".join(map(repr, get_close_matches(args[0], commands())))
            raise click.UsageError(f"No such command {args[0]!r}." + f" Did you mean {near}?" * bool(near))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, commands()))
        for title in dict.fromkeys(verb.group for verb in VERBS.values() if verb.group):
            with formatter.section(title):
                verbs = [verb for verb in VERBS.values() if verb.group == title]
                formatter.write_dl([(f"{one.name:{width}}", f"{summary(one).partition('. ')[0].rstrip('.')}.") for one in verbs])


def _completion(ctx: click.Context) -> tuple[str, str]:
    from click.shell_completion import get_completion_class

    name = Path(os.environ.get("SHELL", "")).name
    kind = get_completion_class(name)
    if kind is None or name not in SCRIPTS:
        raise TablebaseError(f"completion does not support the shell '{name}': set SHELL to bash, zsh or fish")
    return name, kind(ctx.find_root().command, {}, "tablebase", VARIABLE).source()


def _install(ctx: click.Context) -> str:
    name, script = _completion(ctx)
    file, start, line = SCRIPTS[name]
    path = Path.home() / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    read = Path.home() / start
    text = read.read_text(encoding="utf-8") if read.is_file() else ""
    if start and line.format(path) not in text.splitlines():
        read.write_text(f"{text.rstrip()}\n{line.format(path)}\n".lstrip(), encoding="utf-8")
    return f"{name} completion installed in {path}\nCompletion will take effect once you restart the terminal"


def _eager(name: str, answer: Callable[[click.Context], str], text: str) -> click.Option:
    def show(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
        if wanted:
            sys.stdout.write(f"{answer(ctx)}\n")
            ctx.exit()

    return click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=show, help=text)


program = _Program(
    "tablebase",
    help="Generate, verify and query endgame tablebases for small board games.",
    params=[
        _eager("--version", lambda _: f"tablebase {VERSION}", "Show the version and exit."),
        _eager("--install-completion", _install, "Install completion for the current shell."),
        _eager("--show-completion", lambda ctx: _completion(ctx)[1], "Print the completion script for the current shell."),
    ],
    no_args_is_help=True,
    context_settings={"help_option_names": list(HELP)},
)
"""The program as a command of click."""


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

    If it is `bounded`, statements run in a forked process, which only the program itself can allow; see `process.run_statement`.
    """
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        result = program.main(words, "tablebase", complete_var=VARIABLE, standalone_mode=False, obj=ProgramCall(words, bounded))
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (process.ReaderGoneError, BrokenPipeError):
        return 0
    except TablebaseError as error:
        return _fail(str(error), error.exit_code)
    except click.ClickException as error:
        return _fail(usage_sentence(error), 2)
    except (KeyboardInterrupt, click.Abort):
        return _fail(process.sentence(signal.SIGINT), process.INTERRUPTED)
    except SystemExit as error:
        # From code that is not ours, such as a rules module.
        status = error.code or 0
        return status if isinstance(status, int) else _fail(status, 1)
    except MemoryError:
        return _fail("out of memory: use fewer --workers or a smaller --memory", CapacityError.exit_code)
    except OSError as failure:
        refused = system_error(failure)
        return _fail(str(refused), refused.exit_code)


def _fail(sentence: str, code: int) -> int:
    # What has been written so far is still wanted, but the first error is the one to report.
    with suppress(process.ReaderGoneError, TablebaseError):
        sys.stdout.flush()
    sys.stderr.write(f"error: {sentence}\n")
    return code
