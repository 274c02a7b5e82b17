"""One table, one file: what is written is read, and whatever happens to the file is noticed."""

import hashlib
import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401 (gives h5py the compression)
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one
from support.program import SEAL, flip, open_files

from tablebase.errors import CorruptTableError, StaleTableError, TablebaseError
from tablebase.game import Outcome, load_game
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import sides_stored
from tablebase.positions.material import Material, parse_material
from tablebase.system.compute import threads
from tablebase.system.files.outputs import publish
from tablebase.tables import cached_chunks, header, reader, store, writer
from tablebase.tables.code_kernels import last_code
from tablebase.tables.folder import check_seal, table_path, title
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.summary import CodeTally, LayoutCounts
from tablebase.tables.values import FULL, NARROW, Codes, Coding, Value
from tablebase.tables.writer import fill_void, write_draft
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
RATS = parse_material(GAME, "RvR")
LONG = parse_material(GAME, "CWvD")
CODINGS = [NARROW, Coding(1, "uint16"), Coding(2, "uint8"), FULL]


def random_codes(material: Material, coding: Coding, seed: int = 1) -> list[Codes]:
    own = layout_of(GAME, material)
    random = np.random.default_rng(seed)
    legal = own.squares_many(np.arange(own.size))[1]
    any_codes = [random.integers(0, coding.void, own.size, dtype=coding.dtype) for _ in sides_stored(GAME, material)]
    return [np.where(legal, codes, np.array(coding.void, dtype=coding.dtype)) for codes in any_codes]


def written(folder: Path, material: Material, codes: list[Codes], coding: Coding = NARROW) -> Path:
    path = table_path(folder, GAME, material)
    publish(write_draft(path, GAME, material, codes, coding), path)
    return path


def filled(codes: Codes, void: int, before: int) -> list[int]:
    found = []
    for code in codes.tolist():
        before = before if code == void else code
        found.append(before)
    return found


@pytest.fixture(scope="module")
def long_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    coding = FULL
    path = written(tmp_path_factory.mktemp("long"), LONG, random_codes(LONG, coding), coding)
    with closing(Table(path, GAME, LONG)) as table:
        yield table


@pytest.mark.parametrize("coding", CODINGS, ids=str)
@pytest.mark.parametrize("material", [RATS, LONG], ids=["one chunk", "several chunks"])
def test_what_is_written_is_read(material: Material, coding: Coding, tmp_path: Path) -> None:
    """Every position's code comes back in every coding, and void reads as the code before it."""
    codes = random_codes(material, coding)
    with closing(Table(written(tmp_path, material, codes, coding), GAME, material)) as table:
        assert table.coding == coding
        for side, one in zip(sides_stored(GAME, material), codes, strict=True):
            assert table.read(side).dtype == coding.dtype
            assert table.read(side).tolist() == filled(one, coding.void, 0)


@given(st.data())
def test_a_batch_is_read_as_points_and_as_a_whole(long_table: Table, data: st.DataObject) -> None:
    """Indices in any order, also repeated or none, give what a full read holds there, together and one by one."""
    side = data.draw(st.sampled_from([0, 1]))
    index = data.draw(st.lists(st.integers(0, long_table.layout.size - 1), max_size=40))
    # An array, which is kept: in memory that was freed just now, codes that nobody has written would be right.
    expected = long_table.read(side)[index]
    assert long_table.at(side, np.array(index, dtype=np.int64)).tolist() == expected.tolist()
    with closing(Store(long_table.path.parent.parent.parent)) as cached:
        assert [cached.code(long_table, side, one) for one in index] == expected.tolist()


@given(st.data())
def test_a_source_reads_what_is_asked_for(long_table: Table, data: st.DataObject) -> None:
    side = data.draw(st.sampled_from([0, 1]))
    size = long_table.layout.size
    begin, end = (data.draw(st.none() | st.integers(0, size + 10)) for _ in range(2))
    source, expected = long_table.source(side), long_table.read(side)
    assert np.array_equal(source[begin:end], expected[begin:end])
    assert (len(source), source.dtype) == (size, expected.dtype)
    assert np.array_equal(np.asarray(source), expected)


