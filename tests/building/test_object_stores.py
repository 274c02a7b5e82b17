"""Copies in an object store, here in memory: whole files, the catalog last, and the way back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from support.catalogs import SOLVERS, forge, rows, snapshot
from support.checks import thinned
from support.program import Ask, assert_refused, contents

from tablebase.building import copies
from tablebase.building.transfer import CHECKSUMS
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.tables.object_store import ObjectStore

URL = "memory://bucket/path"


@pytest.fixture
def stored() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.store.clear()
    yield files
    files.store.clear()


def held(stored: Any) -> dict[str, bytes]:
    return {name.removeprefix("/bucket/path/"): stored.cat_file(name) for name in stored.find("/")}


@pytest.mark.parametrize("url", thinned([URL, f"{URL}/"], 2))
def test_there_and_back(url: str, two_pieces: Path, tmp_path: Path, stored: Any, ask: Ask) -> None:
    """The very files, checksums, and a catalog that says the same; merged from there, a folder answers."""
    assert ask("copy", "doushouqi", "--data", two_pieces, "--to", url).code == 0
    found = held(stored)
    assert found.keys() == {*contents(two_pieces), FILE_NAME, CHECKSUMS}
    assert {name: data for name, data in found.items() if name.endswith(".h5")} == contents(two_pieces)
    assert len(found[CHECKSUMS].splitlines()) == 10
    assert ask("merge", url, "--data", tmp_path / "back").code == 0
    assert contents(tmp_path / "back") == contents(two_pieces)
    assert snapshot(tmp_path / "back") == snapshot(two_pieces)
    assert rows(tmp_path / "back", SOLVERS) == rows(two_pieces, SOLVERS)


def test_other_values_there_are_not_replaced(two_pieces: Path, copied: Path, stored: Any, ask: Ask) -> None:
    assert ask("copy", "doushouqi", "--material", "RvC", "--data", two_pieces, "--to", URL).code == 0
    before = held(stored)
    forge(copied, "UPDATE tables SET values_sha256 = 'other' WHERE material = 'RvC'")
    answer = ask("copy", "doushouqi", "--data", copied, "--to", URL)
    assert_refused(answer, 2, URL, "doushouqi/2/RvC.h5 has different values")
    assert held(stored) == before


def test_an_interrupted_copy_goes_on(
    two_pieces: Path, copied: Path, stored: Any, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the catalog that was stored last, which never lists what is not there."""
    monkeypatch.setattr(copies, "INTERVAL", -1.0)
    put, names = ObjectStore.put, []

    def fail(store: ObjectStore, path: Path, file: str) -> None:
        names.append(file)
        if sum(name.endswith(".h5") for name in names) == 5:
            raise OSError("the connection was lost")
        put(store, path, file)

    monkeypatch.setattr(ObjectStore, "put", fail)
    words = ["copy", "doushouqi", "--data", two_pieces, "--to", URL]
    assert ask(*words).code == 2
    assert [name.endswith(".h5") for name in names[:4]] == [True, False, True, False]
    assert names[1] == FILE_NAME
    monkeypatch.setattr(ObjectStore, "put", put)
    assert len([name for name in held(stored) if name.endswith(".h5")]) == 4
    answer = ask(*words)
    assert "6 of 10 tables" in answer.err
    assert "already existed: 4" in answer.err
    assert ask("merge", URL, "--data", copied).code == 0


def test_the_catalog_of_a_store_that_must_be_rebuilt(two_pieces: Path, tmp_path: Path, stored: Any, ask: Ask) -> None:
    """Its files are not here, so the sentence names it and another way, which works; nothing is lost."""
    words = ["copy", "doushouqi", "--data", two_pieces, "--to", URL]
    assert ask(*words).code == 0
    before = held(stored)
    stored.pipe_file(f"/bucket/path/{FILE_NAME}", b"no database")
    for command in (words, ["merge", URL, "--data", tmp_path / "here"]):
        assert_refused(ask(*command), 2, f"{URL}/{FILE_NAME} is damaged (")
    stored.rm_file(f"/bucket/path/{FILE_NAME}")
    assert ask(*words).code == 0
    assert held(stored) | {FILE_NAME: b""} == before | {FILE_NAME: b""}
    assert ask("merge", URL, "--data", tmp_path / "here").code == 0


def test_a_damaged_object_is_named(two_pieces: Path, tmp_path: Path, stored: Any, ask: Ask) -> None:
    assert ask("copy", "doushouqi", "--data", two_pieces, "--to", URL).code == 0
    data = bytearray(held(stored)["doushouqi/2/RvC.h5"])
    data[3000] ^= 1
    stored.pipe_file("/bucket/path/doushouqi/2/RvC.h5", bytes(data))
    answer = ask("merge", URL, "--data", tmp_path)
    assert_refused(answer, 1)
    assert f"error: {URL}/doushouqi/2/RvC.h5 is not the file listed in the catalog" in answer.err
    assert "doushouqi/2/RvC.h5" not in contents(tmp_path)


@pytest.mark.parametrize(("url", "error"), [(URL, f"no tablebase in {URL}"), ("nope://bucket/path", "nope://bucket/path")])
@pytest.mark.usefixtures("stored")
def test_an_address_without_tables(url: str, error: str, tmp_path: Path, ask: Ask) -> None:
    assert_refused(ask("merge", url, "--data", tmp_path / "data"), 2, error)
    assert not (tmp_path / "data").exists()


def test_without_the_extra(two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.errors.find_spec", lambda _: None)
    for words in (["copy", "doushouqi", "--data", two_pieces, "--to", URL], ["merge", URL, "--data", two_pieces]):
        assert_refused(ask(*words), 2, "s3fs", "pip install 'endgame-tablebase[store]'")
