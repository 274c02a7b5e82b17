"""What the allocator does with memory that is freed."""

from __future__ import annotations

import ctypes
import platform

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""
LARGEST = 32 << 20
"""Bytes up to which memory can be kept; glibc allows no more."""
KEPT = 512 << 20
"""Bytes of freed memory that each heap may keep."""


def keep_freed_memory() -> None:
    """Let this process use memory that it has freed again, instead of returning it to the system.

    The system clears each page that it hands out, which work that makes arrays of the same sizes over and over need not wait for.
    Only glibc has to be told; other allocators keep memory by themselves.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, LARGEST)
        libc.mallopt(M_TRIM_THRESHOLD, KEPT)
