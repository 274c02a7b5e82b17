"""Results of questions about positions as table, JSON, CSV and Parquet."""

import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from numba.core import event
from support.program import Ask, assert_refused

import tablebase
from tablebase.commands.program import run

SOME = """SELECT p1_square, p2_square, outcome, distance, stalemate, sum(distance) OVER () AS total
FROM positions WHERE material = 'RvC' ORDER BY p1_square, p2_square"""


VALUES: list[tuple[str, Any]] = [
    ("sum(pieces)", 160_068 * 2),
    ("sum(pieces) / 2", 160_068.0),
    ("count(*)", 160_068),
    ("avg(pieces)", 2.0),
    ("10::HUGEINT", 10),
    ("1.25::DECIMAL(5, 2)", 1.25),
    ("2.00::DECIMAL(5, 2)", 2),
    ("NULL", None),
    ("true", True),
    ("'é\"\\'", 'é"\\'),
    ("'\\xFF'::BLOB", "ff"),
    ("DATE '2020-02-01'", "2020-02-01"),
    ("TIME '10:00'", "10:00:00"),
    ("TIMESTAMP '2020-02-01 10:00:00'", "2020-02-01 10:00:00"),
    ("DATE '20000-01-01'::VARCHAR", "20000-01-01"),
    ("[1, NULL, 3]", [1, None, 3]),
    ("[sum(pieces), 1]", [160_068 * 2, 1]),
    ("[[DATE '2020-02-01']]", [["2020-02-01"]]),
    ("{'a': sum(pieces), 'b': [DATE '2020-02-01']}", {"a": 160_068 * 2, "b": ["2020-02-01"]}),
    ("MAP {'win': 1, 'loss': 2}", [["win", 1], ["loss", 2]]),
    ("['\\xFF'::BLOB]", ["ff"]),
    ("'a'::ENUM ('a', 'b')", "a"),
    ("union_value(a := 1)", 1),
]


def test_values_in_json(two_pieces: Path, ask: Ask) -> None:
    """Numbers are numbers, whole ones whole; what JSON has no word for is a text or a list."""
    selected = ", ".join(f"{value} AS it{number}" for number, (value, _) in enumerate(VALUES))
    statement = f"SELECT {selected} FROM positions"
    (row,) = ask("mine", "doushouqi", statement, "--data", two_pieces, "--format", "json").json
    for found, (value, expected) in zip(row.values(), VALUES, strict=True):
        assert (found, type(found)) == (expected, type(expected)), value


@pytest.mark.parametrize("value", ["'nan'::DOUBLE", "'inf'::DOUBLE", "['nan'::DOUBLE]", "{'a': '-inf'::FLOAT}"])
def test_what_json_cannot_say(value: str, two_pieces: Path, ask: Ask) -> None:
    """Infinities and what is no number are a sentence there, and a word in the other formats."""
    answer = ask("mine", "doushouqi", f"SELECT {value} AS it", "--data", two_pieces, "--format", "json")
    assert_refused(answer, 2, "JSON cannot represent")
    assert answer.out == ""
    for style in ("table", "csv"):
        answer = ask("mine", "doushouqi", f"SELECT {value} AS it", "--data", two_pieces, "--format", style)
        assert answer.code == 0
        assert "nan" in answer.out or "inf" in answer.out


@pytest.mark.parametrize(
    ("value", "styles"),
    [("DATE '20000-01-01'", ("table", "json", "csv")), ("INTERVAL 3 DAY", ("parquet",)), ("union_value(a := 1)", ("parquet",))],
)
def test_what_cannot_be_written(value: str, styles: tuple[str, ...], two_pieces: Path, ask: Ask) -> None:
    """A value that a format cannot hold is a sentence that names a way out, which works."""
    for style in styles:
        answer = ask("mine", "doushouqi", f"SELECT {value} AS it", "--data", two_pieces, "--format", style)
        assert_refused(answer, 2, "cast the column to VARCHAR")
    answer = ask("mine", "doushouqi", f"SELECT ({value})::VARCHAR AS it", "--data", two_pieces, "--format", "csv")
    assert answer.code == 0
    assert len(answer.csv[0]["it"]) > 0


def test_json_and_csv_have_the_same_rows(two_pieces: Path, ask: Ask) -> None:
    """All 2940 of them, in as many batches as it takes; null is null there and nothing here, truth is written alike."""
    objects = ask("mine", "doushouqi", SOME, "--data", two_pieces, "--format", "json").json
    lines = ask("mine", "doushouqi", SOME, "--data", two_pieces, "--format", "csv").csv
    assert len(objects) == len(lines) == 49 * 60
    assert [
        {name: value if isinstance(value, str) else json.dumps(value).replace("null", "") for name, value in one.items()}
        for one in objects
    ] == lines
    assert {type(one["distance"]) for one in objects} == {int, type(None)}
    assert {one["total"] for one in objects} == {sum(one["distance"] or 0 for one in objects)}


