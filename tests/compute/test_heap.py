"""Memory that is freed and used again."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from tablebase.compute.machine import keep_freed_memory
if {keep}:
    keep_freed_memory()
for turn in range(40):
    if turn == 4:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    [np.ones(3 << 20, dtype=np.int8) for _ in range(9)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has to be told")
def test_arrays_get_the_pages_of_earlier_ones() -> None:
    """Only then does the system hand out no pages after the first turns."""
    faults = [
        int(subprocess.run([sys.executable, "-c", PROGRAM.format(keep=keep)], capture_output=True, check=True).stdout)
        for keep in (True, False)
    ]
    assert faults[0] < 100 < faults[1]
