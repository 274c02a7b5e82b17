"""The check of every position: it accepts what is right and finds any single code that is not."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import h5py
import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, before_release
from support.naive_codes import naive_codes
from support.program import reseal
from support.solved import Solved

from tablebase.checking import general, groups, planes
from tablebase.checking.general import Load, contradiction
from tablebase.checking.group_arrays import compile_rules
from tablebase.checking.table import codes_to_check, verify_codes, verify_table
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.game import Game, Outcome
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import sides_stored
from tablebase.positions.material import Material, parse_material
from tablebase.system.compute import threads
from tablebase.system.files.outputs import publish
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.summary import Summary
from tablebase.tables.values import DRAW, FULL, NARROW, STALEMATE, Codes, Coding, LazyValues, Value, recode
from tablebase.tables.writer import write_draft
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Check = Callable[..., dict[int, Summary]]


def only_slices(codes: Codes) -> LazyValues:
    """Codes of which only slices can be had, as of a table that does not fit into memory."""
    return LazyValues(len(codes), codes.dtype, lambda begin, end: codes[begin:end].copy())


def check_in_slabs(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """The check of planes, with codes of one plane in memory at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planes, "SLAB", 1)
        return planes.verify_codes(game, material, {side: only_slices(some) for side, some in codes.items()}, coding, load)


