"""Copies of tables, packed ones too: what they hold and refuse, and how they go on; and folders merged into others."""

import errno
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import h5py
import hdf5plugin  # noqa: F401 (gives h5py the compression)
import pytest
from support.catalogs import PATTERNS, SOLVERS, forge, forget, rows, snapshot
from support.checks import thinned
from support.program import Ask, assert_refused, contents, drafts, flip, table_of

from tablebase.building import copies, transfer
from tablebase.building.plan import plan
from tablebase.building.slice_kind import SliceTables
from tablebase.building.transfer import CHECKSUMS
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.commands.program import run
from tablebase.errors import CorruptTableError
from tablebase.game import load_game
from tablebase.positions.material import material_name, parse_material

GAME = load_game("doushouqi")
POSITION = "7/7/7/7/3c3/7/7/R6/7 w"


def named(folder: Path) -> set[str]:
    return {Path(name).stem for name in contents(folder)}


def listed(folder: Path) -> dict[str, str]:
    lines = (folder / CHECKSUMS).read_text().splitlines()
    assert all(line[64:66] == "  " for line in lines)
    return {line[66:]: line[:64] for line in lines}


def unlinkable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EXDEV, "Invalid cross-device link")))
    monkeypatch.setattr(copies, "on_one_file_system", lambda *_: False)


@pytest.mark.parametrize("links", thinned([True, False], 2), ids=["links", "no links"])
def test_a_copy_answers_at_once(links: bool, copied: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the same files, and the catalog says the same, solvers, seconds and patterns included."""
    if not links:
        unlinkable(monkeypatch)
    assert ask("patterns", "doushouqi", "--material", "CvW", "--depth", "0", "--data", copied).code == 0
    copy = tmp_path / "copy"
    answer = ask("copy", "doushouqi", "--data", copied, "--to", copy)
    size = sum(map(len, contents(copied).values()))
    assert answer.code == 0
    assert f"copied to {copy}: 10 of 10 tables, {size:,} bytes\n" in answer.err
    assert answer.err.endswith("hard links: 10, copies: 0\n" if links else "hard links: 0, copies: 10\n")
    assert contents(copy) == contents(copied)
    assert all((copy / name).samefile(copied / name) is links for name in contents(copied))
    assert snapshot(copy) == snapshot(copied)
    assert rows(copy, SOLVERS) == rows(copied, SOLVERS)
    assert rows(copy, PATTERNS) == rows(copied, PATTERNS) != []
    assert ask("probe", "doushouqi", POSITION, "--data", copy).out == ask("probe", "doushouqi", POSITION, "--data", copied).out
    assert ask("verify", "doushouqi", "--data", copy).code == 0
    assert drafts(copy) == [CHECKSUMS]


def test_checksums_are_those_of_the_files(two_pieces: Path, hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Of all tables in the folder, those of an earlier copy included, in order; as `sha256sum` reads it."""
    assert ask("copy", "hexapawn", "--data", hexapawns, "--to", tmp_path).code == 0
    assert ask("copy", "doushouqi", "--data", two_pieces, "--to", tmp_path).code == 0
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents(tmp_path).items()}
    assert len(digests) == 16
    assert list(listed(tmp_path).items()) == sorted(digests.items())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--pieces", "2"], {"CvC", "CvT", "CvW", "RvC", "RvE", "RvR", "RvT", "TvE", "TvL", "TvT"}),
        (["--material", "TvWC", "--material", "RvC"], {"CWvT", "RvC"}),
        (["--material", "RvC", "--pieces", "2-3"], {"RvC", "CWvT", "CvW"}),
        (
            ["--material", "CWvT", "--with-dependencies"],
            {material_name(GAME, one) for one in plan(GAME, None, [parse_material(GAME, "CWvT")])},
        ),
    ],
)
def test_only_what_is_asked_for_is_copied(
    options: list[str], expected: set[str], three_pieces: Path, tmp_path: Path, ask: Ask
) -> None:
    """By pieces, by material, or by both; an alias names the table that represents it."""
    assert ask("copy", "doushouqi", *options, "--data", three_pieces, "--to", tmp_path).code == 0
    assert named(tmp_path) == (named(three_pieces) if "2-3" in options else expected)


