"""The lean solver: its own kernels against naive twins, its log, and tables of several parts."""

import errno
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, before_release
from support.planeviews import (
    View,
    all_slices,
    as_code,
    as_sets,
    as_state,
    both_sides,
    dirty_units,
    fill_words,
    large_slices,
    looked_at,
    scatter,
    units_of,
    view,
)
from support.program import open_files
from support.solved import Solved
from test_planes_kernels import inside, symmetric
from twins import naive
from twins import rows as naive_rows
from twins.rows import Address, Addresses, Sets

from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material, parse_material
from tablebase.solvers import registry
from tablebase.solvers.planes import lean
from tablebase.solvers.planes import log as logs
from tablebase.solvers.planes.arrays import ROWS, Entries, LeanState, State
from tablebase.solvers.planes.log import LogPart, ResultLog, Segment, parts_of
from tablebase.solvers.planes.record import ENTRY
from tablebase.solvers.planes.solve import clean
from tablebase.solvers.registry import choose_solver, compile_slice, solve_material
from tablebase.tables.values import NARROW

POND = toys.pond()


@pytest.fixture
def log(tmp_path: Path) -> ResultLog:
    """A log of a single part."""
    return ResultLog(tmp_path, [LogPart(0, 1 << 10)])


def entries_of(spots: dict[tuple[int, int], int]) -> dict[int, Entries]:
    """For each value the entries of the rows and bits that have it."""
    words: dict[int, dict[int, int]] = {}
    for (row, bit), code in sorted(spots.items()):
        by_row = words.setdefault(code, {})
        by_row[row] = by_row.get(row, 0) | 1 << bit
    return {
        code: np.array([part for row, word in some.items() for part in (row, word & 0xFFFFFFFF, word >> 32)], dtype=np.uint32)
        for code, some in words.items()
    }


def spots_of(entries: Entries) -> Iterator[tuple[int, int]]:
    for row, low, high in entries.reshape(-1, ENTRY).tolist():
        yield from ((row, bit) for bit in range(64) if (low | high << 32) >> bit & 1)


def codes_of(seen: View, sets: Sets) -> dict[tuple[int, int], int]:
    return {spot: as_code(value) for address, value in sets.values.items() for spot in seen.spots(address)}


def late(sets: Sets, level: int) -> Addresses:
    """The positions whose captures lose later than at a distance."""
    return {one for one, (outcome, distance) in sets.values.items() if outcome == "loss" and (distance or 0) > level}


def as_lean(seen: View, sets: Sets, level: int, log: ResultLog) -> tuple[LeanState, State]:
    """The words that the kernels work on, and the same words beside codes for what is found."""
    state, made = as_state(seen, sets, level), lean.new_lean_state(seen.planes, log)
    for name in ("known", "won", "shut", "fresh", "dirty", "todo"):
        getattr(made, name)[:] = getattr(state, name)
    fill_words(seen, made.later, late(sets, level), False)
    return made, state._replace(**{name: getattr(made, name) for name in ("known", "won", "shut", "fresh", "dirty", "todo")})


@both_sides
@all_slices
def test_captures_are_sorted_by_code(solved: Solved, game: Game, name: str, side: int) -> None:
    """Each position that captures or the want of moves decide has just one entry, under its code; those that lose are `later`."""
    seen = view(solved, game, name)
    state = looked_at(seen)[side]
    expected = inside(naive_rows.look(game, seen.material, side), seen)
    later, place = np.zeros(seen.planes.size * ROWS, dtype=np.uint64), np.zeros(256, dtype=np.int64)
    lean.sort_codes(state, later, 0, seen.planes.size, place, np.zeros(0, dtype=np.uint32))
    begin = np.concatenate([[0], np.cumsum(place)])
    entries = np.zeros(begin[-1], dtype=np.uint32)
    lean.sort_codes(state, later, 0, seen.planes.size, begin[:-1].copy(), entries)
    found = {code: list(spots_of(entries[begin[code] : begin[code + 1]])) for code in range(256)}
    assert sum(map(len, found.values())) == len({spot for some in found.values() for spot in some})
    assert {spot: code for code, some in found.items() for spot in some} == codes_of(seen, expected)
    words = np.zeros_like(later)
    fill_words(seen, words, late(expected, -1), False)
    assert np.array_equal(later, words)


