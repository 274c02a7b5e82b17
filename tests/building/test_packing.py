"""Packed tables: smaller, and with the same answers; unpacked, they are the files that a build writes."""

from pathlib import Path
from typing import Any

import h5py
import hdf5plugin  # noqa: F401 (gives h5py the compression)
import pytest
from support.catalogs import rows, snapshot
from support.program import Ask, assert_refused, contents, drafts, table_of

from tablebase.building.kind import TableKind
from tablebase.building.layer_kind import LayerTables
from tablebase.building.slice_kind import SliceTables
from tablebase.building.transfer import CHECKSUMS
from tablebase.commands.program import run
from tablebase.errors import CorruptTableError

SOLVERS = "SELECT material, engine, seconds, values_sha256 FROM tables ORDER BY material"
MATERIALS = ["CWvT", "CEvT", "RvC"]


@pytest.fixture(scope="module")
def packed(three_pieces: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some tables of three pieces with what they depend on, packed; to be read only."""
    folder = tmp_path_factory.mktemp("packed") / "tables"
    options = [f"--material={name}" for name in MATERIALS]
    words = [
        "pack",
        "doushouqi",
        *options,
        "--with-dependencies",
        "--data",
        str(three_pieces),
        "--to",
        str(folder),
        "--workers",
        "1",
    ]
    assert run(words) == 0
    return folder


def test_packed_tables_are_smaller(packed: Path, three_pieces: Path) -> None:
    """And in chunks of their own, where a table is larger than a chunk of those that are built."""
    names = list(contents(packed))
    sizes = [sum(len(contents(folder)[name]) for name in names) for folder in (packed, three_pieces)]
    assert sizes[0] < sizes[1]
    for folder, larger in ((packed, True), (three_pieces, False)):
        with h5py.File(table_of(folder, "CEvT"), "r") as file:
            assert (file["w"].chunks == file["w"].shape) is larger


def test_the_catalog_says_the_same(packed: Path, three_pieces: Path) -> None:
    """But for the size and the digest of the files."""
    known = {row["material"]: row for row in rows(three_pieces, SOLVERS)}
    assert rows(packed, SOLVERS) == [known[row["material"]] for row in rows(packed, SOLVERS)] != []
    assert len((packed / CHECKSUMS).read_text().splitlines()) == len(contents(packed))
    assert drafts(packed) == [CHECKSUMS]


def test_unpacked_tables_are_those_that_were_built(packed: Path, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Byte by byte, with all that the catalog said of them."""
    assert ask("unpack", packed, "--to", tmp_path).code == 0
    assert contents(tmp_path) == {name: contents(three_pieces)[name] for name in contents(packed)}
    known = {row["material"]: row for row in rows(three_pieces, SOLVERS)}
    assert rows(tmp_path, SOLVERS) == [known[row["material"]] for row in rows(tmp_path, SOLVERS)]
    expected = {row["material"]: row for row in snapshot(three_pieces)[0] if row["file"] in contents(packed)}
    assert {row["material"]: row for row in snapshot(tmp_path)[0]} == expected


def test_one_form_does_not_contradict_the_other(packed: Path, three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Tables with the same values are the same tables: those that are there stay as they are."""
    assert ask("copy", "doushouqi", "--material", "CEvT", "--data", three_pieces, "--to", tmp_path).code == 0
    before = contents(tmp_path)
    assert ask("merge", packed, "--data", tmp_path).code == 0
    assert {name: data for name, data in contents(tmp_path).items() if name in before} == before
    assert contents(tmp_path) == contents(packed) | before


@pytest.mark.parametrize(
    ("sort", "words", "name", "fault"),
    [
        (SliceTables, ["doushouqi", "--material", "CvW", "--data", "two_pieces"], "w", "the values that were registered"),
        (LayerTables, ["pig-die=2-target=3", "--data", "piglet_tables"], "lower", "the values it was written with"),
    ],
    ids=["slices", "layers"],
)
def test_what_was_written_is_read_back(
    sort: type[TableKind[Any, Any]],
    words: list[str],
    name: str,
    fault: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A draft that does not hold the values that were registered is not published, and none is left."""
    rewrite = sort.rewrite

    def damaged(*arguments: Any) -> Path:
        draft = rewrite(*arguments)
        with h5py.File(draft, "r+") as opened:
            values = opened[name][:]
            values[0] = values[1] = values[2]
            opened[name][:] = values
        return draft

    monkeypatch.setattr(sort, "rewrite", damaged)
    folder = request.getfixturevalue(words[-1])
    answer = ask("pack", *words[:-1], folder, "--to", tmp_path)
    assert_refused(answer, CorruptTableError.exit_code, f"does not hold {fault}")
    assert (contents(tmp_path), drafts(tmp_path)) == ({}, [])


@pytest.mark.parametrize("command", [["pack", "doushouqi", "--data", "{two}"], ["unpack", "{two}"]])
def test_packing_knows_folders_alone(command: list[str], two_pieces: Path, ask: Ask) -> None:
    """An address is not taken for the name of a folder."""
    answer = ask(*(word.format(two=two_pieces) for word in command), "--to", "s3://bucket/path")
    assert_refused(answer, 2)
    assert "s3://bucket/path is not a folder" in answer.err
    assert not Path("s3:").exists()
