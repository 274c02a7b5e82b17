"""Decompressed chunks of open files, of which the most recent are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from numpy.typing import NDArray

from tablebase.system.compute.processes import fork_safe

CACHED_BYTES = 1 << 28
"""Of decompressed chunks."""
_lock = fork_safe(threading.Lock())
"""One for all, since only a lock that lives as long as the process can be taken at a fork. Who holds it takes no other."""


class CachedChunks:
    """Recent chunks, with a memory limit in bytes; can be used from several threads and in forked processes."""

    def __init__(self, most: int | None = None) -> None:
        """Keep so many bytes, by default `CACHED_BYTES`."""
        self.most = CACHED_BYTES if most is None else most
        self.bytes = 0
        self._chunks: OrderedDict[Hashable, NDArray[Any]] = OrderedDict()

    def get(self, key: Hashable, read: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """The chunk of a key, which names it among all files: as it was kept, or else as it is read now."""
        with _lock:
            chunk = self._chunks.get(key)
            if chunk is not None:
                self._chunks.move_to_end(key)
                return chunk
        chunk = read()
        with _lock:
            # Another thread may have been faster.
            if key not in self._chunks:
                self._chunks[key] = chunk
                self.bytes += chunk.nbytes
            while self.bytes > self.most:
                _, oldest = self._chunks.popitem(last=False)
                self.bytes -= oldest.nbytes
        return chunk

    def clear(self) -> None:
        """Keep none any more."""
        with _lock:
            self._chunks.clear()
            self.bytes = 0
