"""Known numbers beside those computed here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tablebase.building.options import BuildOptions
from tablebase.building.plan import plan, start_material
from tablebase.building.slice_kind import make_materials
from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.system.compute.messages import say
from tablebase.system.executors.executor import Limits


def build_start(game: Game, folder: Path, workers: int = 1) -> None:
    """Build the table of the start and all that it depends on, unless they are there."""
    material = start_material(game)
    assert material is not None
    for _ in make_materials(game, plan(game, None, [material]), BuildOptions(folder, Limits(workers))):
        pass


def rows_of(board: str, known: NamedTuple | None, here: NamedTuple) -> list[dict[str, Any]]:
    """The rows of a table: known numbers, if there are any, then those computed here."""
    return [{"board": board, "source": source, **row._asdict()} for source, row in (("known", known), ("here", here)) if row]


def differences(board: str, known: NamedTuple, here: NamedTuple) -> list[str]:
    """A sentence for each number that differs; of the known ones, None has not been published."""
    pairs = zip(known._fields, known, here, strict=True)
    return [f"{board}: {name} is {ours} here, {theirs} is known" for name, theirs, ours in pairs if theirs not in (None, ours)]


def run(compare: Callable[[Path], list[str]], data: Path | None, equal: str) -> int:
    """Compare in a folder of tables, by default a temporary one, and print what differs, or the sentence `equal`.

    Returns the exit code.
    """
    try:
        with TemporaryDirectory() as scratch:
            found = compare(data or Path(scratch))
    except TablebaseError as error:
        say(f"error: {error}")
        return error.exit_code
    print("\n".join(found) or equal)
    return int(bool(found))