@pytest.mark.parametrize(("style", "out"), [("json", "[]\n"), ("csv", "material\n"), ("table", "material\n")])
def test_no_rows(style: str, out: str, two_pieces: Path, ask: Ask) -> None:
    answer = ask("mine", "doushouqi", "SELECT material FROM positions WHERE distance > 99", "--data", two_pieces, "--format", style)
    assert (answer.code, answer.out.replace("─", "").replace("\n\n", "\n")) == (0, out)


@pytest.mark.parametrize(("rows", "note"), [(1000, False), (1001, True), (160_068, True)])
def test_a_table_ends_after_1000_rows(rows: int, note: bool, two_pieces: Path, ask: Ask) -> None:
    """If there are more, a note on stderr says so; as many as there are come with --limit, and in CSV without."""
    statement = f"SELECT outcome, p1_square FROM positions LIMIT {rows}"
    answer = ask("mine", "doushouqi", statement, "--data", two_pieces)
    assert answer.out.splitlines()[0].split() == ["outcome", "p1_square"]
    assert len(answer.out.splitlines()) == 2 + min(rows, 1000)
    assert ("--limit" in answer.err) == note
    if rows < 2000:
        more = ask("mine", "doushouqi", statement, "--data", two_pieces, "--limit", 5000)
        assert len(more.out.splitlines()) == 2 + rows
        assert "--limit" not in more.err
        assert len(ask("mine", "doushouqi", statement, "--data", two_pieces, "--format", "csv").csv) == rows


def parquet(statement: str, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> bytes:
    assert run(["mine", "doushouqi", statement, "--data", str(folder), "--format", "parquet"]) == 0
    return capsysbinary.readouterr().out


def test_parquet_is_read_by_others(two_pieces: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Polars, pandas and DuckDB find the rows that JSON has, whole numbers, nulls and all."""
    import pandas as pd
    import polars as pl

    run(["mine", "doushouqi", SOME, "--data", str(two_pieces), "--format", "json"])
    expected = json.loads(capsysbinary.readouterr().out)
    data = parquet(SOME, two_pieces, capsysbinary)
    file = tmp_path / "result.parquet"
    file.write_bytes(data)
    assert pl.read_parquet(io.BytesIO(data)).to_dicts() == expected
    frame = pd.read_parquet(io.BytesIO(data))
    assert (list(frame.columns), frame["distance"].sum()) == ([*expected[0]], sum(one["distance"] or 0 for one in expected))
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM '{file}'").fetchall()
    assert found == [tuple(one.values()) for one in expected]


def test_parquet_without_rows(two_pieces: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    import polars as pl

    data = parquet("SELECT material, distance, even_1_2 FROM positions WHERE distance > 99", two_pieces, capsysbinary)
    frame = pl.read_parquet(io.BytesIO(data))
    assert frame.schema["distance"] == pl.Int16
    assert frame.schema["even_1_2"] == pl.Boolean
    assert frame.height == 0


@pytest.mark.parametrize("limit", [[], ["--limit", 2]])
def test_a_limit_leaves_names_as_they_are(limit: list[object], two_pieces: Path, ask: Ask) -> None:
    """Columns of one name are numbered alike, and those that differ in capitals stay so."""
    statement = "SELECT p1, p1, p2 AS p1, p1_file AS a, p2_file AS A FROM positions WHERE material = 'RvC' LIMIT 2"
    answer = ask("mine", "doushouqi", statement, "--data", two_pieces, "--format", "csv", *limit)
    assert answer.out.splitlines()[0] == "p1,p1_2,p1_3,a,A"


def test_what_compiles_is_said(two_pieces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once for each run of a statement, unless whoever counts its positions shows a bar."""
    sentence = "mine doushouqi: compiling, which takes up to a minute or two the first time\n"
    with tablebase.open(two_pieces) as tables:
        for tick, said in ((None, sentence), (lambda _: None, "")):
            with tables.mine("doushouqi", "SELECT p1_square FROM positions") as query:
                batches = query.run(tick=tick)
                next(batches)
                capsys.readouterr()
                for _ in range(2):
                    event.start_event("numba:compile")
                    event.end_event("numba:compile")
            assert capsys.readouterr().err == said
