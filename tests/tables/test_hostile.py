"""Files that a forger made, in every command that reads tables: one sentence each, no traceback, no hang, no lie."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from support.crafted import CHUNKS, CRAFTED, PLACES, craft
from support.program import Answer

import tablebase
from tablebase.build.reindex import reindex
from tablebase.cli import run
from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game import load_game
from tablebase.mining.columns import columns
from tablebase.mining.scan import Scan
from tablebase.mining.selection import known_slices
from tablebase.slices.material import parse_material
from tablebase.tables.format import file_sha256, table_path
from tablebase.tables.store import Store
from tablebase.verify.tablebase import check_table

GAME = load_game("hexapawn")
MATERIAL = parse_material(GAME, "PPvP")
POSITION = "p2/3/PP1 w"
Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def pawns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables PPvP and PvP of Hexapawn; to be read only."""
    folder = tmp_path_factory.mktemp("pawns")
    assert run(["build", GAME.name, "--material", "PPvP", "--data", str(folder)]) == 0
    return folder


@pytest.fixture
def folder(pawns: Path, tmp_path: Path) -> Path:
    """A copy, to be damaged, with an honest table and a pipe beside the table."""
    copy = tmp_path / "tables"
    shutil.copytree(pawns, copy)
    path = table_path(copy, GAME, MATERIAL)
    shutil.copy(path, path.with_name("honest.h5"))
    os.mkfifo(path.with_name("pipe"))
    return copy


def probed(folder: Path) -> None:
    """As `tablebase probe` does."""
    with tablebase.open(folder) as tables:
        tables.probe_value(GAME, POSITION)


def mined(folder: Path) -> None:
    """As `tablebase mine` reads."""
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
    fault = check_table(GAME.name, folder, ("PPvP", file_sha256(path)))
    if fault is not None:
        raise CorruptTableError(fault)


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
    """The commands below refuse what is wrong and nothing else."""
    craft(table_path(folder, GAME, MATERIAL), lambda _: None)
    command(folder)


@commands
@pytest.mark.parametrize("name", [*CRAFTED, *CHUNKS])
def test_what_is_crafted_is_refused(name: str, command: Callable[[Path], None], folder: Path) -> None:
    """Whatever is wrong in the header, in a dataset or in a chunk."""
    craft(table_path(folder, GAME, MATERIAL), (CRAFTED | CHUNKS)[name])
    refused(command, folder)


@commands
@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_file_is_refused(name: str, command: Callable[[Path], None], folder: Path) -> None:
    """Nothing waits for a pipe, or reads a device to its end."""
    PLACES[name](table_path(folder, GAME, MATERIAL))
    refused(command, folder)
