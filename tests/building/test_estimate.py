"""What a plan takes: how much of everything, memory as measured, and what would never fit."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.program import ask_fresh

from tablebase.building import estimate as estimating
from tablebase.building import table_plan
from tablebase.building.estimate import ROW_FILES, WORKER_BYTES, SpeedModel, estimate, memory
from tablebase.building.jobs import Made
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.building.plan import plan
from tablebase.building.slice_kind import SliceTables
from tablebase.catalog.catalog import TableCost
from tablebase.errors import CapacityError
from tablebase.game import load_game
from tablebase.positions.material import Material, parse_material
from tablebase.system.compute import machine
from tablebase.system.executors.executor import Limits
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
PUBLISHED = {
    # From FACTS: slices, distinct ones, placements, placements in distinct slices.
    2: (64, 17, 160_068, 44_820),
    3: (448, 84, 54_355_896, 10_622_808),
    4: (1_680, 261, 9_685_376_064, 1_546_576_416),
    5: (4_256, 680, 1_141_509_180_672, 183_320_863_488),
}


def test_disk_space_from_an_empty_folder(three_pieces: Path) -> None:
    taken = {pieces: sum(file.stat().st_size for file in (three_pieces / f"doushouqi/{pieces}").iterdir()) for pieces in (2, 3)}
    # All 134 files of a whole build.
    taken[4] = 88_672_570
    for line in estimate(GAME, 4, []):
        assert line.disk == pytest.approx(taken[line.pieces], rel=0.1)


def test_estimates_are_the_published_numbers() -> None:
    lines = estimate(GAME, 5, [])
    assert {one.pieces: (one.slices, one.distinct, one.placements, one.distinct_placements) for one in lines} == PUBLISHED
    assert [one.tables for one in lines[:2]] == [10, 42]
    assert all(one.material is None for one in lines)


def test_disk_counts_what_is_stored() -> None:
    """CvW has 28 * 49 codes for either side to move; RvR, which is its own twin, 34 * 61 for one."""
    both, single = (estimate(GAME, None, [parse_material(GAME, name)])[0].disk for name in ("CvW", "RvR"))
    assert (both, single) == (int(ROW_FILES(2 * 28 * 49)), int(ROW_FILES(34 * 61)))


def cost(material: str, seconds: float | None, engine: str | None = "planes", codes: int = 1) -> TableCost:
    return TableCost(material, codes, 1000, seconds, engine)


def test_pace_is_the_median_over_codes() -> None:
    """A table for which kernels were compiled does not count more than its codes do; what nobody knows does not count."""
    one, other = parse_material(GAME, "CvC"), parse_material(GAME, "CWvD")
    plain = SpeedModel(GAME, factor=1)
    small, large = plain.seconds(one), plain.seconds(other)
    known = [cost("CvC", 100 * small), cost("CWvD", 3 * large, codes=5), cost("CWvD", 2 * large, codes=1)]
    unknown = [cost("CWvD", None, codes=99), cost("CWvD", 7.0, None, 99), cost("CWvD", 7.0, "steam", 99)]
    learnt = SpeedModel(GAME, known=[*known, *unknown])
    assert math.isclose(learnt.factor, 3)
    assert math.isclose(learnt.seconds(other), 3 * large)
    # It has more codes than all others together.
    learnt.learn(Made(other, "planes", large, large, None, 1000))
    assert math.isclose(learnt.factor, 1)


def test_builds_of_four_pieces_take_what_is_predicted() -> None:
    """Whole builds with one and two workers took 20 to 22 CPU-seconds, each divided by the time of the plain loop then."""
    pace = SpeedModel(GAME, factor=1)
    seconds = estimating.START + sum(map(pace.seconds, plan(GAME, 4, ())))
    assert 0.85 * 22 < seconds < 1.15 * 20


def test_nothing_is_learned_from_tables_that_were_there() -> None:
    """A worker that only waits for a file and checks its seal takes no CPU time worth speaking of, and long by the clock."""
    material = parse_material(GAME, "CWvD")
    model = SpeedModel(GAME, factor=1)
    before = model.wall([material])
    model.learn(Made(material, None, 0.0, 5.0, None, 1000))
    assert model.wall([material]) == before
    model.learn(Made(material, "planes", 1.0, 2.0, None, 1000))
    assert math.isclose(model.wall([material]), 2 * before)


def test_a_machine_that_was_not_measured_is_as_fast_as_its_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that takes three times as long stands for tables, a start and kernels that do, too."""
    material = parse_material(GAME, "CWvD")
    monkeypatch.setattr(estimating, "_loop_seconds", lambda: 3 * estimating.LOOP_SECONDS)
    estimating.machine_factor.cache_clear()
    assert math.isclose(SpeedModel(GAME).seconds(material), 3 * SpeedModel(GAME, factor=1).seconds(material))
    assert math.isclose(estimating.start_seconds(), 3 * estimating.START)
    monkeypatch.undo()
    estimating.machine_factor.cache_clear()


def test_a_former_solver_in_a_catalog() -> None:
    """What the lean mode took is learnt from, by the name that older catalogs have for it."""
    assert SpeedModel(GAME, known=[cost("CWvD", 1000.0, "lean")]).factor != SpeedModel(GAME).factor


