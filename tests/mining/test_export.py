"""Positions as Parquet files: what three other programs read is what the tables hold."""

import json
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from support.checks import at_least_one
from support.program import Ask, ask_fresh, assert_refused, table_of
from support.queries import mined

from tablebase.mining.export import FILE_NAME, KEY
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Rows = Counter[tuple[object, ...]]


def written(ask: Ask, tables: Path, folder: Path, *options: str) -> Path:
    answer = ask("export", "doushouqi", "--to", folder, "--data", tables, *options)
    assert (answer.code, answer.out) == (0, "")
    return folder


def read_by_duckdb(folder: Path, names: str) -> Rows:
    files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    with duckdb.connect() as connection:
        return Counter(connection.execute(f"SELECT {names} FROM {files}").fetchall())


def test_duckdb_reads_all_slices(ask: Ask, two_pieces: Path, tmp_path: Path) -> None:
    """With any number of threads, which write the same bytes."""
    folder, other = (written(ask, two_pieces, tmp_path / threads, "--workers", threads) for threads in ("1", "3"))
    assert {path.relative_to(folder): path.read_bytes() for path in at_least_one(folder.rglob(FILE_NAME))} == {
        path.relative_to(other): path.read_bytes() for path in other.rglob(FILE_NAME)
    }
    names = "material, pieces, side, outcome, distance, stalemate, p1, p1_square, p1_file, p1_rank, p2, p2_square, p2_file, p2_rank"
    assert read_by_duckdb(folder, names) == Counter(mined(GAME, two_pieces, f"SELECT {names} FROM distinct_positions"))


def test_pieces_that_are_not_there_are_null(ask: Ask, shut_in: Path, tmp_path: Path) -> None:
    """Files of fewer pieces have the same columns, so that the folder is one table."""
    wanted = ("--material", "CvC", "--material", "CvWD", "--columns", "p3_square,outcome", "--sample", "0.1")
    found = read_by_duckdb(written(ask, shut_in, tmp_path / "out", *wanted), "material, p3_square IS NULL")
    assert set(found) == {("CvC", True), ("CvWD", False)}


def test_a_sample_is_drawn_by_the_hash(ask: Ask, two_pieces: Path, tmp_path: Path) -> None:
    """It has the rows that the condition draws, with their features; with another seed it has others."""
    names = "p1_square, p2_square, outcome, distance, mobility, position"
    options = ("--material", "CvC", "--columns", names.replace(" ", ""), "--sample", "0.25")
    drawn, other = (
        read_by_duckdb(written(ask, two_pieces, tmp_path / seed, *options, "--seed", seed), names) for seed in ("0", "1")
    )
    statement = f"SELECT {names} FROM positions WHERE material = 'CvC' AND hash < 0.25"
    assert drawn == Counter(mined(GAME, two_pieces, statement)) != other
    assert other <= Counter(mined(GAME, two_pieces, statement.replace("0.25", "1")))
    assert 0.2 < other.total() / 2352 < 0.3


def test_an_export_goes_on(ask: Ask, two_pieces: Path, tmp_path: Path) -> None:
    """What is there is not written again, and what is missing is written."""
    folder = written(ask, two_pieces, tmp_path / "out")
    files = {path: path.read_bytes() for path in folder.rglob(FILE_NAME)}
    lost, *kept = sorted(files)
    lost.unlink()
    times = {path: path.stat().st_mtime_ns for path in kept}
    answer = ask("export", "doushouqi", "--to", folder, "--data", two_pieces)
    assert f"1 of {len(files)} slices" in answer.err
    assert lost.read_bytes() == files[lost]
    assert {path: path.stat().st_mtime_ns for path in kept} == times


RING = """
import os, signal
from tablebase.commands.program import main
import pyarrow.parquet as parquet

class Writer(parquet.ParquetWriter):
    def write_batch(self, batch):
        assert os.path.exists(self.where.name)
        os.kill(os.getpid(), signal.SIGTERM)

parquet.ParquetWriter = Writer
main()
"""
"""The program, with a signal that always arrives while a file is being written."""


@pytest.mark.full
def test_an_interruption_leaves_no_file_behind(two_pieces: Path, tmp_path: Path) -> None:
    words = ["export", "doushouqi", "--material", "RvC", "--to", tmp_path / "out", "--data", two_pieces]
    answer = ask_fresh(*words, program=RING)
    assert (answer.code, answer.out) == (143, "")
    assert "resumes" in answer.errors[0]
    assert list(tmp_path.glob("out/*/*/side=w"))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_error_leaves_no_file_behind(ask: Ask, copied: Path, tmp_path: Path) -> None:
    """A table that cannot be read ends the export in one sentence; what is there has its name and is whole."""
    path = table_of(copied, "TvL")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2].ljust(len(data), b"\0"))
    answer = ask("export", "doushouqi", "--to", tmp_path / "out", "--data", copied)
    assert_refused(answer, 1, "TvL.h5")
    for file in at_least_one(path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        assert file.name == FILE_NAME
        assert pq.ParquetFile(file).metadata.num_rows > 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--columns", "nix"], "unknown column 'nix'"),
        (["--columns", "outcom"], "did you mean 'outcome'?"),
        (["--columns", ""], "unknown column ''"),
        (["--columns", "material, side"], "material, pieces, side"),
        (["--sample", "0"], "invalid --sample 0.0: expected a fraction above 0"),
        (["--sample", "1.5"], "invalid --sample 1.5: expected a fraction above 0"),
        (["--material", "RCvW"], "RCvW of doushouqi"),
        (["--pieces", "5"], "5 pieces"),
        (["--features", "nowhere.py"], "nowhere.py"),
    ],
)
def test_wrong_wishes(ask: Ask, two_pieces: Path, tmp_path: Path, options: list[str], named: str) -> None:
    """What cannot be done is refused in one sentence, before anything is written."""
    assert_refused(ask("export", "doushouqi", "--to", tmp_path / "out", "--data", two_pieces, *options), 2, named)
    assert not (tmp_path / "out").exists()


def test_other_folders_are_left_alone(ask: Ask, two_pieces: Path, tmp_path: Path) -> None:
    """A folder that holds another export, or other things, is not written to; blanks around names of columns mean nothing."""
    folder = written(ask, two_pieces, tmp_path / "out", "--material", "CvC", "--columns", "outcome, distance")
    (file,) = folder.rglob(FILE_NAME)
    schema, before = pq.read_schema(file), file.read_bytes()
    assert (schema.names, json.loads(schema.metadata[KEY])["game"]) == (["outcome", "distance"], "doushouqi")
    answer = ask("export", "doushouqi", "--to", folder, "--data", two_pieces, "--sample", "0.5")
    assert_refused(answer, 2, "contains an export with different columns")
    assert [(path, path.read_bytes()) for path in folder.rglob("*") if path.is_file()] == [(file, before)]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert_refused(ask("export", "doushouqi", "--to", tmp_path / "mine", "--data", two_pieces), 2, "contains unrelated files")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
