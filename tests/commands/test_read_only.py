"""Folders that can only be read, disks that are full, and rights that are missing."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.catalogs import forge
from support.checks import at_least_one, before_release
from support.program import Answer, Ask, contents, files_of_at_most

from tablebase.building.slice_work import make_table
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CapacityError, TablebaseError, system_error
from tablebase.positions.material import parse_material
from tablebase_rules.doushouqi import game as doushouqi

POSITION = "7/7/7/7/3c3/7/7/R6/7 w"

READING = [
    ["probe", "doushouqi", POSITION],
    ["line", "doushouqi", POSITION, "--format", "csv"],
    ["stats", "doushouqi"],
    ["sql", "SELECT count(*) FROM distances"],
    ["mine", "doushouqi", "SELECT max(p1_file) FROM positions"],
    ["estimate", "doushouqi", "--pieces", "2", "--workers", "1"],
    ["build", "doushouqi", "--pieces", "2"],
    ["export", "doushouqi", "--to", "{other}/parquet", "--material", "RvC"],
    ["patterns", "doushouqi", "--material", "RvC", "--depth", "0", "--workers", "1"],
    ["plot", "distances", "doushouqi", "--output", "{other}/chart.svg"],
    ["verify", "doushouqi", "--material", "RvC"],
]
"""Commands that only read the folder of the tables."""
WRITING = [["build", "doushouqi", "--material", "RCvW"], ["reindex"], ["prune", "--yes"]]

RUN = """
import contextlib, io, json, sys
from tablebase.commands.program import run
answers = []
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    answers.append([code, out.getvalue(), err.getvalue()])
json.dump(answers, sys.stdout)
"""
"""Runs several commands in one process."""


def mounting() -> list[str]:
    """Words before a command that give it a view of the file system of its own, in which it may mount folders."""
    words = ["unshare", "--mount"]
    if os.geteuid() != 0 or shutil.which(words[0]) is None or subprocess.run([*words, "true"], check=False).returncode:
        pytest.skip("only the superuser can mount a folder, and only where the container allows it")
    return words


def ask_where(prepare: str, folder: Path, commands: list[list[str]], before: list[str]) -> list[Answer]:
    """Run commands in a process for which a shell has prepared the folder."""
    words = [[*(word.format(other=folder.parent) for word in command), "--data", str(folder)] for command in commands]
    shell = ["sh", "-ec", f'{prepare}; exec "$@"', "sh"]
    done = subprocess.run(
        [*before, *shell, sys.executable, "-c", RUN, json.dumps(words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [Answer(*answer) for answer in at_least_one(json.loads(done.stdout))]


def ask_in_read_only(folder: Path, commands: list[list[str]]) -> list[Answer]:
    """Run commands where nothing in the folder can be changed: permissions do not bind the superuser, but a mount does."""
    if os.geteuid() != 0:
        return ask_where(f"chmod -R a-w '{folder}'", folder, commands, [])
    return ask_where(f"mount --bind '{folder}' '{folder}'; mount -o remount,ro,bind '{folder}'", folder, commands, mounting())


@pytest.mark.full
def test_what_only_reads_works_in_a_folder_that_can_only_be_read(copied: Path, ask: Ask) -> None:
    *read, built, reindexed, pruned = ask_in_read_only(copied, READING + WRITING)
    for words, answer in zip(READING, read, strict=True):
        assert (answer.code, answer.errors) == (0, []), (words, answer.err)
        if words[0] in ("probe", "line", "stats", "sql", "mine"):
            assert answer.out == ask(*words, "--data", copied).out
    for answer in (built, reindexed, pruned):
        (error,) = answer.errors
        assert error in [
            f"error: {place} cannot be used ({reason}): ask the owner for permission, or {hint}"
            for reason in ("Read-only file system", "Permission denied")
            for place, hint in ((copied, "choose another folder for --data"), (copied / FILE_NAME, "use another folder"))
        ]
        assert answer.code == 2


def test_an_interrupted_change_in_a_folder_that_can_only_be_read(copied: Path, ask: Ask) -> None:
    """The journal that a killed writer left cannot be played back there; the catalog is read as it was before."""
    said = ask("stats", "doushouqi", "--data", copied).out
    torn = copied.with_name("torn")
    writer = sqlite3.connect(copied / FILE_NAME, isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE distances SET placements = 0")
    writer.execute("UPDATE slices SET material = 'none' || id")
    shutil.copytree(copied, torn)
    writer.close()
    (answer,) = ask_in_read_only(torn, [["stats", "doushouqi"]])
    assert (answer.code, answer.out) == (0, said)


@pytest.mark.full
@pytest.mark.parametrize(
    ("option", "fill"),
    [
        ("size=1m", "dd if=/dev/zero of=fill bs=1k"),
        # Room in files that exist, but for no further file: SQLite cannot open its journal, and does not say why.
        ("nr_inodes=100", "i=0; while touch fill$i; do i=$((i + 1)); done"),
    ],
    ids=["bytes", "files"],
)
def test_what_only_reads_works_on_a_full_disk(option: str, fill: str, copied: Path) -> None:
    source = copied.with_name("source")
    shutil.copytree(copied, source)
    full = f"mount -t tmpfs -o {option} tmpfs '{copied}'; cp -r '{source}/.' '{copied}'; cd '{copied}'; {fill}"
    reading = [words for words in READING if words[0] not in ("patterns", "export", "plot", "verify")]
    into = [["patterns", "doushouqi", "--material", "RvC", "--depth", "0", "--workers", "1"], ["reindex"]]
    answers = ask_where(f"({full} || true) 2> '{copied}.log'", copied, reading + into, mounting())
    for words, answer in zip(reading, answers[: len(reading)], strict=True):
        assert (answer.code, answer.errors) == (0, []), (words, answer.err)
    for answer in answers[len(reading) :]:
        (error,) = answer.errors
        assert error.startswith(f"error: no space is left for {copied}"), error
        assert "(No space left on device): free some space, or " in error
        assert answer.code == 3


SIZES = (0, 100, 1000, 4096, 10_000, 30_000, 90_000)
"""Bytes at which a catalog's journal or its pages are refused, early or late."""


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def test_a_table_that_does_not_fit_is_a_sentence(copied: Path) -> None:
    """HDF5 fails in different ways, when it writes or when it closes the file; neither shows its inside, or leaves a draft."""
    path = copied / "doushouqi" / "2" / "RvC.h5"
    path.unlink()
    material = parse_material(doushouqi(), "RvC")
    # Kernels are compiled now, since they are files as well.
    draft = make_table("doushouqi", copied, "auto", material).draft
    assert draft is not None
    draft.unlink()
    for size in (600, 6000):
        with files_of_at_most(size), pytest.raises(CapacityError) as refused:
            make_table("doushouqi", copied, "auto", material)
        assert str(refused.value) == f"no space is left for {path} (File too large): free some space, or use another folder"
        assert [file.name for file in path.parent.iterdir() if file.name.startswith(".")] == []
        assert not path.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["build", "hexapawn", "--pieces", "2"],
        *before_release(
            ["reindex"], ["prune", "--yes"], ["patterns", "hexapawn", "--material", "PPvP", "--depth", "0", "--workers", "1"]
        ),
    ],
    ids=lambda words: words[0],
)
def test_a_catalog_that_may_not_grow_is_a_sentence(words: list[str], hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    folder = tmp_path / "tables"
    shutil.copytree(hexapawns, folder)
    forge(folder, "UPDATE tables SET rules_digest = 'old' WHERE material = 'PvP'")
    before = everything(folder)
    rehearsed = tmp_path / "rehearsed"
    shutil.copytree(folder, rehearsed)
    # Kernels are compiled now, since they are files as well.
    assert ask(*words, "--data", rehearsed).code == 0
    refused = []
    for size in SIZES:
        with files_of_at_most(size):
            answer = ask(*words, "--data", folder)
        if answer.code != 0:
            refused.append(size)
            (error,) = answer.errors
            assert error.startswith(f"error: no space is left for {folder}/"), error
            assert answer.code == 3
            # Where even the old pages were refused, there is a journal, which the next writer plays back.
            with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            assert everything(folder) == before
    assert at_least_one(refused)
    assert ask(*words, "--data", folder).code == 0
    assert everything(folder) != before


@pytest.mark.parametrize("size", SIZES)
def test_a_catalog_that_cannot_be_made_is_not_there(size: int, tmp_path: Path, ask: Ask) -> None:
    with files_of_at_most(size):
        answer = ask("build", "hexapawn", "--pieces", "2", "--data", tmp_path)
    (error,) = answer.errors
    assert error.startswith(f"error: no space is left for {tmp_path}/"), error
    assert answer.code == 3
    assert list(tmp_path.glob(f"{FILE_NAME}*")) == []
    made = contents(tmp_path)
    assert ask("stats", "hexapawn", "--data", tmp_path).code == 2
    assert ask("build", "hexapawn", "--pieces", "2", "--data", tmp_path).code == 0
    assert made in ({}, contents(tmp_path))


@pytest.mark.parametrize(
    ("number", "code", "sentence"),
    [
        (errno.ENOSPC, 3, "no space is left for data (No space left on device): free some space, or use a copy"),
        (errno.EDQUOT, 3, "no space is left for data (Disk quota exceeded): free some space, or use a copy"),
        (errno.EACCES, 2, "data cannot be used (Permission denied): ask the owner for permission, or use a copy"),
        (errno.EROFS, 2, "data cannot be used (Read-only file system): ask the owner for permission, or use a copy"),
        (errno.EISDIR, 2, "data cannot be used (Is a directory): use a copy"),
    ],
)
def test_space_rights_and_other_reasons_are_told_apart(number: int, code: int, sentence: str) -> None:
    for error in (
        system_error(OSError(number, "whatever"), "data", "use a copy"),
        system_error(OSError(number, "whatever", "data"), hint="use a copy"),
    ):
        assert isinstance(error, TablebaseError)
        assert (str(error), error.exit_code) == (sentence, code)
