"""The half of commands that are still described to typer; see `tablebase.commands.shell`."""

from tablebase.compute.modules import lazy

__getattr__ = lazy(__name__, dict.fromkeys(("main", "run"), "tablebase.commands.program"))
