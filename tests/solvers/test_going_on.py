"""Solvers that are stopped after any distance or row, and go on from their checkpoint to the same codes."""

import gc
import os
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, thinned
from support.faults import EveryDistance, StoppedError
from support.program import SOLVERS, flip
from support.solved import Solved

from tablebase.game import Game, load_game
from tablebase.positions.material import parse_material
from tablebase.solvers import pursuit, registry
from tablebase.solvers.planes import lean
from tablebase.solvers.planes import log as logs
from tablebase.solvers.planes import solve as planes_solver
from tablebase.solvers.problem import CompiledSlice, checkpoint_in, compile_slice
from tablebase.solvers.registry import find_solver, solve_material
from tablebase.system.compute import jit, threads
from tablebase.tables import checkpoints
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.values import NARROW, Coding

POND, SHELTER = toys.pond(), toys.shelter("win")
WIDE = NARROW.wider
SAVING = [engine for engine in SOLVERS if engine != "reference"]
CASES = [(engine, POND, "RTvRL", NARROW) for engine in SAVING]
# There the solver of groups looks at all rows just once.
CASES += [(engine, SHELTER, "AvXY", NARROW) for engine in SAVING if engine != "groups"]
CASES += [(engine, POND, "RTvRL", WIDE) for engine in ("planes", "lean")]
CASES += [("groups", toys.hunt(), "HHvFC", Coding(2, "uint8"))]
# Several parts for threads, and several of the log.
IN_PARTS = [(engine, POND, "RTLvRT", NARROW) for engine in ("planes", "lean")]
# Rows in several stretches, one after another and for threads.
IN_PARTS += [("pursuit", load_game("foxhounds-6x6"), "FvHHH@8", coding) for coding in (NARROW, WIDE)]
FEWEST = {"groups": 4}
"""Saves, at least, of a solver that settles several distances at once."""
LARGE = ("pursuit", load_game("foxhounds-8x8"), "FvHHHH@12", NARROW)


def identity(case: tuple[str, Game, str, Coding]) -> str:
    engine, game, name, coding = case
    return f"{engine}-{game.name}-{name}-{coding.dtype}"


@pytest.fixture(autouse=True)
def _unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk take its time: processes are not killed here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(autouse=True)
def _short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pursuits ask for a checkpoint several times, as large ones do."""
    monkeypatch.setattr(pursuit, "STRETCH", 17)
    monkeypatch.setattr(pursuit, "GRAIN", 8)


def problem_of(solved: Solved, game: Game, name: str, coding: Coding) -> CompiledSlice:
    return compile_slice(game, parse_material(game, name), solved(game).load, coding)


def solve(engine: str, problem: CompiledSlice, checkpoint: Any) -> list[bytes]:
    solver = find_solver(engine)
    assert solver is not None
    codes = solver.solve(replace(problem, checkpoint=checkpoint))
    assert codes is not None
    return [np.asarray(source).tobytes() for source in codes]


@pytest.mark.parametrize(
    ("engine", "game", "name", "coding"),
    [
        *thinned((pytest.param(*case, id=identity(case)) for case in CASES), 3),
        *(pytest.param(*case, id=identity(case), marks=pytest.mark.release) for case in IN_PARTS),
        pytest.param(*LARGE, marks=pytest.mark.release),
    ],
)
def test_stopped_after_any_distance(solved: Solved, engine: str, game: Game, name: str, coding: Coding, tmp_path: Path) -> None:
    """Another try does just the distances that are left, and finds the same codes; saving changes none either."""
    problem = problem_of(solved, game, name, coding)
    every = EveryDistance(tmp_path / "undisturbed.h5")
    expected = solve(engine, problem, every)
    assert expected == solve(engine, problem, registry.NO_CHECKPOINT)
    for stop in at_least_one(range(1, every.saves + 1)):
        table = tmp_path / f"{stop}.h5"
        with pytest.raises(StoppedError):
            solve(engine, problem, EveryDistance(table, stop))
        rest = EveryDistance(table)
        assert solve(engine, problem, rest) == expected
        assert rest.saves == every.saves - stop
    assert every.saves >= FEWEST.get(engine, 6)


@pytest.mark.full
@pytest.mark.parametrize(("engine", "game", "name", "coding"), IN_PARTS, ids=map(identity, IN_PARTS))
def test_stopped_again_and_again(solved: Solved, engine: str, game: Game, name: str, coding: Coding, tmp_path: Path) -> None:
    """One distance at a try, with three threads where a solver has use for them."""
    problem = problem_of(solved, game, name, coding)
    expected = solve(engine, problem, registry.NO_CHECKPOINT)
    for tries in count():
        try:
            with threads.use(1 + 2 * (tries % 2)):
                codes = solve(engine, problem, EveryDistance(tmp_path / "RvC.h5", 1))
        except StoppedError:
            continue
        break
    assert codes == expected
    assert tries >= FEWEST.get(engine, 6)


def test_what_has_been_looked_up_is_not_looked_up_again(solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures are in the checkpoint."""
    problem = problem_of(solved, POND, "RTvRL", NARROW)
    looked = []
    for module in (planes_solver, lean):
        look = module.look
        monkeypatch.setattr(module, "look", lambda *arguments, look=look: (looked.append(1), look(*arguments)))
    for engine in ("planes", "lean"):
        with pytest.raises(StoppedError):
            solve(engine, problem, EveryDistance(tmp_path / f"{engine}.h5", 3))
        assert looked
        looked.clear()
        solve(engine, problem, EveryDistance(tmp_path / f"{engine}.h5"))
        assert not looked


