"""Forms of tables: other chunks and another compression, but the same codes, and back to the same bytes."""

import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
import pytest
import zstandard
from support.program import SEAL, drafts, reseal

from tablebase.errors import CorruptTableError
from tablebase.game import load_game
from tablebase.positions.material import parse_material
from tablebase.system.files.outputs import publish
from tablebase.tables import cached_chunks, header
from tablebase.tables.folder import check_seal, table_path, title
from tablebase.tables.hdf5 import LEVELS, compressed, content_bytes, decompressed, filters_of, framed, new_dataset
from tablebase.tables.header import BUILT, FORMS, PACKED, Form
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.writer import rewrite_draft

GAME = load_game("doushouqi")
MATERIAL = parse_material(GAME, "CEvT")
SMALL = Form(10_000, 1)
"""Of which a table of three pieces has several chunks."""


@pytest.fixture
def table(three_pieces: Path) -> Iterator[Table]:
    with closing(Table(table_path(three_pieces, GAME, MATERIAL), GAME, MATERIAL)) as built:
        assert built.layout.size > built.header.chunk
        yield built


def rewritten(table: Table, folder: Path, form: Form) -> Table:
    path = table_path(folder, GAME, MATERIAL)
    publish(rewrite_draft(path, table, form), path)
    return Table(path, GAME, MATERIAL)


@pytest.mark.parametrize("form", [PACKED, SMALL], ids=["packed", "small"])
def test_a_table_is_the_same_in_every_form(form: Form, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header, "FORMS", (*FORMS, form))
    with closing(rewritten(table, tmp_path / "other", form)) as other:
        with h5py.File(other.path, "r") as file:
            assert {file[name].chunks for name in file} == {(other.header.chunk,)}
        assert other.header.chunk == min(form.chunk_bytes, table.layout.size) != table.header.chunk
        assert (other.header.summaries, other.header.values_sha256) == (table.header.summaries, table.header.values_sha256)
        check_seal(other.path, title(GAME, MATERIAL))
        places = np.array([70, 9_999, 10_000, 65_535, 65_536, table.layout.size - 1, 70])
        with closing(Store(tmp_path / "other")) as cached:
            for side in (0, 1):
                codes = table.read(side)
                assert other.read(side).tolist() == codes.tolist()
                assert other.at(side, places).tolist() == codes[places].tolist()
                assert [cached.code(other, side, place) for place in places.tolist()] == codes[places].tolist()
        with closing(rewritten(other, tmp_path / "back", BUILT)) as back:
            assert back.path.read_bytes() == table.path.read_bytes()


def test_wrong_values_are_not_written_again(table: Table, tmp_path: Path) -> None:
    forged = table_path(tmp_path, GAME, MATERIAL)
    forged.parent.mkdir(parents=True)
    forged.write_bytes(table.path.read_bytes())
    with h5py.File(forged, "r+") as file:
        file.attrs["values_sha256"] = np.bytes_(b"0" * 64)
    reseal(forged)
    with closing(Table(forged, GAME, MATERIAL)) as wrong, pytest.raises(CorruptTableError, match="does not contain the values"):
        rewrite_draft(tmp_path / "again.h5", wrong, PACKED)
    assert drafts(tmp_path) == []


def test_both_sides_have_one_form(table: Table, tmp_path: Path) -> None:
    path = table_path(tmp_path, GAME, MATERIAL)
    path.parent.mkdir(parents=True)
    path.write_bytes(table.path.read_bytes())
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        codes, attributes = file["w"][:], dict(file["w"].attrs)
        del file["w"]
        made = file.create_dataset("w", data=codes, chunks=codes.shape, **hdf5plugin.Zstd(clevel=3))
        for name, value in attributes.items():
            made.attrs[name] = value
    reseal(path)
    assert path.stat().st_size > SEAL
    with pytest.raises(CorruptTableError, match="datasets differ in the size of their chunks"):
        Table(path, GAME, MATERIAL)


def test_cached_chunks_are_bounded_by_bytes(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large they are, and however often they are read."""
    limit = table.header.chunk + table.layout.size % table.header.chunk
    monkeypatch.setattr(cached_chunks, "CACHED_BYTES", limit)
    places = [0, table.layout.size - 1] * 3
    with closing(Store(table.path.parents[2])) as cached:
        for side in (0, 1):
            for place in places:
                assert cached.code(table, side, place) == table.at(side, np.array([place]))[0]
                assert cached.chunks.bytes == sum(chunk.nbytes for chunk in cached.chunks._chunks.values()) <= limit
        assert {key[2] for key in cached.chunks._chunks} == {1}
        assert len(cached.chunks._chunks) == 2


WRITE = """
import sys
import h5py
import numpy as np
from tablebase.tables.hdf5 import framed, new_dataset
with h5py.File(sys.argv[1], "w", libver=("v110", "v110")) as file:
    data = new_dataset(file, "w", 250, "uint16", 100, 7)
    for place, frame in enumerate(framed(100, 7, np.arange(250, dtype=np.uint16))[1]):
        data.id.write_direct_chunk((100 * place,), frame)
print("hdf5plugin" in sys.modules)
"""
"""Writes a dataset of three chunks, in a process of its own; says whether the plugin was loaded."""


def test_the_plugin_reads_and_makes_the_same(tmp_path: Path) -> None:
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
    with h5py.File(LEVELS, "r") as file:
        options = {name: data.id.get_create_plist().get_filter(0)[2] for name, data in file.items()}
        assert options == {str(level): (level,) for level in range(1, zstandard.MAX_COMPRESSION_LEVEL + 1)}
        assert all(filters_of(data.id) == [32015] for data in file.values())


def test_what_is_compressed_is_what_is_decompressed() -> None:
    values = np.arange(1000, dtype="<f8")
    frame = compressed(values, 3)
    assert content_bytes(frame) == 8000
    assert decompressed(frame) == values.tobytes()
    with pytest.raises(zstandard.ZstdError):
        decompressed(frame + frame)
    # The last chunk is padded with zeros.
    same, frames = framed(4, 3, np.arange(1, 7, dtype=np.uint8))
    assert same.tolist() == [1, 2, 3, 4, 5, 6]
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
