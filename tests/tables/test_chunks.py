"""Datasets with chunks of Zstandard: the same bytes with and without HDF5's plugin, which reads them."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
import pytest
import zstandard

from tablebase.tables.parts import LEVELS, compressed, content_bytes, decompressed, filters_of, framed, new_dataset

WRITE = """
import sys
import h5py
import numpy as np
from tablebase.tables.parts import framed, new_dataset
with h5py.File(sys.argv[1], "w", libver=("v110", "v110")) as file:
    data = new_dataset(file, "w", 250, "uint16", 100, 7)
    for place, frame in enumerate(framed(100, 7, np.arange(250, dtype=np.uint16))[1]):
        data.id.write_direct_chunk((100 * place,), frame)
print("hdf5plugin" in sys.modules)
"""
"""Writes a dataset of three chunks, in a process of its own; says whether the plugin was loaded."""


def test_the_plugin_reads_and_makes_the_same(tmp_path: Path) -> None:
    """Byte by byte, in a process that has not loaded the plugin, and in one that has."""
    command = [sys.executable, "-c", WRITE, str(tmp_path / "without.h5")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "False\n"
    values = np.arange(250, dtype=np.uint16)
    made = [lambda file: new_dataset(file, "w", 250, "uint16", 100, 7)]
    made.append(lambda file: file.create_dataset("w", (250,), "uint16", chunks=(100,), **hdf5plugin.Zstd(clevel=7)))
    for number, make in enumerate(made):
        path = tmp_path / f"{number}.h5"
        with h5py.File(path, "w", libver=("v110", "v110")) as file:
            data = make(file)
            for place, frame in enumerate(framed(100, 7, values)[1]):
                data.id.write_direct_chunk((100 * place,), frame)
        assert path.read_bytes() == (tmp_path / "without.h5").read_bytes()
    with h5py.File(tmp_path / "without.h5", "r") as file:
        assert (file["w"][:] == values).all()


def test_every_level_has_a_form() -> None:
    """From 1 to 22, with that level as the only filter's option."""
    with h5py.File(LEVELS, "r") as file:
        options = {name: data.id.get_create_plist().get_filter(0)[2] for name, data in file.items()}
        assert options == {str(level): (level,) for level in range(1, zstandard.MAX_COMPRESSION_LEVEL + 1)}
        assert all(filters_of(data.id) == [32015] for data in file.values())


def test_what_is_compressed_is_what_is_decompressed() -> None:
    """The frame says how much it holds; another one behind it is refused."""
    values = np.arange(1000, dtype="<f8")
    frame = compressed(values, 3)
    assert content_bytes(frame) == 8000
    assert decompressed(frame) == values.tobytes()
    with pytest.raises(zstandard.ZstdError):
        decompressed(frame + frame)


def test_the_last_chunk_is_padded() -> None:
    """With zeros; the values stay as they are."""
    values, frames = framed(4, 3, np.arange(1, 7, dtype=np.uint8))
    assert values.tolist() == [1, 2, 3, 4, 5, 6]
    assert b"".join(map(decompressed, frames)) == bytes([1, 2, 3, 4, 5, 6, 0, 0])


def test_compressed_chunks_take_no_more_than_their_size() -> None:
    """Hundreds of thousands of them are kept until the table is written; zstandard returns room for the worst case with each."""
    size = 1 << 16
    chunks = [np.full(size, number, dtype=np.uint8) for number in range(100)]
    tracemalloc.start()
    try:
        frames = [compressed(chunk, 3) for chunk in chunks]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 100 * size / 50
    for chunk, frame in zip(chunks, frames, strict=True):
        assert zstandard.ZstdDecompressor().decompress(frame) == chunk.tobytes()
