"""The writer of outputs: whole files or none, drafts that do not stay, and places that are refused."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import files_of_at_most

from tablebase.catalog.postgresql import ID_FILE
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CapacityError, TablebaseError
from tablebase.system.files.outputs import (
    MARKS,
    appended,
    check_output,
    draft_of,
    tablebase_of,
    write_text,
    written,
    written_folder,
)

HINT = "choose another file for --output"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Until the end of the block the old content is there; its permissions stay, and no draft does."""
    path = tmp_path / "a.csv"
    path.write_text("old")
    path.chmod(0o600)
    with written(path, HINT) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
        assert len(names(tmp_path)) == 2
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(tmp_path) == ["a.csv"]


def test_a_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")

    def fail(error: BaseException) -> None:
        with written(path, HINT) as file:
            file.write(b"new")
            raise error

    with pytest.raises(KeyboardInterrupt):
        fail(KeyboardInterrupt())
    with pytest.raises(TablebaseError, match=f"^{path} cannot be used .*{HINT}$"):
        fail(OSError(5, "Input/output error"))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_only_old_drafts_of_the_same_file_are_removed(tmp_path: Path) -> None:
    """Two processes may write one file at the same time, and a file whose name begins in the same way is another file."""
    path = tmp_path / "a[1].csv"
    old, other, notes = draft_of(path), draft_of(tmp_path / "a[1].csv.old"), tmp_path / ".a[1].csv.notes.tmp"
    for left in (old, other, notes):
        left.touch()
        os.utime(left, (0, 0))
    new = draft_of(path)
    new.touch()
    write_text(path, "x", HINT)
    assert names(tmp_path) == sorted([path.name, new.name, other.name, notes.name])


def test_a_long_name_has_a_draft(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 120 + ".csv")
    write_text(path, "x", HINT)
    assert names(tmp_path) == [path.name]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "there" / "a.csv")
    write_text(link, "x", HINT)
    assert link.is_symlink()
    assert names(tmp_path / "there") == ["a.csv"]


def test_a_folder_is_there_when_it_is_whole(tmp_path: Path) -> None:
    folder, old = tmp_path / "new", draft_of(tmp_path / "new")
    old.mkdir()
    (old / "000.svg").write_text("half")
    os.utime(old, (0, 0))

    def fail() -> None:
        with written_folder(folder, HINT) as draft:
            (draft / "000.svg").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names(tmp_path) == []
    folder.mkdir()
    with written_folder(folder, HINT) as draft:
        (draft / "000.svg").write_text("whole")
    assert names(tmp_path) == ["new"]
    assert names(folder) == ["000.svg"]


def test_pipes_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    write_text(pipe, "through", HINT)
    assert reader.communicate()[0] == "through"
    assert pipe.is_fifo()
    for device in (os.devnull, "/dev/zero"):
        write_text(Path(device), "gone", HINT)
        assert Path(device).is_char_device()
    program = "from pathlib import Path; from tablebase.system.files.outputs import write_text as w; "
    program += f"w(Path('/dev/stdout'), 'x', {HINT!r})"
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", f"print('before'); {program}; print('after')"], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "before\nxafter\n"


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("folder", "folder is a folder"),
        ("no/a.csv", "does not exist: create the folder"),
        ("file/a.csv", "does not exist: create the folder"),
        ("input.csv", "input.csv is already an input or output of this command"),
        ("link.csv", "link.csv is already an input or output of this command"),
        ("later/deep/a.csv", "is in the tablebase folder"),
        ("socket", "is a socket"),
        ("x" * 300, "cannot be used \\(File name too long\\)"),
    ],
)
def test_what_is_refused(place: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, with a hint, and nothing is written; also for root."""
    import socket

    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "input.csv").write_text("mine")
    (tmp_path / "link.csv").symlink_to("input.csv")
    before = names(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        # The names of sockets must be short.
        monkeypatch.chdir(tmp_path)
        one.bind("socket")
        with pytest.raises(TablebaseError, match=f"{error}.*{HINT}") as caught:
            check_output(tmp_path / place, HINT, inputs=[None, tmp_path / "input.csv"], folder=tmp_path / "later")
    assert caught.value.exit_code == 2
    assert names(tmp_path) == sorted([*before, "socket"])


def test_what_may_not_be_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with appended(path, HINT, new=True) as file:
        file.write("one\n")
    with appended(path, HINT) as file:
        file.write("two\n")
        assert path.read_text() == "one\ntwo\n"
    with pytest.raises(TablebaseError, match=f"already exists: {HINT}"):
        appended(path, HINT, new=True)


def test_a_file_that_cannot_grow_is_named(tmp_path: Path) -> None:
    """When lines are added to it, and when it is closed, for what is left is written then."""
    path = tmp_path / "log"
    file = appended(path, HINT)
    file.write("first\n")
    with files_of_at_most(10):
        for add in (lambda: file.write("second\n"), file.close):
            with pytest.raises(CapacityError, match=f"no space is left for {path}"):
                add()
    assert path.read_text() == "first\nseco"


def test_the_folder_of_a_tablebase_is_known_by_its_catalog_or_its_tables(two_pieces: Path, tmp_path: Path) -> None:
    """At any depth by the catalog or the id of one in PostgreSQL; without it, beside tables."""
    assert set(MARKS) == {FILE_NAME, ID_FILE}
    assert tablebase_of(two_pieces / "doushouqi" / "2" / "RvT.h5") == two_pieces
    assert tablebase_of(two_pieces / "new.csv") == two_pieces
    assert tablebase_of(two_pieces / "some" / "where" / "new.csv") == two_pieces
    (tmp_path / "RvT.h5").write_bytes((two_pieces / "doushouqi" / "2" / "RvT.h5").read_bytes())
    assert tablebase_of(tmp_path / "new.csv") == tmp_path
    (tmp_path / "RvT.h5").write_bytes(b"\x89HDF of another program")
    assert tablebase_of(tmp_path / "new.csv") is None


def test_rights_are_asked_for_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("mine")
    for refused in (tmp_path, tmp_path / "a.csv"):
        monkeypatch.setattr(os, "access", lambda path, _, refused=refused: Path(path) != refused)
        with pytest.raises(TablebaseError, match=f"a.csv cannot be used .Permission denied.: ask the owner .*{HINT}"):
            check_output(tmp_path / "a.csv", HINT)
