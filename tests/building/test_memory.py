"""What `estimate` says of memory, held against the peak of a process that solves, writes and verifies a table."""

from pathlib import Path

import pytest
from support.program import ask_fresh

from tablebase.building.estimate import WORKER_BYTES, memory
from tablebase.game import load_game
from tablebase.slices.material import parse_material

CLEAR = Path("/proc/self/clear_refs")
PROGRAM = """
import ctypes
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from tablebase.game import load_game
from tablebase.slices.indexing import layout_of
from tablebase.slices.material import parse_material
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
