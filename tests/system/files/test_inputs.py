"""Texts up to a largest size, from files and from dialogues."""

import io
from pathlib import Path

import pytest

from tablebase.errors import TablebaseError
from tablebase.system.files.inputs import lines_of, read_lines, read_text

HINT = "name another file"


def test_a_text_may_be_as_large_as_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("é\r\nb".encode())
    assert read_text(path, HINT, 5) == "é\nb"
    with pytest.raises(TablebaseError, match=f"a.txt has more than 4 bytes: {HINT}"):
        read_text(path, HINT, 4)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
    assert read_text(path, HINT) == "a\n\ufeffb\n"
    assert list(read_lines(path, HINT)) == ["a\n", "\ufeffb\n"]


@pytest.mark.parametrize(
    ("name", "error"), [("/dev/zero", "has more than 1,000 bytes"), ("/nowhere/x", "No such file"), ("/", "Is a")]
)
def test_what_is_no_text_is_refused(name: str, error: str) -> None:
    with pytest.raises(TablebaseError, match=f"^{name} .*{error}.*{HINT}"):
        read_text(Path(name), HINT, 1000)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xff")
    with pytest.raises(TablebaseError, match="is not a list: name another"):
        read_text(path, HINT, what="a list")


def test_lines_that_are_too_long_are_cut() -> None:
    lines = lines_of(io.StringIO("go\n" + 100 * "x" + "\nabcd\nabcde\nquit"), 4)
    assert list(lines) == ["go\n", "xxxxx", "abcd\n", "abcde", "quit"]