@pytest.mark.parametrize("name", ["RvC", "CvW", "RvR"])
def test_counting_block_by_block(name: str) -> None:
    own = layout_of(GAME, parse_material(GAME, name))
    rng = np.random.default_rng(1)
    legal = own.squares_many(np.arange(own.size))[1]
    codes = np.where(legal, rng.integers(0, 20, own.size), NARROW.void).astype(NARROW.dtype)
    weights = own.weights_many(np.flatnonzero(legal))
    assert set(weights.tolist()) == {1, 2}
    histogram = np.bincount(codes[legal], weights=weights).astype(int).tolist()
    first = [int(np.flatnonzero(codes == code)[0]) for code in range(20)]
    for cuts in ([], sorted(rng.integers(0, own.size, 9).tolist()), list(range(100, own.size, 100))):
        counts, tally = LayoutCounts(own, NARROW), CodeTally(NARROW)
        for begin, end in pairwise([0, *cuts, own.size]):
            tally.merge(counts.tally(codes[begin:end], begin))
        summary = tally.summary()
        assert (list(summary.histogram), list(summary.first)) == (histogram, first)


@pytest.mark.parametrize(("limit", "kept"), [(resource.RLIM_INFINITY, 1024), (1 << 20, 1024), (1024, 928), (256, 160), (64, 16)])
def test_open_tables_leave_descriptors_for_others(limit: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as the process may have open, less some for all else; few where it may have few."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, 1 << 20))
    assert store.tables_to_keep_open() == kept


def test_points_stay_right_when_the_caches_overflow(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_chunks, "CACHED_BYTES", 10_000)
    monkeypatch.setattr(store, "OPEN_FILES", 2)
    names = [path.stem for path in sorted(two_pieces.glob("doushouqi/2/*.h5"))] * 2
    with closing(Store(two_pieces)) as small:
        for name in at_least_one(names):
            material = parse_material(GAME, name)
            table = small.table(GAME, material)
            for side in sides_stored(GAME, material):
                every = table.read(side)
                assert [small.code(table, side, i) for i in range(0, len(every), 97)] == every[::97].tolist()


@given(st.lists(st.sampled_from([0, 1, 2, 7, 255]), max_size=30), st.integers(0, 30), st.integers(0, 254))
def test_fill_void_is_the_slow_loop(codes: list[int], cut: int, before: int) -> None:
    """Void takes the code before it, over the border between two chunks too."""
    array = np.array(codes, dtype=np.uint8)
    assert fill_void(array, 255, before).tolist() == filled(array, 255, before)
    first, second = array[:cut], array[cut:]
    found = [*fill_void(first, 255, 0).tolist(), *fill_void(second, 255, last_code(first, 255, 0)).tolist()]
    assert found == filled(array, 255, 0)


def test_threads_write_and_read_the_same(long_table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file, whether one thread compresses its chunks or three; and the same codes, whichever read it, by slabs, too."""
    monkeypatch.setattr(reader, "GRAIN", 1)
    monkeypatch.setattr(reader, "SLAB", 1000)
    long_table.check_values()
    with threads.use(3):
        assert len(threads.ranges(-(-long_table.layout.size // long_table.header.chunk), reader.GRAIN)) > 1
        copy = written(tmp_path, LONG, random_codes(LONG, FULL), FULL)
        found = [long_table.read(side).tolist() for side in sides_stored(GAME, LONG)]
    assert copy.read_bytes() == long_table.path.read_bytes()
    assert found == [filled(one, FULL.void, 0) for one in random_codes(LONG, FULL)]


@pytest.mark.parametrize("coding", [NARROW, FULL], ids=str)
def test_void_is_filled_across_chunks(coding: Coding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a chunk begins with void, it goes on with the last code of the chunk before, also if that is in another slab."""
    (codes,) = random_codes(RATS, coding)
    expected = filled(codes, coding.void, 0)
    begin = next(index for index in range(500, len(codes)) if codes[index] == coding.void and expected[index])
    form = header.Form(begin * codes.itemsize, 3)
    monkeypatch.setattr(header, "FORMS", (form,))
    monkeypatch.setattr(writer, "BUILT", form)
    monkeypatch.setattr(writer, "SLAB", 1)
    with closing(Table(written(tmp_path, RATS, [codes], coding), GAME, RATS)) as table:
        assert [len(table.chunk(0, number)) for number in (0, 1)] == [begin, begin]
        assert table.read(0).tolist() == expected


def test_variants_do_not_share_chunks(tmp_path: Path) -> None:
    """Pawn against pawn is the same pair of kinds on any board; one store with both boards gives each its own codes."""
    boards = [load_game("hexapawn"), load_game("hexapawn-4x4")]
    material, distances = parse_material(boards[0], "PvP"), [3, 5]
    assert parse_material(boards[1], "PvP") == material
    for game, distance in zip(boards, distances, strict=True):
        own = layout_of(game, material)
        legal = own.squares_many(np.arange(own.size))[1]
        codes = np.where(legal, NARROW.code(Value(Outcome.WIN, distance)), NARROW.void).astype(NARROW.dtype)
        path = table_path(tmp_path, game, material)
        publish(write_draft(path, game, material, [codes], NARROW), path)
    with closing(Store(tmp_path)) as cached:
        tables = [cached.table(game, material) for game in boards] * 2
        last = layout_of(boards[0], material).size - 1
        assert [NARROW.value(cached.code(table, 0, last)).distance for table in tables] == distances * 2


def test_the_seal_is_the_digest_of_the_rest(two_pieces: Path) -> None:
    data = table_path(two_pieces, GAME, RATS).read_bytes()
    digest = hashlib.sha256(data[SEAL:]).hexdigest()
    assert data[:SEAL].rstrip(b"\0") == f"tablebase 1 doushouqi RvR sha256={digest}\n".encode()


def test_every_flipped_byte_breaks_the_seal(two_pieces: Path, tmp_path: Path) -> None:
    """One changed bit in any byte of the file, its first 512 included, is reported with the file's name."""
    path = Path(shutil.copy(table_path(two_pieces, GAME, RATS), tmp_path / "RvR.h5"))
    check_seal(path, title(GAME, RATS))
    data = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for place, byte in at_least_one(enumerate(data)):
            os.pwrite(file.fileno(), bytes([byte ^ 1 << place % 8]), place)
            with pytest.raises(CorruptTableError, match=str(path)):
                check_seal(path, title(GAME, RATS))
            os.pwrite(file.fileno(), bytes([byte]), place)
    check_seal(path, title(GAME, RATS))


def test_hdf5_checks_all_it_reads(two_pieces: Path) -> None:
    """Nothing stands in HDF5's global heap, which has no checksums and can make the library loop for ever."""
    for path in at_least_one(sorted(two_pieces.glob("doushouqi/2/*.h5"))):
        assert b"GCOL" not in path.read_bytes(), path.name


def test_a_damaged_file_never_gives_other_codes(two_pieces: Path, tmp_path: Path) -> None:
    """Even without a look at the seal, reading a file with a flipped bit gives what it held or says that it is corrupt."""
    path = Path(shutil.copy(table_path(two_pieces, GAME, RATS), tmp_path / "RvR.h5"))
    with closing(Table(path, GAME, RATS)) as table:
        expected = table.header, table.read(0).tolist()
    size = path.stat().st_size
    with h5py.File(path, "r") as file:
        place, length = file["w"].id.get_chunk_info(0).byte_offset, file["w"].id.get_chunk_info(0).size
    chunk = range(place, place + length)
    corrupt = 0
    for place in {*range(SEAL, size, 41), *chunk[:24], *chunk[24::61], *chunk[-8:]}:
        flip(path, place)
        try:
            with closing(Table(path, GAME, RATS)) as table:
                assert (table.header, table.read(0).tolist()) == expected, place
        except CorruptTableError:
            corrupt += 1
        flip(path, place)
    assert corrupt > 40


@pytest.mark.parametrize("length", [0, 1, SEAL, SEAL + 1, 5000, -1])
def test_a_cut_file_is_corrupt(length: int, two_pieces: Path, tmp_path: Path) -> None:
    path = tmp_path / "RvR.h5"
    path.write_bytes(table_path(two_pieces, GAME, RATS).read_bytes()[:length])
    with pytest.raises(CorruptTableError, match=str(path)):
        check_seal(path, title(GAME, RATS))
    with pytest.raises(CorruptTableError, match=str(path)):
        Table(path, GAME, RATS)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count open files")
def test_a_refused_file_is_closed(two_pieces: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(table_path(two_pieces, GAME, RATS), tmp_path / "RvR.h5"))
    with pytest.raises(StaleTableError) as stale:
        Table(path, replace(GAME, no_move=Outcome.LOSS), RATS)
    with pytest.raises(CorruptTableError) as corrupt:
        Table(path, GAME, LONG)
    # Both tracebacks are still held here, so nothing has been closed by chance.
    held = (stale.tb, corrupt.tb)
    assert open_files(tmp_path) == []
    assert None not in held


def test_too_many_open_files_are_no_damage(two_pieces: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        with pytest.raises((OSError, TablebaseError)) as caught:
            Table(table_path(two_pieces, GAME, RATS), GAME, RATS)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not isinstance(caught.value, CorruptTableError)
    assert "delete" not in str(caught.value)
