"""Tables of games with chance on disk: built once, rebuilt where needed, registered, found again and removed."""

import shutil
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401 (gives h5py the compression)
import pytest
from support.catalogs import forget, rows
from support.checks import at_least_one
from support.program import Ask, assert_refused, contents, flip, make_old
from support.tablebases import copy_of

NAME = "pig-die=2-target=3"
FILE = f"{NAME}/all/all.h5"
LIMITS = ["--lettuces", "1", "--carrots", "1", "--cap", "strict"]
RACE = "harehedgehog-cards=none"
PLACE = f"{RACE}/carrots=1-cap=strict"
OTHER = "pig-die=2-target=2"
LAYERS = "SELECT * FROM layers ORDER BY file"


piglets, races = map(copy_of, ("piglet_tables", "race_tables"))


def damage(path: Path, how: str) -> None:
    if how == "deleted":
        path.unlink()
    elif how == "a bit":
        flip(path, path.stat().st_size // 2)
    else:
        path.write_bytes(path.read_bytes()[:1000])


@pytest.mark.parametrize("how", ["deleted", "a bit", "truncated", "not registered"])
@pytest.mark.parametrize(("name", "table"), [(NAME, "layers"), ("noughts", "exact")], ids=["layers", "exact"])
def test_what_is_missing_is_built_again(name: str, table: str, how: str, piglets: Path, ask: Ask) -> None:
    assert ask("build", name, "--data", piglets).code == 0
    before, (path,) = contents(piglets), piglets.glob(f"{name}/*/*.h5")
    known = rows(piglets, f"SELECT file FROM {table} ORDER BY file")
    if how == "not registered":
        forget(piglets, str(path.relative_to(piglets)))
    else:
        damage(path, how)
        assert ask("verify", name, "--data", piglets).code == 1
    answer = ask("build", name, "--data", piglets)
    assert (answer.code, "1 of 1 tables" in answer.err.splitlines()[-1]) == (0, True)
    aside = path.with_name(f"{path.name}.damaged")
    renamed = how in ("a bit", "truncated")
    assert aside.exists() == renamed
    assert [str(path) in line for line in answer.err.splitlines() if aside.name in line] == [True] * renamed
    assert contents(piglets) == before
    assert rows(piglets, f"SELECT file FROM {table} ORDER BY file") == known


def test_reindex_refuses_files_in_another_place(piglets: Path, ask: Ask) -> None:
    before = (piglets / "catalog.sqlite").read_bytes()
    (piglets / FILE).rename((piglets / FILE).with_name("other.h5"))
    assert_refused(ask("reindex", "--data", piglets), 1, NAME)
    assert (piglets / "catalog.sqlite").read_bytes() == before


def test_the_catalog_counts_what_is_open(races: Path) -> None:
    """By the bounds in the files: every number of this game has a state."""
    for row in at_least_one(rows(races, LAYERS)):
        with h5py.File(races / row["file"]) as file:
            lower, upper = file["lower"][:], file["upper"][:]
        conditions = (lower == 1, upper == 0, upper - lower < 1e-9, (lower == 0) & (upper == 1))
        found = [len(lower), *(condition.sum() for condition in conditions), 0]
        assert [row[name] for name in ("states", "wins", "losses", "exact", "open", "stalling")] == found
        # Without a lettuce, some come home at once.
        assert row["layer"] != "0-0" or 0 < row["losses"] < row["open"] < row["states"]


@pytest.mark.parametrize("how", ["deleted", "a bit", "truncated"])
def test_verify_names_the_damaged_file_alone(how: str, races: Path, ask: Ask) -> None:
    assert list(contents(races)) == [f"{PLACE}/{layer}.h5" for layer in ("0-0", "1-0", "1-1")]
    assert ask("verify", RACE, "--data", races).err == "correct tables: 3 of 3\n"
    path = races / PLACE / "1-1.h5"
    damage(path, how)
    answer = ask("verify", RACE, "--data", races)
    assert_refused(answer, 1, str(path))
    assert answer.err.splitlines()[-1] == "correct tables: 2 of 3"


def test_layers_behind_a_damaged_one_are_not_blamed(races: Path, ask: Ask) -> None:
    """Without the chances of the first one they cannot be checked; then only the first one is built again."""
    before = contents(races)
    (races / PLACE / "0-0.h5").unlink()
    answer = ask("verify", RACE, "--data", races)
    assert answer.code == 1
    assert ["0-0.h5 is missing, although the catalog lists it" in error for error in answer.errors] == [True, False, False]
    assert ["cannot check" in error for error in answer.errors] == [False, True, True]
    assert "1 of 3 tables" in ask("build", RACE, *LIMITS, "--data", races).err.splitlines()[-1]
    assert contents(races) == before


def prunable(folder: Path, ask: Ask) -> dict[str, str]:
    return {row["file"]: row["reason"] for row in ask("prune", "--format", "json", "--data", folder).json}


def test_prune_lists_what_no_longer_serves(piglets: Path, ask: Ask) -> None:
    """Drafts, files of other rules, files that are not registered; nothing that is sound or not the program's."""
    assert ask("prune", "--yes", "--data", piglets).err == f"nothing to remove in {piglets}\n"
    home = piglets / NAME / "all"
    (home / ".all.h5.4711.tmp").write_bytes(b"half a table")
    mine = [home / "notes.h5", home / ".hidden.tmp", piglets / NAME / "notes.h5"]
    for path in mine:
        path.write_bytes(b"mine")
    (piglets / OTHER / "spare").mkdir()
    shutil.copy(piglets / OTHER / "all/all.h5", piglets / OTHER / "spare" / "all.h5")
    draft = {f"{NAME}/all/.all.h5.4711.tmp": "left by an interrupted command"}
    assert prunable(piglets, ask) == draft
    make_old(piglets / FILE)
    forget(piglets, FILE)
    assert prunable(piglets, ask) == draft | {FILE: "built with different rules"}
    assert ask("prune", "--yes", "--data", piglets).code == 0
    assert not (piglets / FILE).exists()
    assert all(path.exists() for path in mine)
    assert ask("verify", OTHER, "--data", piglets).code == 0