def test_a_missing_table_is_named(copied: Path, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    data = Path(shutil.copytree(three_pieces, tmp_path / "data"))
    forget(data, "doushouqi/2/CvT.h5")
    for options, error in (
        (["--material", "CWvT", "--data", copied], "the table CWvT of doushouqi"),
        (["--material", "CWvT", "--with-dependencies", "--data", data], "the table CvT of doushouqi"),
        (["--pieces", "4", "--data", data], "no table of doushouqi"),
        (["--data", tmp_path / "nowhere"], str(tmp_path / "nowhere")),
    ):
        assert_refused(ask("copy", "doushouqi", *options, "--to", tmp_path / "copy"), 2, error)
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("number", thinned([4, 10], 2))
def test_a_copy_goes_on(number: int, two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are there are not copied again, also one that was not registered any more."""
    unlinkable(monkeypatch)
    words = ["copy", "doushouqi", "--data", two_pieces, "--to", tmp_path]
    register, count = transfer._register, []

    def fail(*arguments: Any) -> None:
        count.append(arguments)
        if len(count) == number:
            raise KeyboardInterrupt
        register(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(transfer, "_register", fail)
        assert ask(*words).code == 130
    before = {name: (tmp_path / name).stat().st_ino for name in contents(tmp_path)}
    assert (len(before), drafts(tmp_path), len(rows(tmp_path, SOLVERS))) == (number, [], number - 1)
    answer = ask(*words)
    assert answer.code == 0
    if number < 10:
        assert f"{10 - number} of 10 tables" in answer.err
        assert f"already existed: {number}" in answer.err
    assert {name: (tmp_path / name).stat().st_ino for name in before} == before
    assert contents(tmp_path) == contents(two_pieces)
    assert snapshot(tmp_path) == snapshot(two_pieces)
    assert rows(tmp_path, SOLVERS) == rows(two_pieces, SOLVERS)
    assert "nothing to do" in ask(*words).err


def test_a_file_that_was_lost_is_copied_again(two_pieces: Path, copied: Path, ask: Ask) -> None:
    (copied / "doushouqi/2/RvC.h5").unlink()
    assert "1 of 10 tables" in ask("copy", "doushouqi", "--data", two_pieces, "--to", copied).err
    assert contents(copied) == contents(two_pieces)


@pytest.fixture
def contradicting(copied: Path) -> Path:
    """A folder with another table CvW, with junk in the place of RvC, which is not registered, and without TvE."""
    forge(copied, "UPDATE tables SET values_sha256 = 'other' WHERE material = 'CvW'")
    forget(copied, "doushouqi/2/RvC.h5", "doushouqi/2/TvE.h5")
    (copied / "doushouqi/2/RvC.h5").write_bytes(b"junk")
    (copied / "doushouqi/2/TvE.h5").unlink()
    return copied


def test_a_copy_that_contradicts_changes_nothing(two_pieces: Path, contradicting: Path, ask: Ask) -> None:
    before = contents(contradicting), (contradicting / FILE_NAME).read_bytes()
    answer = ask("copy", "doushouqi", "--data", two_pieces, "--to", contradicting)
    assert_refused(answer, 2, str(contradicting), "CvW.h5 has different values", "RvC.h5 already exists")
    assert "TvE" not in answer.err
    assert (contents(contradicting), (contradicting / FILE_NAME).read_bytes()) == before


def test_a_merge_takes_in_what_does_not_contradict(two_pieces: Path, contradicting: Path, ask: Ask) -> None:
    before = contents(contradicting)
    answer = ask("merge", two_pieces, "--data", contradicting)
    assert_refused(answer, 2, "CvW.h5 has different values", "RvC.h5 already exists")
    assert "1 of 10 tables" in answer.err
    assert contents(contradicting) == before | {"doushouqi/2/TvE.h5": contents(two_pieces)["doushouqi/2/TvE.h5"]}
    assert "TvE" in {row["material"] for row in rows(contradicting, SOLVERS)}


def test_halves_are_merged(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """From two folders comes what was divided among them, solvers and seconds included; what both have is taken once."""
    first, second = tmp_path / "first", tmp_path / "second"
    assert ask("copy", "doushouqi", "--pieces", "2", "--data", three_pieces, "--to", first).code == 0
    options = ["--material", "CWvT", "--with-dependencies"]
    assert ask("copy", "doushouqi", *options, "--data", three_pieces, "--to", second).code == 0
    assert ask("merge", second, "--data", first).code == 0
    assert named(first) == {*named(second), *(Path(name).stem for name in contents(three_pieces) if "/2/" in name)}
    assert contents(first) == {name: data for name, data in contents(three_pieces).items() if name in contents(first)}
    known = {row["material"]: row for row in rows(three_pieces, SOLVERS)}
    assert rows(first, SOLVERS) == [known[name] for name in sorted(named(first))]
    assert list(listed(first)) == sorted(contents(first))
    assert ask("merge", second, "--data", first).err.startswith("nothing to do: all ")
    assert ask("verify", "doushouqi", "--data", first).code == 0


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("rules_digest = 'other'", "CvW.h5 was built with rules that differ"),
        ("game = 'chess'", "CvW.h5 belongs to a game that is not installed"),
        ("file = '../escaped.h5'", "../escaped.h5 has the wrong path"),
        ("file = 'doushouqi/3/CvW.h5'", "doushouqi/3/CvW.h5 has the wrong path"),
        ("material = '../../CvW', file = 'doushouqi/2/../../CvW.h5'", "CvW.h5 has the wrong path"),
        ("material = 'WvC', file = 'doushouqi/2/WvC.h5'", "WvC.h5 has the wrong path"),
    ],
)
def test_a_merge_refuses_what_is_of_no_use_here(
    change: str, error: str, copied: Path, hexapawns: Path, tmp_path: Path, ask: Ask
) -> None:
    """Other rules, games that are not installed, and places where no reader would look, outside of the folder above all."""
    data = Path(shutil.copytree(hexapawns, tmp_path / "deep" / "data"))
    chess = "INSERT INTO games SELECT 'chess', title, rules_digest, side_letters, kinds, seal FROM games"
    forge(copied, chess, f"UPDATE tables SET {change} WHERE material = 'CvW'")
    assert_refused(ask("merge", copied, "--data", data), 2, error, f"1 table cannot be imported into {data}")
    assert len([name for name in contents(data) if name.startswith("doushouqi/")]) == 9
    assert not list(tmp_path.glob("deep/*.h5"))
    assert len(list(tmp_path.rglob("*.h5"))) == 10 + 6 + 9


@pytest.mark.parametrize("command", thinned(["copy", "merge", "pack"], 3))
def test_a_damaged_table_is_not_taken(command: str, copied: Path, tmp_path: Path, ask: Ask) -> None:
    """It is named where it came from, and no draft is left; the same command goes on when it has been repaired."""
    path, target = copied / "doushouqi/2/RvC.h5", tmp_path / "target"
    flip(path, 3000)
    words = ["merge", copied, "--data", target] if command == "merge" else [command, "doushouqi", "--data", copied, "--to", target]
    assert_refused(ask(*words), 1, f"{path} is not the file listed in the catalog")
    assert drafts(target) == []
    assert "RvC" not in named(target)
    aside = path.rename(path.with_suffix(".aside"))
    assert_refused(ask(*words), 2, f"{path} is missing, although the catalog lists it")
    aside.rename(path)
    flip(path, 3000)
    assert ask(*words).code == 0
    assert len(named(target)) == 10


def test_a_seal_that_does_not_fit_is_refused(copied: Path, tmp_path: Path, ask: Ask) -> None:
    path = copied / "doushouqi/2/RvC.h5"
    flip(path, 3000)
    forge(copied, f"UPDATE tables SET file_sha256 = '{hashlib.sha256(path.read_bytes()).hexdigest()}' WHERE material = 'RvC'")
    assert_refused(ask("merge", copied, "--data", tmp_path / "target"), 1, f"{path} has changed since it was written")


@pytest.mark.parametrize("words", [["copy", "doushouqi"], ["merge"], ["pack", "doushouqi"], ["unpack"]], ids=lambda words: words[0])
def test_a_folder_is_not_its_own_copy(words: list[str], copied: Path, ask: Ask) -> None:
    (copied.parent / "x").mkdir()
    other = copied.parent / "x" / ".." / copied.name
    both = {"merge": [other, "--data", copied], "unpack": [copied, "--to", other]}
    answer = ask(*words, *both.get(words[0], ["--data", copied, "--to", other]))
    assert_refused(answer, 2, "is both the source and the destination")


def test_a_disk_that_is_too_small(two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is copied unless everything fits, to the byte; hard links need no space."""
    size, copy = sum(map(len, contents(two_pieces).values())), tmp_path / "copy"
    words = ["copy", "doushouqi", "--data", two_pieces, "--to"]
    monkeypatch.setattr(copies, "free_space", lambda _: size - 1)
    assert ask(*words, tmp_path / "links").code == 0
    unlinkable(monkeypatch)
    assert_refused(ask(*words, copy), 3, f"{size:,} bytes on the disk of {copy}", f"{size - 1:,}")
    assert contents(copy) == {}
    monkeypatch.setattr(copies, "free_space", lambda _: size)
    assert ask(*words, copy).code == 0


def test_games_with_chance(piglet_tables: Path, two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    game, copy = "pig-die=2-target=3", tmp_path / "copy"
    assert ask("copy", game, "--data", piglet_tables, "--to", copy).code == 0
    assert ask("merge", piglet_tables, "--data", copy).code == 0
    assert ask("merge", two_pieces, "--data", copy).code == 0
    seconds = "SELECT file, seconds, file_sha256 FROM layers ORDER BY file"
    assert rows(copy, seconds) == rows(piglet_tables, seconds) != []
    assert contents(copy) == contents(piglet_tables) | contents(two_pieces)
    assert_refused(ask("copy", game, "--pieces", "2", "--data", piglet_tables, "--to", copy), 2)


BUILT_BY = "SELECT material, engine, seconds, values_sha256 FROM tables ORDER BY material"
MATERIALS = ["CWvT", "CEvT", "RvC"]


@pytest.fixture(scope="module")
def packed(three_pieces: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some tables of three pieces with what they depend on, packed; to be read only."""
    folder = tmp_path_factory.mktemp("packed") / "tables"
    options = [f"--material={name}" for name in MATERIALS]
    words = ["pack", "doushouqi", *options, "--with-dependencies", f"--data={three_pieces}", f"--to={folder}", "--workers=1"]
    assert run(words) == 0
    return folder


def test_packed_tables_are_smaller(packed: Path, three_pieces: Path) -> None:
    """Tables larger than a chunk of built tables get chunks of a different size."""
    names = list(contents(packed))
    sizes = [sum(len(contents(folder)[name]) for name in names) for folder in (packed, three_pieces)]
    assert sizes[0] < sizes[1]
    for folder, larger in ((packed, True), (three_pieces, False)):
        with h5py.File(table_of(folder, "CEvT"), "r") as file:
            assert (file["w"].chunks == file["w"].shape) is larger


def test_the_catalog_says_the_same(packed: Path, three_pieces: Path) -> None:
    """But for the size and the digest of the files."""
    known = {row["material"]: row for row in rows(three_pieces, BUILT_BY)}
    assert rows(packed, BUILT_BY) == [known[row["material"]] for row in rows(packed, BUILT_BY)] != []
    assert len((packed / CHECKSUMS).read_text().splitlines()) == len(contents(packed))
    assert drafts(packed) == [CHECKSUMS]


def test_unpacked_tables_are_those_that_were_built(packed: Path, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Byte by byte, with all that the catalog said of them."""
    assert ask("unpack", packed, "--to", tmp_path).code == 0
    assert contents(tmp_path) == {name: contents(three_pieces)[name] for name in contents(packed)}
    known = {row["material"]: row for row in rows(three_pieces, BUILT_BY)}
    assert rows(tmp_path, BUILT_BY) == [known[row["material"]] for row in rows(tmp_path, BUILT_BY)]
    expected = {row["material"]: row for row in snapshot(three_pieces)[0] if row["file"] in contents(packed)}
    assert {row["material"]: row for row in snapshot(tmp_path)[0]} == expected


def test_one_form_does_not_contradict_the_other(packed: Path, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Tables with the same values are the same tables: those that are there stay as they are."""
    assert ask("copy", "doushouqi", "--material", "CEvT", "--data", three_pieces, "--to", tmp_path).code == 0
    before = contents(tmp_path)
    assert ask("merge", packed, "--data", tmp_path).code == 0
    assert {name: data for name, data in contents(tmp_path).items() if name in before} == before
    assert contents(tmp_path) == contents(packed) | before


def test_what_was_written_is_read_back(two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft that does not hold the values that were registered is not published, and none is left."""
    rewrite = SliceTables.rewrite

    def damaged(*arguments: Any) -> Path:
        draft = rewrite(*arguments)
        with h5py.File(draft, "r+") as opened:
            values = opened["w"][:]
            values[0] = values[1] = values[2]
            opened["w"][:] = values
        return draft

    monkeypatch.setattr(SliceTables, "rewrite", damaged)
    answer = ask("pack", "doushouqi", "--material", "CvW", "--data", two_pieces, "--to", tmp_path)
    assert_refused(answer, CorruptTableError.exit_code, "does not contain the values it was written with")
    assert (contents(tmp_path), drafts(tmp_path)) == ({}, [])


@pytest.mark.parametrize("command", [["pack", "doushouqi", "--data", "{two}"], ["unpack", "{two}"]])
def test_packing_knows_folders_alone(command: list[str], two_pieces: Path, ask: Ask) -> None:
    answer = ask(*(word.format(two=two_pieces) for word in command), "--to", "s3://bucket/path")
    assert_refused(answer, 2)
    assert "s3://bucket/path is an object store" in answer.err
    assert not Path("s3:").exists()