def test_other_work_is_not_gone_on_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another solver, other kernels, other codes."""
    checkpoint = TableCheckpoint(tmp_path / "RvC.h5", "rules")

    def key(coding: Coding = NARROW, solver: str = "planes") -> str:
        return checkpoint_in(coding, checkpoint, solver).key

    keys = {key(), key(WIDE), key(Coding(2, "uint8")), key(solver="lean")}
    assert key() in keys
    monkeypatch.setattr(jit, "KERNELS", "kernels-0123")
    assert len(keys | {key()}) == 5


def test_the_longest_distance_is_not_forgotten(solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If rows before the checkpoint have a distance that does not fit, the pursuit solver says so when it goes on."""
    problem = problem_of(solved, load_game("foxhounds-6x6"), "FvHHH@8", NARROW)
    rows = pursuit._solve_rows
    with monkeypatch.context() as patch:
        patch.setattr(pursuit, "_solve_rows", lambda *given: NARROW.reach + 1 if given[2] == 0 else rows(*given))
        with pytest.raises(StoppedError):
            solve("pursuit", problem, EveryDistance(tmp_path / "FvHHH.h5", 3))
    assert pursuit.solve(replace(problem, checkpoint=EveryDistance(tmp_path / "FvHHH.h5"))) is None


@pytest.mark.parametrize("damage", ["the first byte", "the last byte", "the end", "all", "more"])
def test_with_a_damaged_log_all_begins_again(solved: Solved, damage: str, tmp_path: Path) -> None:
    """To the same codes; but what a log has beyond the checkpoint, as a process that is killed may leave it, is dropped."""
    table = tmp_path / "RvC.h5"
    problem = problem_of(solved, POND, "RTvRL", NARROW)
    with pytest.raises(StoppedError):
        solve("lean", problem, EveryDistance(table, 4))
    log = EveryDistance(table).log
    whole = log.read_bytes()
    if damage == "all":
        log.unlink()
    elif damage in ("the end", "more"):
        log.write_bytes(whole[:-1] if damage == "the end" else whole + b"half an entry")
    else:
        flip(log, 0 if damage == "the first byte" else len(whole) - 1)
    undisturbed, again = EveryDistance(tmp_path / "RvE.h5"), EveryDistance(table)
    assert solve("lean", problem, again) == solve("lean", problem, undisturbed)
    assert undisturbed.saves > 4
    assert again.saves == undisturbed.saves - (4 if damage == "more" else 0)


@pytest.mark.parametrize("error", ["room", "write"])
def test_without_room_for_its_log_there_is_no_checkpoint(
    solved: Solved, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work goes on, and nothing is left behind."""
    problem = problem_of(solved, POND, "RTvRL", NARROW)
    expected = solve("lean", problem, registry.NO_CHECKPOINT)

    if error == "room":
        monkeypatch.setattr(logs, "disk_usage", lambda _: SimpleNamespace(free=0))
    else:
        monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError))
    checkpoint = EveryDistance(tmp_path / "RvC.h5")
    assert solve("lean", replace(problem, scratch=tmp_path), checkpoint) == expected
    assert checkpoint.saves == 0
    gc.collect()
    assert not checkpoint.path.exists()
    assert checkpoint.log.exists() == (error == "write")


def test_the_wider_codes_go_on_by_themselves(solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A try in one byte is neither taken for one in two, nor made again once those have been saved."""
    game = toys.odometer(10, 13)
    material = parse_material(game, "HGvY")
    tables = solved(game)
    expected, _ = tables.table(material)
    monkeypatch.setattr(checkpoints, "INTERVAL", 0)
    saved: list[tuple[str, int]] = []
    wide = checkpoint_in(WIDE, TableCheckpoint(tmp_path / "HGvY.h5", "rules"), "planes").key
    stop_at: tuple[str, int] | None = None
    save = TableCheckpoint.save

    def note(self: TableCheckpoint, numbers: dict[str, Any], arrays: Any) -> None:
        save(self, numbers, arrays)
        saved.append(("uint16" if self.key == wide else "uint8", numbers["level"]))
        if saved[-1] == stop_at:
            raise StoppedError

    monkeypatch.setattr(TableCheckpoint, "save", note)
    checkpoint = TableCheckpoint(tmp_path / "HGvY.h5", "rules")

    def run() -> list[tuple[str, int]]:
        saved.clear()
        codes, coding, _ = solve_material(game, material, tables.load, "planes", checkpoint=checkpoint)
        assert coding == NARROW.wider
        assert all(np.array_equal(one, other) for one, other in zip(codes, expected, strict=True))
        return saved.copy()

    whole = [("uint8", level) for level in range(1, NARROW.reach + 2)]
    for place in (("uint8", 200), ("uint16", 1), ("uint16", 255)):
        stop_at = place
        with pytest.raises(StoppedError):
            run()
    stop_at = None
    rest = run()
    assert rest[0] == ("uint16", 256)
    assert {dtype for dtype, _ in rest} == {"uint16"}
    checkpoints.discard(tmp_path / "HGvY.h5")
    undisturbed = run()
    assert undisturbed[: len(whole)] == whole
    assert undisturbed[-len(rest) :] == rest
    assert undisturbed[len(whole)] == ("uint16", 1)
