"""Sentences for people elsewhere: the names of files are left out by what errors carry, and words that look like them are not."""

import errno
from pathlib import Path

import pytest

from tablebase.errors import RulesError, TablebaseError, files_of, system_error
from tablebase.web.hidden import without_paths
from tablebase.web.settings import Settings


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (system_error(PermissionError(errno.EACCES, "", "/srv/other/x")), "… cannot be used (Permission denied): ask its owner"),
        (system_error(OSError(errno.ENOSPC, ""), "/srv/a b/x.h5"), "there is no space left for x.h5 (No space"),
        (system_error(OSError(errno.ENOMEM, ""), Path("/srv/other")), "there is no memory left for … (Cannot"),
        (TablebaseError("write and/or read /srv/a b/x.h5"), "write and/or read x.h5"),
        (
            TablebaseError("""nothing in /srv/a b: run 'tablebase reindex --data "/srv/a b"'"""),
            "nothing in this tablebase: run 'tablebase reindex'",
        ),
        (TablebaseError("the data have no place", places=["data"]), "the data have no place"),
        ("run 'tablebase reindex --catalog postgresql+psycopg://me@host/db'", "run 'tablebase reindex'"),
        ("postgresql://me:secret@host/db", "the database of the catalog"),
    ],
)
def test_names_of_files_are_left_out(said: TablebaseError | str, expected: str) -> None:
    assert without_paths(said, Settings(Path("/srv/a b"), "postgresql://me:secret@host/db")).startswith(expected)


def test_a_relative_folder_is_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is often called data; links to it are names of it as well."""
    (tmp_path / "real").mkdir()
    (tmp_path / "data").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    sentence = f"the data of {tmp_path}/data/x.h5 and {tmp_path}/real/x.h5"
    assert without_paths(sentence, Settings(Path("data"))) == "the data of x.h5 and x.h5"


def test_files_that_python_names() -> None:
    """The sentence of an import that fails quotes the file; so do errors of the operating system."""
    with pytest.raises(ImportError) as caught:
        from os import nowhere  # type: ignore[attr-defined]  # noqa: F401
    fault = RulesError(f"cannot be loaded: {caught.value}", places=files_of(caught.value))
    assert without_paths(fault, Settings(Path("/srv"))) == "cannot be loaded: cannot import name 'nowhere' from 'os' (…)"
    assert files_of(FileNotFoundError(errno.ENOENT, "", "/srv/x")) == ["/srv/x"]
