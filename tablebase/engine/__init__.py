"""Engines: programs that solve a compiled slice. All give the same codes, byte for byte."""

from __future__ import annotations

from importlib import import_module

from tablebase.engine.compiled import CompiledSlice, Load, compile_slice
from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.material import Material, sides_stored
from tablebase.values import Codes, Coding

ENGINES = ("reference", "sweep")
DEFAULT_ENGINE = "reference"


def solve_table(game: Game, table: Material, load: Load, engine: str) -> tuple[list[Codes], Coding]:
    """Solve a table's material.

    Parameters
    ----------
    game : Game
    table : Material
        One that has a table of its own.
    load : callable
        Gives codes and coding of a table, called with (table, side) for each capture.
    engine : str
        One of `ENGINES`.

    Returns
    -------
    codes : list of ndarray
        One array of codes for each side to move that the table stores.
    coding : Coding
        Wider than one byte only if a distance needs it.
    """
    if engine not in ENGINES:
        raise TablebaseError(f"there is no engine {engine!r}: choose {' or '.join(ENGINES)}")
    solve = import_module(f"tablebase.engine.{engine}").solve
    problem = compile_slice(game, table, load)
    codes = solve(problem)
    if codes is None:
        problem = compile_slice(game, table, load, problem.coding.wider)
        codes = solve(problem)
    if codes is None:
        raise TablebaseError(f"a distance in this slice exceeds {problem.coding.reach} plies, more than a table can hold")
    return [codes[side] for side in sides_stored(game, table)], problem.coding


__all__ = ["DEFAULT_ENGINE", "ENGINES", "CompiledSlice", "compile_slice", "solve_table"]