def check_wide(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """The check of planes with two bytes per position, but one byte in the tables that captures lead to."""
    wide = {side: recode(some, coding, coding.wider) for side, some in codes.items()}
    found = planes.verify_codes(game, material, wide, coding.wider, load)
    return {side: replace(summary, coding=coding) for side, summary in found.items()}


CHECKS = {
    "general": general.verify_codes,
    "groups": groups.verify_codes,
    "planes": planes.verify_codes,
    "slabs": check_in_slabs,
    "wide": check_wide,
}
# With two bytes, each kernel has to be compiled again.
all_programs = pytest.mark.parametrize("check", [*list(CHECKS.values())[:-1], *before_release(check_wide)], ids=CHECKS)
compile_once = cache(compile_rules)


@pytest.fixture(autouse=True)
def rules_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests check one table hundreds of times, and what the check of groups knows of its rules does not depend on the codes."""
    monkeypatch.setattr(groups, "compile_rules", compile_once)


def no_children(material: Material, _: int) -> tuple[Codes, Coding]:
    """For materials of which every capture ends the game."""
    raise AssertionError(f"{material} has no business here")


def codes_of(folder: Path, name: str) -> dict[int, Codes]:
    material = parse_material(GAME, name)
    with closing(Table(table_path(folder, GAME, material), GAME, material)) as table:
        return {side: table.read(side) for side in sides_stored(GAME, material)}


def reading(tables: Store) -> Load:
    """Codes of children from the files of a tablebase."""

    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        table = tables.table(GAME, child)
        return table.read(side), table.coding

    return load


def copy_of(folder: Path, name: str, into: Path) -> Path:
    material = parse_material(GAME, name)
    path = table_path(into, GAME, material)
    path.parent.mkdir(parents=True)
    path.write_bytes(table_path(folder, GAME, material).read_bytes())
    return path


def publish_codes(codes: dict[int, Codes], name: str, coding: Coding, into: Path) -> Path:
    material = parse_material(GAME, name)
    own, path = layout_of(GAME, material), table_path(into, GAME, material)
    legal = own.squares_many(np.arange(own.size))[1]
    unfilled = [recode(np.where(legal, codes[side], np.uint8(NARROW.void)), NARROW, coding) for side in (0, 1)]
    publish(write_draft(path, GAME, material, unfilled, coding), path)
    return path


def verify_file(path: Path, name: str) -> None:
    with closing(Table(path, GAME, parse_material(GAME, name))) as table, closing(Store(path.parent.parent.parent)) as tables:
        verify_table(GAME, table, tables)


def others(code: int) -> list[int]:
    """Wrong codes that look most like this one."""
    value, lost = NARROW.value(code), NARROW.code(Value(Outcome.LOSS, 0))
    if value.distance is None:
        other = STALEMATE if code == DRAW else DRAW
        return [other, lost, NARROW.code(Value(Outcome.LOSS, 20)), NARROW.code(Value(Outcome.WIN, 21)), NARROW.void]
    near = [Value(value.outcome, value.distance + 2)]
    near += [Value(value.outcome, value.distance - 2)] if value.distance > 2 else []
    reverse = Value(value.outcome.reversed, value.distance + 1)
    near_codes = [NARROW.code(one) for one in [*near, reverse]]
    return [DRAW, STALEMATE, *([] if code == lost else [lost]), *near_codes, NARROW.void]


@all_programs
@pytest.mark.parametrize("name", ["RCvW", pytest.param("CEvT", marks=pytest.mark.full), "WDvC"])
def test_tables_with_captures_into_others_are_right(name: str, check: Check, three_pieces: Path) -> None:
    """The same for three pieces, where captures lead into other tables by mirror, aliases and colour swap."""
    material, codes = parse_material(GAME, name), codes_of(three_pieces, name)
    with closing(Store(three_pieces)) as tables:
        found = check(GAME, material, codes, NARROW, reading(tables))
        assert found == tables.table(GAME, material).header.summaries
        place = int(np.flatnonzero(codes[0] == NARROW.code(Value(Outcome.WIN, 9)))[7])
        codes[0][place] = NARROW.code(Value(Outcome.WIN, 11))
        with pytest.raises(CorruptTableError):
            check(GAME, material, codes, NARROW, reading(tables))


@all_programs
def test_a_win_beyond_one_byte_is_no_code(solved: Solved, check: Check) -> None:
    """A win in 253, which has no code in one byte, is not taken for right because the code of void comes after 252."""
    game = toys.odometer(5, 25, porch=True)
    material = parse_material(game, "HGvXY")
    codes, coding = solved(game).table(material)
    assert coding.code(Value(Outcome.WIN, 253)) in codes[0]
    narrow = {side: np.minimum(recode(some, coding, NARROW), NARROW.void) for side, some in enumerate(codes)}
    with pytest.raises(CorruptTableError, match="y1Hx22/G25/26 w"):
        check(game, material, narrow, NARROW, solved(game).load)


@all_programs
@pytest.mark.parametrize("name", ["RvC", "RvR"])
def test_void_may_hold_anything(name: str, check: Check, two_pieces: Path) -> None:
    """Indices that are no positions are not looked at, nor counted."""
    material = parse_material(GAME, name)
    own, codes = layout_of(GAME, material), codes_of(two_pieces, name)
    expected = check(GAME, material, codes, NARROW, no_children)
    void = ~own.squares_many(np.arange(own.size))[1]
    assert void.any()
    for some in codes.values():
        some[void] = np.random.default_rng(0).integers(0, 256, void.sum())
    assert check(GAME, material, codes, NARROW, no_children) == expected


@pytest.mark.parametrize("coding", [Coding(1, "uint16"), Coding(2, "uint8"), FULL], ids=str)
def test_other_codings_are_checked_too(coding: Coding, two_pieces: Path) -> None:
    """The same values in another coding pass, and one wrong distance among them does not."""
    material = parse_material(GAME, "RvE")
    codes = {side: recode(some, NARROW, coding) for side, some in codes_of(two_pieces, "RvE").items()}
    verify_codes(GAME, material, codes, coding, no_children)
    place = int(np.flatnonzero(codes[0] == coding.code(Value(Outcome.LOSS, 4)))[0])
    codes[0][place] = coding.code(Value(Outcome.LOSS, 6))
    with pytest.raises(CorruptTableError):
        verify_codes(GAME, material, codes, coding, no_children)


@all_programs
@pytest.mark.parametrize(
    ("game", "name"),
    [
        *((toys.pond(), name) for name in ("TvL", "RTvL")),
        (toys.hunt(), "HvFC"),
        (toys.twins(), "PKvK"),
        (toys.rooks(), "RRvPP"),
        # Where the piece that rows are made of jumps, another piece may stop it.
        (toys.brook(), "RLvT"),
        *((toys.shelter(ending), "AvXY") for ending in ("win", "draw")),
        *before_release(*((toys.pond(), name) for name in ("RvTL", "RLvRT")), (toys.hunt(), "HHvF"), (toys.twins(), "PKvPP")),
        *before_release((toys.brook(), "RvTL"), *((toys.shelter(ending), "AvXY") for ending in ("loss", "gate"))),
    ],
    ids=lambda part: getattr(part, "name", part),
)
def test_the_naive_solution_is_right(game: Game, name: str, check: Check) -> None:
    """What the naive twin finds passes; any other code in its place, a stalemate called a draw too, does not."""
    material = parse_material(game, name)
    own = layout_of(game, material)
    if check not in (general.verify_codes, groups.verify_codes) and not planes.applies(own, NARROW):
        return
    random = Random(name)

    def load(child: Material, to_move: int) -> tuple[Codes, Coding]:
        return naive_codes(game, child, to_move), NARROW

    codes = {side: naive_codes(game, material, side).copy() for side in sides_stored(game, material)}
    check(game, material, codes, NARROW, load)
    # Among others, a tiger in the corner that a lion shuts in.
    assert name != "TvL" or any((some == STALEMATE).any() for some in codes.values())
    for side, some in at_least_one(codes.items()):
        legal = [i for i in range(own.size) if some[i] != NARROW.void]
        stuck = [i for i in legal if some[i] == STALEMATE]
        for number in {*random.sample(legal, min(len(legal), 3)), *stuck[:2]}:
            right = int(some[number])
            for wrong in others(right):
                codes[side][number] = wrong
                with pytest.raises(CorruptTableError):
                    check(game, material, codes, NARROW, load)
            codes[side][number] = right


@pytest.mark.parametrize("count", [1, 3])
def test_a_check_in_slabs(count: int, three_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slab by slab the statistics of one go are found, and of two faults the first one, by one thread or by several."""
    monkeypatch.setattr(planes, "GRAIN", 1)
    material, codes = parse_material(GAME, "CEvT"), codes_of(three_pieces, "CEvT")
    with closing(Store(three_pieces)) as tables, threads.use(count):
        load = reading(tables)
        assert check_in_slabs(GAME, material, codes, NARROW, load) == tables.table(GAME, material).header.summaries
        wins = np.flatnonzero(codes[1] == NARROW.code(Value(Outcome.WIN, 9)))
        for place in (wins[-1], wins[0]):
            codes[1][place] = DRAW
            with pytest.raises(CorruptTableError) as caught:
                check_in_slabs(GAME, material, codes, NARROW, load)
            assert str(caught.value) == str(contradiction(layout_of(GAME, material), 1, int(place), codes[1], NARROW))


def test_codes_are_read_at_once_where_there_is_room(two_pieces: Path, tmp_path: Path) -> None:
    """With six bytes for each byte of a side's codes all are, with less none."""
    material = parse_material(GAME, "CvW")
    with closing(Table(table_path(two_pieces, GAME, material), GAME, material)) as table:
        for memory, at_once in ((6 * table.layout.size, True), (6 * table.layout.size - 1, False)):
            assert [isinstance(some, np.ndarray) for some in codes_to_check(table, memory).values()] == [at_once] * 2
        with closing(Store(two_pieces)) as tables:
            verify_table(GAME, table, tables, 0)
    path = publish_codes(codes_of(two_pieces, "CvW"), "CvW", NARROW.wider, tmp_path)
    with closing(Table(path, GAME, material)) as table:
        for memory, at_once in ((12 * table.layout.size, True), (12 * table.layout.size - 1, False)):
            assert [isinstance(some, np.ndarray) for some in codes_to_check(table, memory).values()] == [at_once] * 2


def test_wrong_codes_in_a_sound_file_are_found(two_pieces: Path, tmp_path: Path) -> None:
    """A file that is sealed and consistent but holds one wrong draw is reported with its name and a position."""
    codes = codes_of(two_pieces, "CvW")
    codes[1][np.flatnonzero(codes[1] == NARROW.code(Value(Outcome.WIN, 5)))[0]] = DRAW
    path = publish_codes(codes, "CvW", NARROW, tmp_path)
    with pytest.raises(CorruptTableError, match=f"^{path} contains an error .* is stored as .*: delete the file and rebuild .*$"):
        verify_file(path, "CvW")


@pytest.mark.parametrize("what", ["histogram", "first", "values"])
def test_wrong_statistics_are_found(what: str, two_pieces: Path, tmp_path: Path) -> None:
    """A histogram, an example or a digest that does not fit the codes is found, even under a seal that fits."""
    path = copy_of(two_pieces, "CvW", tmp_path)
    with h5py.File(path, "r+") as file:
        if what == "values":
            digest = file.attrs["values_sha256"]
            file.attrs.modify("values_sha256", digest[::-1])
        else:
            numbers = file["b"].attrs[what]
            numbers[7] += 1
            file["b"].attrs.modify(what, numbers)
    reseal(path)
    with pytest.raises(CorruptTableError, match=str(path)):
        verify_file(path, "CvW")


def test_a_missing_child_is_named(three_pieces: Path, tmp_path: Path) -> None:
    """A table cannot be checked without those that captures lead to, and the error names the one that is missing."""
    with pytest.raises(MissingTableError, match=r"the table (RvC|CvW) of doushouqi has not been built"):
        verify_file(copy_of(three_pieces, "RCvW", tmp_path), "RCvW")
