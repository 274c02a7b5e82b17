"""A build neither counts on a damaged table nor ends because of one: it is renamed, and built again."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import h5py
import pytest
from support.builds import build
from support.catalogs import opened, registered, snapshot
from support.damage import damage_after_look
from support.program import Answer, Ask, assert_refused, contents, flip, middle_of_codes, reseal, table_of
from support.tablebases import once_on_postgresql

from tablebase.building import make_tables, slice_work, table_plan
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.building.plan import plan
from tablebase.building.slice_kind import SliceTables
from tablebase.building.table_plan import plan_tables
from tablebase.executors.executor import Limits
from tablebase.slices.material import material_name, parse_material
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Patch = pytest.MonkeyPatch
DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "emptied": lambda path: path.write_bytes(b""),
    "a CSV file": lambda path: path.write_text("material,side\nCvC,w\n", encoding="utf-8"),
    "a bit of its codes": lambda path: flip(path, middle_of_codes(path)),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
}


def check_repair(answer: Answer, path: Path, broken: bytes, sound: dict[str, bytes], folder: Path, aside: str = "") -> None:
    """A build has renamed one damaged file, said so in one line, and built the table again."""
    name = aside or f"{path.name}.damaged"
    assert answer.code == 0, answer.err
    assert [str(path) in line for line in answer.err.splitlines() if name in line] == [True]
    assert path.with_name(name).read_bytes() == broken
    assert contents(folder) == sound


@once_on_postgresql("damage", DAMAGES)
def test_a_damaged_table_is_built_again(damage: Callable[[Path], object], copied: Path, two_pieces: Path, ask: Ask) -> None:
    """However it was damaged; the catalog says the same as before."""
    path, before = table_of(copied, "RvE"), snapshot(copied)
    damage(path)
    broken = path.read_bytes()
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    check_repair(answer, path, broken, contents(two_pieces), copied)
    assert snapshot(copied) == before
    assert "nothing to do" in ask("build", "doushouqi", "--pieces", "2", "--data", copied).err


def test_no_file_is_overwritten(copied: Path, two_pieces: Path, ask: Ask) -> None:
    """A second damaged file has a name of its own; so has one that is not in the catalog."""
    path, names = table_of(copied, "RvE"), ["RvE.h5.damaged", "RvE.h5.damaged.2", "RvE.h5.damaged.3"]
    for aside in names:
        path.write_bytes(aside.encode())
        if aside.endswith("3"):
            (copied / "catalog.sqlite").unlink()
        answer = ask("build", "doushouqi", "--material", "EvR", "--data", copied)
        check_repair(answer, path, aside.encode(), contents(two_pieces), copied, aside)
    assert [path.with_name(name).read_text() for name in names] == names


def test_a_damaged_table_is_not_counted(copied: Path, ask: Ask, monkeypatch: Patch) -> None:
    """From the moment in which its file is renamed, the catalog does not list it."""
    table_of(copied, "RvE").write_bytes(b"")
    monkeypatch.setattr(slice_work, "solve_material", Mock(side_effect=KeyboardInterrupt))
    ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert table_of(copied, "RvE").with_name("RvE.h5.damaged").exists()
    assert len(registered(copied)) == 9
    assert "RvE" not in registered(copied)


def test_large_tables_are_read_where_they_are_used(copied: Path, two_pieces: Path, ask: Ask, monkeypatch: Patch) -> None:
    """Of tables that are too large to read all of them, those that a missing one needs are; the others are said not to be."""
    monkeypatch.setattr(table_plan, "SEALED_BYTES", 0)
    path = table_of(copied, "CvW")
    flip(path, middle_of_codes(path))
    broken = path.read_bytes()
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, path.read_bytes()) == (0, broken)
    assert "tablebase verify doushouqi" in answer.err
    DAMAGES["longer"](table_of(copied, "RvR"))
    for names, damaged in ((("CvW", "RvR"), {"RvR"}), (("RCvW",), {"CvW"})):
        found = plan_tables(SliceTables(GAME), TableQuery(materials=names), BuildOptions(copied)).examined
        assert {material_name(GAME, one) for one in found.damaged} == damaged
    answer = ask("build", "doushouqi", "--material", "RCvW", "--data", copied)
    assert answer.code == 0
    assert path.with_name("CvW.h5.damaged").read_bytes() == broken
    sound = contents(two_pieces)
    assert {file: data for file, data in contents(copied).items() if file in sound and "RvR" not in file} == {
        file: data for file, data in sound.items() if "RvR" not in file
    }
    assert ask("verify", "doushouqi", "--material", "RCvW", "--data", copied).code == 0


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.full)])
def test_a_table_damaged_during_a_build(workers: int, copied: Path, two_pieces: Path, monkeypatch: Patch) -> None:
    """A worker that finds it ends neither the build nor its own table: both are built."""
    path, said = table_of(copied, "CvW"), []
    damage_after_look(monkeypatch, make_tables, "examine", lambda: flip(path, middle_of_codes(path)))
    planned = plan(GAME, None, [parse_material(GAME, name) for name in ("RCvW", "CDvW")])
    built = build(GAME, planned, copied, limits=Limits(workers), say=said.append)
    assert {material_name(GAME, one.key) for one in built} >= {"CvW", "RCvW", "CDvW"}
    assert [str(path) in line for line in said] == [True]
    assert {"CvW", "RCvW"} <= registered(copied).keys()
    assert {file: data for file, data in contents(copied).items() if "/2/" in file} == contents(two_pieces)


def test_a_disk_that_damages_a_table_twice_ends_the_build(copied: Path, ask: Ask, monkeypatch: Patch) -> None:
    """Building it again and again would be no cure."""
    path = table_of(copied, "CvW")
    damage_after_look(monkeypatch, make_tables, "examine", lambda: path.write_bytes(b""), look=None)
    assert_refused(ask("build", "doushouqi", "--material", "RCvW", "--data", copied), 1, str(path))


def test_another_file_of_the_same_table(copied: Path, ask: Ask) -> None:
    """A sound file that is not the registered one, such as a packed one, is verified and registered, not renamed."""
    other = copied.with_name("other")
    assert ask("pack", "doushouqi", "--to", other, "--data", copied).code == 0
    path = table_of(copied, "RvE")
    packed = table_of(other, "RvE").read_bytes()
    assert path.read_bytes() != packed
    path.write_bytes(packed)
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert (answer.code, "damaged" in answer.err) == (0, False)
    assert path.read_bytes() == packed
    with closing(opened(copied)) as catalog:
        assert {one.material: one.bytes for one in catalog.known(GAME).costs}["RvE"] == len(packed)


def test_a_table_of_a_newer_format_is_refused(copied: Path, ask: Ask) -> None:
    """It is not damaged: the file stays as it is, also if the catalog lists it."""
    path = table_of(copied, "RvE")
    with h5py.File(path, "r+") as file:
        file.attrs.modify("format_version", 2)
    reseal(path)
    before = path.read_bytes()
    assert_refused(ask("build", "doushouqi", "--pieces", "2", "--data", copied), 2, str(path))
    assert path.read_bytes() == before
