"""Variants of games on the command line: built, counted, verified, probed and estimated by their names."""

import shutil
from pathlib import Path

import pytest
from support.program import Ask, contents

from tablebase.commands.program import run
from tablebase.game.installed import load_game


@pytest.fixture(scope="module")
def fox_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of Fox & Hounds on 4 x 4, built without saying which; to be read only."""
    folder = tmp_path_factory.mktemp("fox")
    assert run(["build", "foxhounds", "--size", "4x4", "--data", str(folder)]) == 0
    return folder


def test_without_pieces_all_tiers_of_the_start_are_built(fox_tables: Path, ask: Ask) -> None:
    """Two hounds have 0 to 6 steps to go: seven tables in the variant's folder; asked again, there is nothing to do."""
    names = {path.name for path in (fox_tables / "foxhounds-4x4" / "3").iterdir()}
    assert names == {f"FvHH@{advance}.h5" for advance in range(7)}
    assert [path.name for path in (fox_tables / "foxhounds-4x4").iterdir()] == ["3"]
    again = ask("build", "foxhounds", "--size", "4x4", "--data", fox_tables)
    assert again.code == 0
    assert "all 7 tables" in again.err
    assert ask("build", "foxhounds-4x4", "--data", fox_tables).err == again.err


def test_verify_and_probe_a_variant(fox_tables: Path, ask: Ask) -> None:
    """All tables, all tiers of a material or one of them are checked; the start is a loss in 8, as is published."""
    options = ["foxhounds", "--size", "4x4", "--data", fox_tables]
    for material, count in (([], 7), (["--material", "FvHH"], 7), (["--material", "FvHH@2"], 1)):
        answer = ask("verify", *options, *material)
        assert (answer.code, answer.errors) == (0, [])
        assert f"correct tables: {count} of {count}\n" in answer.err
    start = load_game("foxhounds-4x4").start
    (found,) = ask("probe", "foxhounds", start, "--size", "4x4", "--data", fox_tables, "--format", "json").json
    assert (found["game"], found["outcome"], found["distance"]) == ("foxhounds-4x4", "loss", 8)


@pytest.mark.full
def test_workers_find_variants_by_name(fox_tables: Path, tmp_path: Path, ask: Ask) -> None:
    """Two processes build the tables of fewer hounds beside the others, those that were there before with the same bytes."""
    assert ask("build", "foxhounds-4x4", "--pieces", "2-3", "--workers", "2", "--data", tmp_path).code == 0
    found = contents(tmp_path)
    assert found.items() > contents(fox_tables).items()
    # One hound has 0 to 3 steps to go.
    assert len(found) == 7 + 4


def test_a_variant_survives_a_lost_catalog(fox_tables: Path, tmp_path: Path, ask: Ask) -> None:
    """The folder's name gives the game again, and each file's name its tier."""
    folder = shutil.copytree(fox_tables, tmp_path / "copy")
    (folder / "catalog.sqlite").unlink()
    assert ask("reindex", "--data", folder).err == f"catalog of {folder} rebuilt from 7 tables of foxhounds-4x4\n"
    stats = ["stats", "foxhounds-4x4", "--by", "material", "--format", "json", "--data"]
    assert ask(*stats, folder).json == ask(*stats, fox_tables).json
