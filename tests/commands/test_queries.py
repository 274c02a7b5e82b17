"""Tables as a whole in Python: statements, statistics, charts and exports, each against the command that does the same."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.checks import at_least_one
from support.program import Ask

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError, TablebaseError
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
GROUPED = "SELECT outcome, count(*) AS n, sum(distance) AS plies FROM positions WHERE material = 'RvE' GROUP BY ALL ORDER BY ALL"


# Statements


def test_all_forms_of_a_result_agree(tables: Tablebase, two_pieces: Path, ask: Ask) -> None:
    """Data frames, Arrow, tuples and batches hold what the command writes."""
    written = ask("mine", "doushouqi", GROUPED, "--data", two_pieces, "--format", "json").json
    assert len(written) == 3
    with tables.mine("doushouqi", GROUPED) as query:
        assert repr(query).startswith("Query(doushouqi, 'SELECT outcome, count(*)")
        assert len(repr(query)) < 120
        assert query.columns == list(written[0])
        assert query.arrow().to_pylist() == written
        assert query.pl().to_dicts() == written
        assert query.df()["plies"].dropna().tolist() == [row["plies"] for row in written if row["plies"] is not None]
        assert query.df()[["outcome", "n"]].to_dict("records") == [{key: row[key] for key in ("outcome", "n")} for row in written]
        assert query.fetchall() == [tuple(row.values()) for row in written]
        batches = at_least_one(query)
        assert [row for batch in batches for row in batch.column("n").to_pylist()] == [row["n"] for row in written]


def test_what_compiles_is_said(tables: Tablebase, capsys: pytest.CaptureFixture[str]) -> None:
    """Once for each run of a statement, unless whoever counts its positions shows a bar."""
    from numba.core import event

    for tick, said in (
        (None, "mine doushouqi: compiling, which takes up to a minute or two the first time\n"),
        (lambda _: None, ""),
    ):
        with tables.mine("doushouqi", "SELECT p1_square FROM positions") as query:
            batches = query.run(tick=tick)
            next(batches)
            capsys.readouterr()
            for _ in range(2):
                event.start_event("numba:compile")
                event.end_event("numba:compile")
        assert capsys.readouterr().err == said


def test_whole_numbers_too_large_for_integers_are_kept(tables: Tablebase) -> None:
    """Sums are integers; what does not fit stays exact."""
    huge = 1 << 100
    [row] = tables.mine(GAME, f"SELECT {huge}::HUGEINT AS a, sum(p1_file) AS b, 2.5::DECIMAL(3, 1) AS c FROM positions").fetchall()
    assert [*map(str, row)] == [str(huge), str(row[1]), "2.5"]
    assert isinstance(row[1], int)


def test_rows_are_streamed(more_tables: Tablebase) -> None:
    """The first rows of millions come before most tables are read, and so does the end of a loop that is left."""
    with more_tables.mine(GAME, "SELECT material, p1_square FROM distinct_positions WHERE pieces = 3") as query:
        first = next(iter(query))
        assert 0 < first.num_rows < 1 << 18
        [relation] = query.relations
        assert 0 < relation.scan.done < query.cells / 2


@pytest.mark.parametrize("package", ["pandas", "polars", "matplotlib"])
def test_a_package_that_is_missing_is_named(package: str, tables: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.errors.find_spec", lambda name: None if name == package else name)
    query = tables.mine(GAME, GROUPED)
    extra = {"matplotlib": "plot"}.get(package, package)
    calls = {"pandas": query.df, "polars": query.pl, "matplotlib": lambda: tables.plot("draws", GAME)}
    with pytest.raises(TablebaseError, match=rf" need {package}: .*\[{extra}\]"):
        calls[package]()


# The catalog


def test_statements_over_the_catalog(tables: Tablebase, two_pieces: Path, ask: Ask) -> None:
    """The rows that the command writes, in all forms."""
    statement = "SELECT material, side, longest_win, longest_win AS side FROM slice_counts ORDER BY material LIMIT 5"
    written = ask("sql", statement, "--data", two_pieces, "--format", "json").json
    rows = tables.sql(statement)
    assert rows.columns == list(written[0]) == ["material", "side", "longest_win", "side_4"]
    assert rows.fetchall() == [tuple(row.values()) for row in written]
    assert rows.arrow().to_pylist() == rows.df().to_dict("records") == rows.pl().to_dicts() == written
    assert repr(rows) == "CatalogRows(5 rows of material, side, longest_win, side_4)"
    with pytest.raises(TablebaseError, match="only reading is allowed"):
        tables.sql("DELETE FROM slices")
    with pytest.raises(TablebaseError, match="cast it to TEXT"):
        tables.sql("SELECT 1 AS n UNION ALL SELECT 'one'").arrow()


def test_descriptions(tables: Tablebase, ask: Ask) -> None:
    """A game as `games` lists it, with what has been built; a material with its row of the view."""
    game = tables.describe("doushouqi")
    [listed] = [row for row in ask("games", "--format", "json").json if row["game"] == "doushouqi"]
    assert {key: game[key] for key in ("game", "title", "squares", "start")} == {
        key: listed[key] for key in ("game", "title", "squares", "start")
    }
    assert list(game["pieces"]) == listed["pieces"].split()
    assert [(counts["pieces"], counts["positions"]) for counts in game["built"]] == [(2, 160_068)]
    material = tables.describe("doushouqi", "LvC")
    assert material["pieces"] == ["White lion", "Black cat"]
    [row] = material["slices"]
    assert (row["side"], row["stored_as"], row["is_alias"]) == ("w", "CvT", 1)
    assert row["wins"] + row["losses"] + row["draws"] == row["positions"] == 49 * 48
    with pytest.raises(MissingTableError, match="the table RvCW of doushouqi has not been built"):
        tables.describe("doushouqi", "RvCW")


# Charts and exports


def test_charts(tables: Tablebase) -> None:
    """A notebook shows them; one that is unknown is refused."""
    pytest.importorskip("matplotlib")
    assert tables.plot("draws", GAME)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    with pytest.raises(TablebaseError, match=r"'pie'.* draws "):
        tables.plot("pie", GAME)


def test_exports_take_aliases_and_a_share(tables: Tablebase, tmp_path: Path) -> None:
    assert tables.export(GAME, tmp_path / "all", pieces=2, aliases=True) == 160_068
    assert 1000 < tables.export(GAME, tmp_path / "some", pieces=2, aliases=True, sample=0.5, seed=7) < 100_000


# Quick to load


def test_a_program_may_end_in_the_middle(two_pieces: Path) -> None:
    """A loop over rows that is left leaves nothing behind that anybody would have to read about."""
    program = f"""
import tablebase
batches = iter(tablebase.open({str(two_pieces)!r}).mine('doushouqi', 'SELECT p1_square FROM positions'))
print(next(batches).num_rows > 0)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("True\n", "")
