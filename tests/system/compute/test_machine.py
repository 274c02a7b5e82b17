"""What a process may use of its machine, within the limits of containers."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tablebase.system.compute import machine

TOTAL = 64 << 30
CORES = 8


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    memory = psutil.virtual_memory()
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory._replace(total=TOTAL))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(CORES)), raising=False)
    monkeypatch.setattr(machine, "CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(machine, "MEMBERSHIP", tmp_path / "membership")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_without_limits_all_of_the_machine(groups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (machine.cores(), machine.memory()) == (CORES, TOTAL)
    write(groups / "membership", "0::/\n")
    write(groups / "memory.max", "max\n")
    write(groups / "cpu.max", "max 100000\n")
    assert (machine.cores(), machine.memory()) == (CORES, TOTAL)
    # As taskset binds a process.
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert machine.cores() == 1


@pytest.mark.parametrize(("quota", "cores"), [("100000", 1), ("250000", 2), ("50000", 1), ("9900000", CORES)])
def test_groups_of_version_2(quota: str, cores: int, groups: Path) -> None:
    """The smallest limit of the group and of those that hold it counts; less than one processor is one."""
    write(groups / "membership", "0::/system/build\n")
    write(groups / "system/build/memory.max", f"{3 << 30}\n")
    write(groups / "system/memory.max", f"{2 << 30}\n")
    write(groups / "system/cpu.max", f"{quota} 100000\n")
    assert (machine.cores(), machine.memory()) == (cores, 2 << 30)


def test_groups_of_version_1(groups: Path) -> None:
    """Each controller has a hierarchy of its own; -1 and an enormous number limit nothing."""
    write(groups / "membership", "5:memory:/docker/a\n4:cpu,cpuacct:/docker/b\n")
    write(groups / "memory/docker/a/memory.limit_in_bytes", f"{1 << 30}\n")
    write(groups / "memory/memory.limit_in_bytes", "9223372036854771712\n")
    write(groups / "cpu/docker/b/cpu.cfs_quota_us", "300000\n")
    write(groups / "cpu/docker/b/cpu.cfs_period_us", "100000\n")
    write(groups / "cpu/docker/cpu.cfs_quota_us", "-1\n")
    write(groups / "cpu/docker/cpu.cfs_period_us", "100000\n")
    assert (machine.cores(), machine.memory()) == (3, 1 << 30)


PROGRAM = """
import resource
import numpy as np
from tablebase.system.compute.machine import keep_freed_memory
if {keep}:
    keep_freed_memory()
for turn in range(40):
    if turn == 4:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    [np.ones(3 << 20, dtype=np.int8) for _ in range(9)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.release
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has to be told")
def test_arrays_get_the_pages_of_earlier_ones() -> None:
    """Only then does the system hand out no pages after the first turns."""
    errors = [
        int(subprocess.run([sys.executable, "-c", PROGRAM.format(keep=keep)], capture_output=True, check=True).stdout)
        for keep in (True, False)
    ]
    assert errors[0] < 100 < errors[1]
