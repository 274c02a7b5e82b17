"""Counts of a tablebase that is not complete: each says how much of it there is."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.commands.descriptions import list_built
from tablebase.errors import MissingTableError


@pytest.fixture
def pawns(hexapawns: Path, tmp_path: Path) -> Path:
    """A copy of all tables of Hexapawn."""
    folder = tmp_path / "pawns"
    shutil.copytree(hexapawns, folder)
    return folder


def test_complete_counts_say_so(foxes: Path, ask: Ask) -> None:
    """Also where either side may be to move, so that a material has two slices."""
    answer = ask("stats", "foxhounds-4x4", "--data", foxes, "--format", "json")
    assert answer.err == ""
    assert [row["slices"] for row in answer.json] == [row["of_slices"] for row in answer.json]


@pytest.mark.parametrize("by", ["pieces", "material"])
@pytest.mark.parametrize("style", ["table", "csv", "json"])
def test_a_partial_build_is_said(by: str, style: str, tmp_path: Path, ask: Ask) -> None:
    """On stderr with numbers, whatever is printed; in JSON by a field; CSV has the columns that it always had."""
    assert ask("build", "hexapawn", "--material", "PPvPP", "--data", tmp_path).code == 0
    answer = ask("stats", "hexapawn", "--by", by, "--data", tmp_path, "--format", style)
    assert answer.code == 0
    assert answer.err.count("partial") == 1
    assert "1 of 3 with 4 pieces" in answer.err
    if style == "json" and by == "pieces":
        assert [(row["slices"], row["of_slices"]) for row in answer.json][-1] == (1, 3)
    if style == "csv":
        assert "of_slices" not in answer.out


def counted_on_the_front_page(folder: Path) -> dict[str, int]:
    """The number of tables of each game, as a server's front page has it."""
    with closing(Catalog(folder)) as catalog:
        return {row["game"]: row["tables"] for row in list_built(catalog)}


def test_a_deleted_table_is_not_counted(pawns: Path, ask: Ask) -> None:
    """By no command, nor on a server's front page; `stats` names it, and a game whose tables have all gone has none."""
    assert counted_on_the_front_page(pawns) == {"hexapawn": 6}
    (pawns / "hexapawn" / "6" / "PPPvPPP.h5").unlink()
    answer = ask("stats", "hexapawn", "--data", pawns, "--format", "json")
    assert [row["pieces"] for row in answer.json] == [2, 3, 4, 5]
    assert "hexapawn/6/PPPvPPP.h5" in answer.err
    assert counted_on_the_front_page(pawns) == {"hexapawn": 5}
    with tablebase.open(pawns) as tables, pytest.raises(MissingTableError):
        tables.describe("hexapawn", "PPPvPPP")
    shutil.rmtree(pawns / "hexapawn")
    assert ask("stats", "hexapawn", "--data", pawns).code == 2
    assert counted_on_the_front_page(pawns) == {}


def test_without_its_catalog_a_folder_is_not_empty(pawns: Path, ask: Ask) -> None:
    """The sentence says how many table files lie there, and names the command that makes the catalog."""
    before = ask("stats", "hexapawn", "--data", pawns).out
    (pawns / FILE_NAME).unlink()
    for words in (["stats", "hexapawn"], ["sql", "SELECT 1"], ["verify", "hexapawn"], ["prune"]):
        assert_one_sentence(ask(*words, "--data", pawns), "6 table files lie in", f"run 'tablebase reindex --data {pawns}'")
    assert ask("reindex", "--data", pawns).code == 0
    assert ask("stats", "hexapawn", "--data", pawns).out == before
