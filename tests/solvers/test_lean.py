"""The lean solver: its log, tables of several parts, and where it is chosen."""

import errno
import gc
import os
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one
from support.program import open_files
from support.solved import Solved

from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.material import Material, parse_material
from tablebase.solvers import registry
from tablebase.solvers.planes import lean
from tablebase.solvers.planes import log as logs
from tablebase.solvers.planes.log import Log, Part, Segment, parts_of
from tablebase.solvers.planes.slices import compile_planes
from tablebase.solvers.registry import choose_solver, compile_slice, solve_material
from tablebase.tables.values import NARROW

POND = toys.pond()


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A log of a single part."""
    return Log(tmp_path, [Part(0, 1 << 10)])


@pytest.mark.parametrize("planes", [1, 64, 65, 384, 4096, 4097, 100_000])
def test_parts_cover_all_planes(planes: int) -> None:
    """One after another, of equal size, whole vectors of planes, and no more than 64 of them."""
    parts = parts_of(planes)
    assert len(parts) <= logs.PARTS
    assert [part.first for part in parts] == [0, *(part.last for part in parts[:-1])]
    assert parts[-1].last == planes
    assert all(part.first % 64 == 0 and part.first < part.last for part in parts)
    assert len({part.last - part.first for part in parts[:-1]}) <= 1


def test_a_log_gives_back_what_it_was_given(log: Log) -> None:
    """Entries in any order, between further ones."""
    rng = np.random.default_rng(0)
    some = [rng.integers(0, 1 << 32, 3 * count, dtype=np.uint32) for count in (1, 5, 40_000, 2)]
    segments = [log.append(entries) for entries in some[:3]]
    assert np.array_equal(log.read(segments[1]), some[1])
    segments.append(log.append(some[3]))
    for segment, entries in zip(reversed(segments), reversed(some), strict=True):
        assert np.array_equal(log.read(segment), entries)


def problem(solved: Solved, name: str, folder: Path, game: Game = POND) -> Any:
    """A slice to solve with a log in a folder."""
    return compile_slice(game, parse_material(game, name), solved(game, "planes").load, NARROW, folder)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to see open files")
def test_nothing_is_left_of_a_log(solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has no name while it is in use, and is closed with the codes, or when solving fails."""
    codes = lean.solve(problem(solved, "RTLvRT", tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert len(open_files(tmp_path)) == 1
    del codes
    gc.collect()
    assert open_files(tmp_path) == []
    seen = []

    def fail(*_: object) -> None:
        seen.extend(open_files(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(lean, "mark", fail)
    with pytest.raises(KeyboardInterrupt):
        lean.solve(problem(solved, "RTLvRT", tmp_path))
    gc.collect()
    assert len(seen) == 1
    assert (list(tmp_path.iterdir()), open_files(tmp_path)) == ([], [])


def test_no_room_for_a_log_is_a_sentence(solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk ends it with code 3 and the name of the folder, and so does a folder that is not there, with code 2."""
    missing = problem(solved, "RTvRL", tmp_path / "nowhere")
    with pytest.raises(TablebaseError, match=f"^{tmp_path / 'nowhere'} cannot be used"):
        lean.solve(missing)
    full = Mock(write=Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    monkeypatch.setattr(logs, "TemporaryFile", lambda **_: full)
    with pytest.raises(CapacityError, match=str(tmp_path)) as caught:
        lean.solve(problem(solved, "RTvRL", tmp_path))
    assert caught.value.exit_code == 3


def test_a_short_write_is_continued(log: Log) -> None:
    """The operating system may write or read less than it was asked for."""

    class Short:
        def __init__(self, file: Any) -> None:
            self.file, self.seek = file, file.seek

        def write(self, data: memoryview) -> int:
            return int(self.file.write(data[:7]))

        def readinto(self, data: memoryview) -> int:
            return int(self.file.readinto(data[:5]))

    entries = np.arange(30, dtype=np.uint32)
    log._file = Short(log._file)
    first, second = log.append(entries), log.append(entries[::-1].copy())
    assert (first, second) == (Segment(0, 30), Segment(120, 30))
    assert np.array_equal(log.read(first), entries)
    assert np.array_equal(log.read(second), entries[::-1])


@pytest.mark.parametrize("name", ["RvC", "RTLvRT"])
def test_codes_are_read_in_any_pieces(solved: Solved, jungle: Game, name: str, tmp_path: Path) -> None:
    """A slice of the codes is the same slice of the array, across parts, in any order, and beyond the end."""
    game = POND if name == "RTLvRT" else jungle
    material = parse_material(game, name)
    assert name == "RvC" or len(parts_of(compile_planes(problem(solved, name, tmp_path)).size)) > 3
    sources, _, _ = solve_material(game, material, solved(game, "planes").load, "lean", scratch=tmp_path)
    expected, _ = solved(game, "planes").table(material)
    rng = Random(name)
    for source, array in zip(at_least_one(sources), expected, strict=True):
        assert (len(source), source.dtype) == (len(array), array.dtype)
        for _ in range(20):
            begin, end = (rng.randrange(len(array) + 100) for _ in range(2))
            assert np.array_equal(source[begin:end], array[begin:end])
        assert np.array_equal(source[:], array)


def needs(game: Game, material: Material, name: str) -> int:
    """Bytes that a solver needs."""
    return registry.solver_for(game, material, name).memory(game, material)


def test_the_fastest_that_fits_is_chosen(jungle: Game) -> None:
    """With less memory than planes need it is their lean mode; with too little for any, the one that needs least."""
    material = parse_material(jungle, "RCWvDE")
    planes, least = needs(jungle, material, "planes"), needs(jungle, material, "lean")
    assert least < planes
    chosen = {bytes_: choose_solver(jungle, material, bytes_)[0].names[0] for bytes_ in (planes, planes - 1, least, least - 1, 0)}
    assert chosen == {planes: "planes", planes - 1: "lean", least: "lean", least - 1: "lean", 0: "lean"}
    assert choose_solver(jungle, material)[0].names[0] == "planes"
    assert {registry.solver_for(jungle, material, "planes", bytes_).names[0] for bytes_ in (planes, None)} == {"planes"}
    assert registry.solver_for(jungle, material, "planes", planes - 1).names == ("lean", "planes")


def test_rows_must_have_a_number(jungle: Game) -> None:
    """Entries have 32 bits for the number of a row, 2 ** 26 planes of 64 rows; a larger table is refused."""
    assert registry.find_solver("lean").refuses(jungle, parse_material(jungle, "CWDvPTL")) is None
    large = parse_material(jungle, "CWDPvTLER")
    assert layout_of(jungle, large).size > 2**26 * 64 * 64
    with pytest.raises(TablebaseError, match=r"for it has too many rows for the log: use --solver planes$"):
        registry.solver_for(jungle, large, "lean")


def test_a_solver_for_everything_may_not_fit_either() -> None:
    """Where only general solvers can be used, too little memory changes neither the choice nor the reason."""
    hunt = toys.hunt()
    material = parse_material(hunt, "HHvF")
    assert choose_solver(hunt, material, 0) == choose_solver(hunt, material)
