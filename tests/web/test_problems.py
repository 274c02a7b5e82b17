"""Sentences for people elsewhere: the names of files are left out by what errors carry, and words that look like them are not."""

import errno
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest.mock import Mock

import pytest

from tablebase.errors import RulesError, TablebaseError, system_error
from tablebase.game.installed import _load
from tablebase.web.problems import without_paths
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
        (TablebaseError("the data have no place").naming("data"), "the data have no place"),
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


def test_a_game_that_cannot_be_loaded_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence of Python quotes the file from which nothing could be imported."""
    point = EntryPoint("chess", "os:nowhere", "tablebase.games")
    with pytest.raises(ImportError) as caught:
        from os import nowhere  # type: ignore[attr-defined]  # noqa: F401
    monkeypatch.setattr(EntryPoint, "load", Mock(side_effect=caught.value))
    with pytest.raises(RulesError) as fault:
        _load(point)
    assert without_paths(fault.value, Settings(Path("/srv"))).endswith("ImportError: cannot import name 'nowhere' from 'os' (…)")