def check(planned: Sequence[Material], folder: Path, limits: Limits, solver: str) -> None:
    kind = SliceTables(GAME)
    jobs = kind.jobs_of(planned, folder)
    plan = table_plan.plan_tables(kind, TableQuery(solver=solver), BuildOptions(folder, limits), jobs)
    plan.check_capacity(jobs, plan.costs())


def test_just_enough_memory(tmp_path: Path) -> None:
    planned = [parse_material(GAME, "RvC")]
    needed = memory(GAME, planned[0], allowed=0)
    assert needed <= memory(GAME, planned[0])
    # Both sides to move of 61 squares by 49.
    assert needed > 2 * 61 * 49
    check(planned, tmp_path, Limits(memory=needed), "auto")
    with pytest.raises(CapacityError) as caught:
        check(planned, tmp_path, Limits(memory=needed - 1), "auto")
    assert str(caught.value).startswith(f"RvC needs {needed:,} bytes of memory, but only {needed - 1:,} are available: ")
    assert (caught.value.needed, caught.value.allowed, caught.value.exit_code) == (needed, needed - 1, 3)


def test_too_small_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit the machine's memory counts; a limit is the user's word, who may know of more."""
    monkeypatch.setattr(machine, "memory", lambda: 2000)
    planned = [parse_material(GAME, "CvW")]
    check(planned, tmp_path, Limits(memory=10**15), "auto")
    with pytest.raises(
        CapacityError, match=r"^CvW needs [\d,]+ bytes of memory, but only 2,000 are available: use a machine with more memory"
    ):
        check(planned, tmp_path, Limits(), "auto")


def test_too_small_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = [parse_material(GAME, name) for name in ("CvW", "CvT")]
    sizes = [line.disk for line in estimate(GAME, None, planned)]
    monkeypatch.setattr(table_plan, "free_space", lambda _: sum(sizes) + 1)
    check(planned, tmp_path, Limits(), "auto")
    monkeypatch.setattr(table_plan, "free_space", lambda _: max(sizes))
    with pytest.raises(CapacityError) as caught:
        check(planned, tmp_path, Limits(), "auto")
    needed = f"{caught.value.needed:,} bytes on the disk of {tmp_path}, but only {max(sizes):,} are available: "
    assert str(caught.value).startswith(f"the build needs {needed}")
    assert caught.value.needed in (sum(sizes), sum(sizes) + 1)
    assert caught.value.exit_code == 3


CLEAR = Path("/proc/self/clear_refs")
PROGRAM = """
import ctypes
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from tablebase.game import load_game
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import parse_material
from tablebase.solvers.registry import find_solver, solve_material
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase.tables.writer import write_draft
from tablebase.tables.values import NARROW, NARROW_ANY, Value
from tablebase.checking.table import codes_to_check, verify_codes

game, solver, folder = load_game(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
coding = NARROW if game.escape is None else NARROW_ANY

def load(material, side):
    # What the children are worth does not matter to memory.
    code = 0 if game.escape is None else coding.code(Value("win", 3))
    return np.full(layout_of(game, material).size, code, dtype=coding.dtype), coding

def build(name):
    material = parse_material(game, name)
    codes, coding, _ = solve_material(game, material, load, solver, scratch=folder)
    draft = write_draft(table_path(folder, game, material), game, material, codes, coding)
    del codes
    with closing(Table(draft, game, material)) as table:
        codes = codes_to_check(table, find_solver(solver).memory(game, material))
        verify_codes(game, material, codes, coding, load)

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))

# The small slice loads all kernels. What loading or compiling them has freed would be used again, and not be counted.
build(sys.argv[4])
ctypes.CDLL(None).malloc_trim(0)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
build(sys.argv[5])
print(status("VmHWM") - before)
"""
SLICES = {
    "planes": ("doushouqi", "RCvW", "RCvWE"),
    "lean": ("doushouqi", "RCvW", "RCvWE"),
    "pursuit": ("foxhounds-10x10", "FvHHHHH@38", "FvHHHHH@22"),
    "groups": ("hexapawn-5x5", "PPPvPPP", "PPPPvPPPP"),
    "reference": ("foxhounds", "FvHHHH@23", "FvHHHH@14"),
}
LEAST = {"planes": 0.9, "lean": 0.9}
"""The least part of the estimate that is used, where it is more than a sixth."""
HEAP = 2 << 20
"""By how much the interpreter's own memory may grow meanwhile, or shrink where the system reclaims what is idle."""


@pytest.mark.full
@pytest.mark.skipif(not CLEAR.exists(), reason="needs /proc to measure the peak")
@pytest.mark.parametrize("solver", SLICES)
def test_the_peak_stays_below_the_estimate(solver: str, tmp_path: Path) -> None:
    """What a table needs beside the worker itself is less than `estimate` says, and more than a part of it."""
    name, small, large = SLICES[solver]
    said = ask_fresh(name, solver, tmp_path, small, large, program=PROGRAM)
    assert said.code == 0, said.err
    game = load_game(name)
    estimated = memory(game, parse_material(game, large), solver) - WORKER_BYTES
    assert estimated * LEAST.get(solver, 1 / 6) - HEAP < int(said.out) <= estimated + HEAP
