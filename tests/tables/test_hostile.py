"""Files that a forger made, in every command that reads tables: one sentence each, no traceback, no hang, no lie."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from support.crafted import CHUNKS, CRAFTED, PLACES, Change, craft, sets, text
from support.tablebases import built_by

import tablebase
from tablebase.building.reindex import reindex
from tablebase.catalog.entries import Entry, of_table
from tablebase.checking.tablebase import check_table
from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game import load_game
from tablebase.mining.columns import columns
from tablebase.mining.scan import Scan
from tablebase.mining.selection import known_slices
from tablebase.positions.material import parse_material
from tablebase.tables.folder import file_sha256, table_path
from tablebase.tables.reader import Table
from tablebase.tables.store import Store

GAME = load_game("hexapawn")
MATERIAL = parse_material(GAME, "PPvP")
POSITION = "p2/3/PP1 w"


pawns = built_by("build hexapawn --material PPvP")


@pytest.fixture
def folder(pawns: Path, tmp_path: Path) -> Path:
    copy = Path(shutil.copytree(pawns, tmp_path / "tables"))
    path = table_path(copy, GAME, MATERIAL)
    shutil.copy(path, path.with_name("honest.h5"))
    os.mkfifo(path.with_name("pipe"))
    return copy


def probed(folder: Path) -> None:
    with tablebase.open(folder) as tables:
        tables.probe_value(GAME, POSITION)


def mined(folder: Path) -> None:
    known = known_slices(GAME, folder)
    with closing(Store(folder)) as store:
        scan = Scan(GAME, store, known, [columns(GAME, list(known), ())["distance"]], threads=1)
        assert sum(len(batch) for batch in scan.batches()) > 0


def reindexed(folder: Path) -> None:
    """As `tablebase reindex` does; what only stands beside the table is taken away."""
    for name in ("honest.h5", "pipe"):
        table_path(folder, GAME, MATERIAL).with_name(name).unlink()
    reindex(folder)


def verified(folder: Path) -> None:
    """As `tablebase verify` does, if the forger has changed the catalog, too."""
    path = table_path(folder, GAME, MATERIAL)
    entry = Entry("tables", {"material": "PPvP", "file_sha256": file_sha256(path), "engine": None, "seconds": None})
    with suppress(TablebaseError), closing(Table(path, GAME, MATERIAL)) as table:
        entry = of_table(folder, GAME, table)
    _, error = check_table(GAME.name, folder, {}, entry)
    if error is not None:
        raise CorruptTableError(error)


commands = pytest.mark.parametrize("command", [probed, mined, reindexed, verified])


def refused(command: Callable[[Path], None], folder: Path) -> str:
    """The one sentence with which a command ends."""
    with pytest.raises(TablebaseError) as caught:
        command(folder)
    sentence = str(caught.value)
    assert str(table_path(folder, GAME, MATERIAL)) in sentence
    assert "\n" not in sentence
    return sentence


@commands
def test_an_honest_table_passes(command: Callable[[Path], None], folder: Path) -> None:
    craft(table_path(folder, GAME, MATERIAL), lambda _: None)
    command(folder)


@pytest.mark.parametrize(
    "command", [probed, *(pytest.param(command, marks=pytest.mark.full) for command in (mined, reindexed, verified))]
)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(change, said, id=name)
        for kinds in (CRAFTED, CHUNKS)
        for said, changes in kinds.items()
        for name, change in changes.items()
    ],
)
def test_what_is_crafted_is_refused(change: Change, said: str, command: Callable[[Path], None], folder: Path) -> None:
    craft(table_path(folder, GAME, MATERIAL), change)
    assert said in refused(command, folder)


@commands
@pytest.mark.parametrize("change", [text("rules_digest", b"0" * 64), sets("format_version", 2), sets("index_version", 0)])
def test_what_is_of_another_version_is_stale(change: Change, command: Callable[[Path], None], folder: Path) -> None:
    craft(table_path(folder, GAME, MATERIAL), change)
    assert "was built with rules of" in refused(command, folder)


@commands
@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_file_is_refused(name: str, command: Callable[[Path], None], folder: Path) -> None:
    """Nothing waits for a pipe, or reads a device to its end."""
    PLACES[name](table_path(folder, GAME, MATERIAL))
    refused(command, folder)


@pytest.mark.parametrize("place", ["hexapawn/3/PvPP.h5", "hexapawn/2/PPvP.h5", "hexapawn-3x3/3/PPvP.h5"])
def test_a_table_has_one_place(place: str, folder: Path) -> None:
    """Under the name of an alias, in the folder of other materials or of a variant, nobody would look for it."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    table_path(folder, GAME, MATERIAL).with_name("honest.h5").rename(path)
    with pytest.raises(CorruptTableError, match=f"{path} contains a table that belongs in the file .*/PPvP.h5: delete the file"):
        reindex(folder)
