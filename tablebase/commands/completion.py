"""Completion in the shell: the two options that show and install it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from tablebase.errors import TablebaseError

VARIABLE = "_TABLEBASE_COMPLETE"
"""Variable of the environment by which a shell asks for completions."""
SCRIPTS = {
    "bash": (".bash_completions/tablebase.sh", ".bashrc", "source '{}'"),
    "zsh": (".zfunc/_tablebase", ".zshrc", "source '{}'"),
    "fish": (".config/fish/completions/tablebase.fish", "", ""),
}
"""Of each shell the file with the script, the file that it reads when it starts, and the line there; below the home folder."""


def _script(ctx: click.Context) -> tuple[str, str]:
    """The name of the shell and its script."""
    from click.shell_completion import get_completion_class

    name = Path(os.environ.get("SHELL", "")).name
    kind = get_completion_class(name)
    if kind is None or name not in SCRIPTS:
        raise TablebaseError(f"there is no completion for the shell '{name}': set SHELL to bash, zsh or fish")
    return name, kind(ctx.find_root().command, {}, "tablebase", VARIABLE).source()


def _show(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        sys.stdout.write(_script(ctx)[1] + "\n")
        ctx.exit()


def _install(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    name, script = _script(ctx)
    file, start, line = SCRIPTS[name]
    path = Path.home() / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    if start:
        read = Path.home() / start
        text = read.read_text(encoding="utf-8") if read.exists() else ""
        if line.format(path) not in text.splitlines():
            read.write_text(f"{text.rstrip()}\n{line.format(path)}\n".lstrip(), encoding="utf-8")
    sys.stdout.write(f"{name} completion installed in {path}\nCompletion will take effect once you restart the terminal\n")
    ctx.exit()


def eager(name: str, callback: Callable[[click.Context, click.Parameter, bool], None], text: str) -> click.Option:
    """An option of the program that does something instead of a command."""
    return click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=callback, help=text)


OPTIONS = (
    eager("--install-completion", _install, "Install completion for the current shell."),
    eager("--show-completion", _show, "Print the completion script for the current shell."),
)
"""The options about completion."""
