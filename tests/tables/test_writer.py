"""Writing: what is kept in memory until all of a table is compressed."""

from __future__ import annotations

import tracemalloc

import numpy as np
import zstandard

from tablebase.tables import parts

CHUNK = 1 << 16


def test_compressed_chunks_take_no_more_than_their_size() -> None:
    """Hundreds of thousands of them are kept until the table is written; zstandard returns room for the worst case with each."""
    chunks = [np.full(CHUNK, number, dtype=np.uint8) for number in range(100)]
    tracemalloc.start()
    try:
        frames = [parts.compressed(chunk, 3) for chunk in chunks]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100 * CHUNK / 50
    for chunk, frame in zip(chunks, frames, strict=True):
        assert zstandard.ZstdDecompressor().decompress(frame) == chunk.tobytes()
