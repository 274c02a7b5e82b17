"""The undisturbed build that all tries are compared with: its tables, its catalog, and its answers."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine

from scripts.torture.commands import COMPILING, TortureError, ask, finish, start
from tablebase.game import load_game
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.positions.location import slices

GAME = "doushouqi"
ROWS = """
    SELECT game, material, side, pieces, is_alias, stored_as, stored_side, pairing, placements, stalemates, wins, losses, draws,
           void, longest_win, longest_loss, longest_win_position, longest_loss_position
    FROM slice_counts ORDER BY game, material, side
"""
HISTOGRAMS = """
    SELECT tables.file, tables.bytes, tables.file_sha256, tables.values_sha256, tables.cells, solutions.side, outcome, distance,
           distances.placements
    FROM tables JOIN solutions ON solutions.table_id = tables.id JOIN distances ON distances.solution_id = solutions.id
"""
COUNT = "SELECT outcome, count(p1_file) AS n, max(distance) AS longest FROM positions GROUP BY ALL ORDER BY ALL"
TWO_WORKERS = ("--workers", 2)


class Torture:
    """The reference, and all that tries need.

    Parameters
    ----------
    scratch : Path
        An empty folder.
    pieces : int
        Tables of up to this many pieces are built.
    seed : int
    """

    def __init__(self, scratch: Path, pieces: int, seed: int) -> None:
        self.scratch, self.pieces = scratch, pieces
        self.random = random.Random(seed)
        self.game = load_game(GAME)
        self.reference = scratch / "reference"
        # The first build compiles kernels, the second one is timed.
        self.build(scratch / "first")
        began = time.monotonic()
        self.build(self.reference)
        self.seconds = time.monotonic() - began
        self.tables = contents(self.reference)
        self.rows = catalog_rows(self.reference)
        self.slices = [one for count in range(2, pieces + 1) for one in slices(self.game, count)]

    def wait(self, longer: float = 0.0) -> None:
        """Wait until some moment of a build that has been started; `longer` is how many seconds it takes to get going."""
        time.sleep(self.random.uniform(0, self.seconds + longer))

    def start_build(self, folder: Path, *options: object) -> subprocess.Popen[str]:
        """Start a build of all tables, or of those that are missing; by default with two workers."""
        return start("build", GAME, "--pieces", f"2-{self.pieces}", "--data", folder, *(options or TWO_WORKERS))

    def build(self, folder: Path, *options: object) -> None:
        """Build all tables, or those that are missing."""
        answer = finish(self.start_build(folder, *options), COMPILING)
        if answer.code:
            raise TortureError(f"a build ended with {answer.code}: {answer.err.strip().splitlines()[-1:]}")

    def check_repeated(self, folder: Path, *options: object, catalog: str | None = None) -> None:
        """Repeat a build that was disturbed; tables and catalog must then be those of the reference.

        `catalog` is the URL of a catalog in PostgreSQL.
        """
        self.check_no_other(folder)
        self.build(folder, *options)
        self.check_finished(folder, catalog)

    def check_no_other(self, folder: Path) -> None:
        """Raise `TortureError` if a table is not that of the reference."""
        for name, data in contents(folder).items():
            if data != self.tables.get(name):
                raise TortureError(f"unfinished table {name}")

    def check_finished(self, folder: Path, catalog: str | None = None) -> None:
        """Raise `TortureError` unless tables and catalog are those of the reference."""
        if contents(folder) != self.tables:
            raise TortureError("other tables")
        if catalog_rows(folder, catalog) != self.rows:
            raise TortureError("another catalog")

    @contextmanager
    def folder(self, *, copied: bool = False) -> Iterator[Path]:
        """A folder for one try: empty, or a copy of the reference."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            folder = Path(place, "data")
            if copied:
                shutil.copytree(self.reference, folder)
            yield folder

    def position(self) -> str:
        """A random position that has been solved."""
        slice_ = self.random.choice(self.slices)
        while True:
            squares = [self.random.choice(self.game.kinds[kind].squares) for kind in slice_.material.kinds]
            if len(set(squares)) == len(squares):
                pieces = tuple(sorted(zip(slice_.material.kinds, squares, strict=True)))
                return render(self.game, Position(pieces, slice_.side))

    def check_same(self, folder: Path, *question: object) -> str:
        """Ask something of the reference and of a damaged folder; the answers must agree unless it is refused."""
        expected, answer = (ask(*question, "--data", one) for one in (self.reference, folder))
        if answer.refused:
            return "refused"
        if (answer.code, answer.out) != (expected.code, expected.out):
            raise TortureError(f"wrong answer of {question[0]}")
        return "harmless"


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every table of a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*/*/*.h5"))}


def catalog_rows(folder: Path, catalog: str | None = None) -> list[set[tuple[object, ...]]]:
    """Read a catalog without keys, seconds and names of solvers; by default the catalog in the folder."""
    engine = create_engine(catalog or f"sqlite:///{folder}/catalog.sqlite")
    with engine.connect() as connection:
        found = [{tuple(row) for row in connection.exec_driver_sql(query)} for query in (ROWS, HISTOGRAMS)]
    engine.dispose()
    return found
