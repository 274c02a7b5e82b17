"""Engines: programs that solve a compiled slice. All give the same codes, byte for byte."""

from __future__ import annotations

from importlib import import_module

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.slices.indexing import layout
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material
from tablebase.slices.pursuit import chase_fault as _chase_fault
from tablebase.solvers.compiled import CompiledSlice, Load, compile_slice
from tablebase.values import Codes, Coding

AUTO = "auto"
ENGINES = ("bitrow", "chase", "reference", "sweep")
MODULES = {"chase": "pursuit"}
"""Engines whose module has another name."""
WORD_BITS = 64
SMALL = 1 << 16
"""Indices of a table for which it does not pay to compile another engine."""


def choose_engine(game: Game, table: Material) -> tuple[str, str]:
    """The fastest engine for a table, and why it is that one."""
    if _chase_fault(game, table) is None:
        return "chase", "one piece runs and the others only step forwards"
    fault = _bitrow_fault(game, table)
    if fault is not None:
        return "reference", fault
    if layout(game, table).size < SMALL and any(kind.limit > 1 for kind in game.kinds):
        return "reference", "it is small, and other tables of the game have like pieces"
    return "bitrow", "a row of positions is one word"


def _bitrow_fault(game: Game, table: Material) -> str | None:
    """Why the engine bitrow cannot solve a table; None if it can."""
    if game.escape is not None:
        return "a piece can escape, which words do not tell"
    if table.advance:
        return "it is one of several tiers"
    if any(len(group.slots) > 1 for group in layout(game, table).groups):
        return "it has like pieces, which have no rows"
    if len(game.board) > WORD_BITS:
        return f"its board has more than {WORD_BITS} squares, the bits of a word"
    return None


_FAULTS = {"bitrow": _bitrow_fault, "chase": _chase_fault}
"""Engines that cannot solve every table."""


def engine_fault(engine: str, game: Game, table: Material) -> str | None:
    """Why an engine cannot solve a table; None if it can."""
    return _FAULTS[engine](game, table) if engine in _FAULTS else None


def check_engine(engine: str) -> None:
    """Raise `TablebaseError` for a name that is no engine."""
    if engine not in (AUTO, *ENGINES):
        raise TablebaseError(f"there is no engine {engine!r}: choose {', '.join((AUTO, *ENGINES))}")


def solve_table(game: Game, table: Material, load: Load, engine: str = AUTO) -> tuple[list[Codes], Coding, str]:
    """Solve a table's material.

    Parameters
    ----------
    game : Game
    table : Material
        One that has a table of its own.
    load : callable
        Gives codes and coding of a table, called with (table, side) for each capture.
    engine : str
        One of `ENGINES`, or ``auto``.

    Returns
    -------
    codes : list of ndarray
        One array of codes for each side to move that the table stores.
    coding : Coding
        Wider than one byte only if a distance needs it.
    engine : str
        The engine that did it.

    Raises
    ------
    TablebaseError
        If there is no such engine, it cannot solve this table, or a distance exceeds what two bytes hold.
    """
    check_engine(engine)
    if engine == AUTO:
        engine = choose_engine(game, table)[0]
    elif (fault := engine_fault(engine, game, table)) is not None:
        best = choose_engine(game, table)[0]
        raise TablebaseError(f"the engine {engine} cannot solve this table, for {fault}: use --engine {best}")
    solve = import_module(f"tablebase.solvers.{MODULES.get(engine, engine)}").solve
    problem = compile_slice(game, table, load)
    codes = solve(problem)
    if codes is None:
        problem = compile_slice(game, table, load, problem.coding.wider)
        codes = solve(problem)
    if codes is None:
        raise TablebaseError(f"a distance in this slice exceeds {problem.coding.reach} plies, more than a table can hold")
    return [codes[side] for side in sides_stored(game, table)], problem.coding, engine


__all__ = ["AUTO", "ENGINES", "CompiledSlice", "check_engine", "choose_engine", "compile_slice", "engine_fault", "solve_table"]
