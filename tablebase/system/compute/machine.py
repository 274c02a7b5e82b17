"""Machine resources of this process: processors and memory, within the limits of a container; and freed memory that it keeps."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

CONTROL_GROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
PEAK = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""
LARGEST = 32 << 20
"""Bytes up to which memory can be kept; glibc allows no more."""
KEPT = 512 << 20
"""Bytes of freed memory that each heap may keep."""


def cores() -> int:
    """Number of processors that this process may use: those it is bound to, and its share of time on them."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Microseconds of processor time that a control group gets, and within which time, as they are written.
    newer = (limit.partition(" ")[::2] for limit in _limits("cpu.max"))
    older = zip(_limits("cpu.cfs_quota_us", "cpu"), _limits("cpu.cfs_period_us", "cpu"), strict=False)
    shares = [int(quota) // int(period) for quota, period in (*newer, *older) if quota.isdigit() and int(period)]
    return max(1, min([bound, *shares]))


def default_workers() -> int:
    """One for each processor that this program may use."""
    return cores()


def memory() -> int:
    """Bytes of memory that this process may use."""
    # Loaded here so that help is instant.
    import psutil

    limits = [*_limits("memory.max"), *_limits("memory.limit_in_bytes", "memory")]
    return min([psutil.virtual_memory().total, *(int(limit) for limit in limits if limit.isdigit())])


def forget_peak() -> None:
    """Let `peak_memory` begin anew, where the system can."""
    with suppress(OSError):
        PEAK.write_text("5")


def peak_memory() -> int | None:
    """The most memory, in bytes, that this process has had since `forget_peak`; None where the system does not say."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)


def _limits(name: str, controller: str = "") -> Iterator[str]:
    """Yield the text of a control group file, for the group of this process and for all groups that hold it.

    Groups of version 2 have one hierarchy (`controller` is empty), those of version 1 one for each controller.
    """
    try:
        lines = MEMBERSHIP.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controller in controllers.split(","):
            path = Path(group.lstrip("/"))
            for folder in (path, *path.parents):
                try:
                    yield (CONTROL_GROUPS / controller / folder / name).read_text().strip()
                except OSError:
                    continue


def keep_freed_memory() -> None:
    """Let this process use memory that it has freed again, instead of returning it to the system.

    The system clears each page that it hands out, which work that makes arrays of the same sizes over and over need not wait for.
    Only glibc has to be told; other allocators keep memory by themselves.
    """
    # Imported here because few processes need it.
    import ctypes

    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, LARGEST)
        libc.mallopt(M_TRIM_THRESHOLD, KEPT)