@pytest.mark.parametrize("seed", [0, *before_release(1)])
@large_slices
def test_entries_enter(solved: Solved, game: Game, name: str, seed: int, log: ResultLog) -> None:
    """At its distance what is shut and not known becomes known and is logged; the captures of all others lose no later any more."""
    rng = Random(seed)
    seen = view(solved, game, name)
    here = set(seen.positions(0))
    values: dict[Address, naive.Pair] = {one: ("loss", rng.randrange(0, 12, 2)) for one in scatter(rng, here, 0.5)}
    values |= {one: ("win", rng.randrange(1, 12, 2)) for one in scatter(rng, set(values), 0.4)}
    due, known = scatter(rng, set(values), 0.6), scatter(rng, here, 0.3)
    sets = symmetric(seen, Sets(known, scatter(rng, known, 0.5), known | due, ripe=due - known, values=values), 0)
    sets.ripe = (sets.shut & sets.values.keys()) - sets.known
    sets.wait(set(sets.ripe))
    made, state = as_lean(seen, sets, -1, log)
    waiting, nothing = entries_of(codes_of(seen, sets)), np.zeros(0, dtype=np.uint32)
    assert sum(code % 2 for code in waiting) > 2 < len(set(sets.ripe))
    for level in range(12):
        before = set(sets.known)
        lean.enter_entries(made, waiting.get(level + 2, nothing), level)
        naive_rows.enter(sets, level)
        if level % 2:
            sets.fresh -= sets.known - before
        sets.shut |= sets.known
        found = set(spots_of(made.entries[: made.end[0]]))
        assert found == set().union(*(seen.spots(one) for one in sets.known - before))
        made.end[0] = 0
        assert as_sets(seen, state) == inside(sets, seen)
        words = np.zeros_like(made.later)
        fill_words(seen, words, late(sets, level), False)
        assert np.array_equal(made.later, words)
        assert dirty_units(state, level) == units_of(seen, sets.known - before)
        clean(made, level, 0, seen.planes.size)
        sets.fresh = set()
    assert made.later.any() == 0


@pytest.mark.parametrize("planes", [1, 64, 65, 384, 4096, 4097, 100_000])
def test_parts_cover_all_planes(planes: int) -> None:
    """One after another, of equal size, whole vectors of planes, and no more than 64 of them."""
    parts = parts_of(planes)
    assert len(parts) <= logs.PARTS
    assert [part.first for part in parts] == [0, *(part.last for part in parts[:-1])]
    assert parts[-1].last == planes
    assert all(part.first % 64 == 0 and part.first < part.last for part in parts)
    assert len({part.last - part.first for part in parts[:-1]}) <= 1


def test_a_log_gives_back_what_it_was_given(log: ResultLog) -> None:
    """Entries in any order, between further ones."""
    rng = np.random.default_rng(0)
    some = [rng.integers(0, 1 << 32, 3 * count, dtype=np.uint32) for count in (1, 5, 40_000, 2)]
    segments = [log.append(entries) for entries in some[:3]]
    assert np.array_equal(log.read(segments[1]), some[1])
    segments.append(log.append(some[3]))
    for segment, entries in zip(reversed(segments), reversed(some), strict=True):
        assert np.array_equal(log.read(segment), entries)


def problem(solved: Solved, name: str, folder: Path, game: Game = POND) -> Any:
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


def test_a_short_write_is_continued(log: ResultLog) -> None:
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
    assert name == "RvC" or len(parts_of(view(solved, POND, name).planes.size)) > 3
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
    with pytest.raises(TablebaseError, match=r"because the table has too many rows for the log: use --solver planes$"):
        registry.solver_for(jungle, large, "lean")


def test_a_solver_for_everything_may_not_fit_either() -> None:
    """Where only general solvers can be used, too little memory changes neither the choice nor the reason."""
    hunt = toys.hunt()
    material = parse_material(hunt, "HHvF")
    assert choose_solver(hunt, material, 0) == choose_solver(hunt, material)
