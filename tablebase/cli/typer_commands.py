"""Commands that are still described to typer; see `tablebase.commands.shell`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from tablebase.cli.plain_values import PlainValues
from tablebase.commands.shell import Exemplified
from tablebase.compute.modules import docstring

MODULES = {}
"""Each command and the module with its function."""
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class _Command(Exemplified, PlainValues, TyperCommand):
    """A command."""


def function_of(name: str) -> Any:
    """The function of a command."""
    return getattr(import_module(f"tablebase.cli.{MODULES[name]}"), name.replace("-", "_"))


def command_of(name: str) -> Any:
    """A command as typer makes it."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    function = function_of(name)
    app.command(name, cls=_Command, help=docstring(function), context_settings=SETTINGS)(function)
    return typer.main.get_command(app)
