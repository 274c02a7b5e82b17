"""What is particular to a catalog in PostgreSQL: the server, the folder it belongs to, and statements that only read."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.engine import make_url
from support.builds import register
from support.catalogs import SOLVERS, change, database, everything, move, opened, rows, snapshot
from support.checks import thinned
from support.program import Ask, assert_refused, table_of
from support.servers import PASSWORD, USER, Server
from support.tablebases import on_postgresql

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.postgresql import ID_FILE
from tablebase.catalog.schema import GAMES, SCHEMA_VERSION
from tablebase.errors import CatalogBusyError, TablebaseError, TimeLimitError
from tablebase.positions.material import parse_material
from tablebase.tables.folder import default_catalog
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
COUNT = "SELECT count(*) AS n FROM tables"


@pytest.fixture(scope="module")
def on_server(two_pieces: Path, schemas: Iterator[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder, url = tmp_path_factory.mktemp("server") / "tables", next(schemas)
    shutil.copytree(two_pieces, folder)
    with pytest.MonkeyPatch.context() as patch:
        move(folder, patch, url)
    return folder, url


@pytest.fixture
def asked(on_server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLEBASE_CATALOG", on_server[1])
    return on_server[0]


@pytest.mark.full
@on_postgresql
def test_a_tablebase_with_its_catalog_on_a_server(
    catalog_url: str, two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command does there what it does with a file, and says the same; no file is made in the folder."""
    monkeypatch.setenv("COLUMNS", "200")
    here, moved, sums = tmp_path / "here", tmp_path / "moved", "sum(wins) AS wins, avg(wins) AS mean, max(longest_win) AS n"
    shutil.copytree(two_pieces, here)
    shutil.copytree(two_pieces / "doushouqi", moved / "doushouqi")
    there = ("--data", moved, "--catalog", catalog_url)
    build = ("build", "doushouqi", "--pieces", "2")
    assert "10 of 10 tables" in ask(*build, *there).err
    assert "nothing to do" in ask(*build, *there).err
    for words in (
        ("stats", "doushouqi", "--by", "material", "--format", "csv"),
        ("sql", "SELECT * FROM slice_counts WHERE is_alias = 0 ORDER BY material, side", "--format", "json"),
        ("sql", f"SELECT {sums}, NULL AS no FROM solutions", "--format", "json"),
        ("mine", "doushouqi", "SELECT outcome, count(*) AS n FROM positions GROUP BY ALL ORDER BY ALL", "--format", "csv"),
        ("verify", "doushouqi", "--material", "RvC"),
        ("export", "doushouqi", "--material", "RvC", "--to", tmp_path / "parquet"),
        ("plot", "distances", "doushouqi", "--output", tmp_path / "chart.svg"),
        ("plot", "squares", "doushouqi", "--material", "RvC", "--output", tmp_path / "squares.svg"),
        ("patterns", "doushouqi", "--material", "RvC", "--depth", "0", "--format", "csv"),
    ):
        answer, expected = ask(*words, *there), ask(*words, "--data", here)
        assert (answer.code, answer.out) == (0, expected.out), answer.err
    for words in (
        ("build", "pig-die=2-target=2"),
        ("stats", "pig-die=2-target=2"),
        ("verify", "pig-die=2-target=2"),
        ("estimate", "doushouqi", "--pieces", "2"),
        ("reindex",),
        ("prune", "--yes"),
    ):
        assert ask(*words, *there).code == 0
    # The option comes before the variable, and without both there is no catalog.
    monkeypatch.setenv("TABLEBASE_CATALOG", "postgresql://nobody@/nothing?host=/nowhere")
    assert ask("stats", "doushouqi", *there).code == 0
    monkeypatch.setenv("TABLEBASE_CATALOG", "")
    assert "contains 11 table files but no catalog" in ask("stats", "doushouqi", "--data", moved).err
    assert list(moved.glob("*.sqlite*")) == []


@pytest.mark.full
@on_postgresql
def test_copies_between_catalogs(
    copied: Path, schemas: Iterator[str], tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = snapshot(copied), rows(copied, SOLVERS)
    copy, packed, merged, url = tmp_path / "copy", tmp_path / "packed", tmp_path / "merged", next(schemas)
    assert "10 of 10" in ask("verify", "--quick", "--data", copied).err
    assert ask("copy", "doushouqi", "--to", copy, "--data", copied).code == 0
    assert ask("pack", "doushouqi", "--material", "CvC", "--to", packed, "--data", copied).code == 0
    assert ask("merge", copy, "--data", merged, "--catalog", url).code == 0
    assert [len(list(folder.glob("*.sqlite"))) for folder in (copy, packed, merged)] == [1, 1, 0]
    monkeypatch.setenv("TABLEBASE_CATALOG", url)
    assert (snapshot(merged), rows(merged, SOLVERS)) == known
    monkeypatch.delenv("TABLEBASE_CATALOG")
    assert (snapshot(copy), rows(copy, SOLVERS)) == known


@pytest.mark.full
def test_from_python(on_server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`tablebase.open` takes the URL, or finds it where the command line does; processes get it, too."""
    folder, url = on_server
    with tablebase.open(folder) as tables, pytest.raises(TablebaseError, match="but no catalog"):
        tables.stats("doushouqi")
    with tablebase.open(folder, url) as tables:
        expected = tables.stats("doushouqi")
        assert tables.describe("doushouqi", "RvC")["slices"][0]["material"] == "RvC"
        assert tables.mine("doushouqi", "SELECT count(*) FROM positions WHERE material = 'RvC'").fetchall() == [(61 * 49 - 49,)]
        maker, arguments = tables.__reduce__()
        with maker(*arguments) as again:
            assert again.sql(COUNT).fetchall() == [(10,)]
    monkeypatch.setenv("TABLEBASE_CATALOG", url)
    with tablebase.open(folder) as tables:
        assert tables.stats("doushouqi") == expected


@pytest.mark.full
@on_postgresql
def test_a_batch_and_its_steps(catalog_url: str, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLEBASE_CATALOG", raising=False)
    file, output = tmp_path / "night.toml", tmp_path / "out.csv"
    step = f'[[then]]\ncommand = ["stats", "hexapawn", "--format", "csv"]\noutput = "{output}"\n'
    file.write_text(f'catalog = "{catalog_url}"\n[[build]]\ngame = "hexapawn"\npieces = "2"\n{step}')
    answer = ask("batch", file, "--data", tmp_path / "data")
    assert answer.code == 0
    assert PASSWORD not in answer.err
    assert output.read_text().splitlines()[1].startswith("2,1,1,33,")


@on_postgresql
def test_large_numbers_fit(copied: Path) -> None:
    change(copied, "UPDATE solutions SET placements = 1141509180672")
    with database(copied).snapshot() as connection:
        assert connection.exec_driver_sql("SELECT sum(placements) FROM solutions").scalar_one() > 1 << 41


@on_postgresql
def test_texts_are_sorted_by_their_bytes(copied: Path) -> None:
    """As in SQLite, though the database has another order."""
    names = ["b", "B", "a", "ä", "Z"]
    with database(copied).changes() as connection:
        connection.execute(insert(GAMES), [dict.fromkeys(GAMES.c.keys(), name) for name in names])
        found = connection.exec_driver_sql("SELECT name FROM games WHERE length(name) = 1 ORDER BY name").scalars().all()
        other = connection.exec_driver_sql("SELECT x FROM (VALUES ('b'), ('B')) AS v(x) ORDER BY x COLLATE \"default\"").scalars()
        assert found == sorted(names)
        assert list(other) == ["b", "B"]


@on_postgresql
def test_the_catalog_of_another_folder_is_refused(copied: Path, tmp_path: Path, ask: Ask) -> None:
    """Whatever the command: two builds do not mix; a folder that was moved keeps its catalog."""
    before, other = everything(copied), tmp_path / "other"
    assert ask("build", "hexapawn", "--pieces", "2", "--data", other).code == 2
    shutil.copytree(copied, other, dirs_exist_ok=True, ignore=shutil.ignore_patterns(ID_FILE))
    for words in (["build", "doushouqi", "--pieces", "2"], ["stats", "doushouqi"], ["reindex"], ["prune"]):
        error = f"the catalog in {database(copied).place} belongs to a folder other than {other}"
        assert_refused(ask(*words, "--data", other), 2, error, "--data", "--catalog")
    assert everything(copied) == before
    assert ask("stats", "doushouqi", "--data", copied.rename(tmp_path / "moved")).code == 0


@pytest.mark.full
@on_postgresql
def test_a_folder_keeps_its_id(copied: Path, schemas: Iterator[str], ask: Ask) -> None:
    before = (copied / ID_FILE).read_text()
    assert ask("reindex", "--data", copied, "--catalog", next(schemas)).code == 0
    assert (copied / ID_FILE).read_text() == before
    assert ask("stats", "doushouqi", "--data", copied).code == 0


@on_postgresql
def test_a_catalog_is_read_as_it_was_opened(copied: Path) -> None:
    """What is changed later is not seen; nobody waits for a reader, not even `reindex`, which removes all rows."""
    with closing(opened(copied)) as catalog:
        with database(copied).changes(rebuilds=True) as connection:
            assert database(copied).clear(connection) == []
        assert catalog.sql(COUNT)[1] == [(10,)]
        assert len(catalog.registered(GAME)) == 10
    assert rows(copied, COUNT) == [{"n": 0}]


@pytest.mark.full
@on_postgresql
def test_changes_wait_for_each_other(copied: Path) -> None:
    material = parse_material(GAME, "CvW")
    done = threading.Event()

    def enter() -> None:
        with closing(Table(table_of(copied, "CvW"), GAME, material)) as table:
            register(writer, GAME, table, "late")
        done.set()

    with closing(opened(copied, create=True)) as writer:
        thread = threading.Thread(target=enter)
        with database(copied).changes() as connection:
            thread.start()
            assert not done.wait(0.3)
            connection.exec_driver_sql("SELECT 1")
        thread.join()
        assert rows(copied, "SELECT engine FROM tables WHERE engine = 'late'") == [{"engine": "late"}]
        impatient = Catalog(copied, create=True, catalog=default_catalog(), patience=0.1)
        with database(copied).changes(), pytest.raises(CatalogBusyError, match="is locked by another program"):
            impatient.create()


@pytest.mark.parametrize(
    ("statement", "error"),
    thinned(
        [
            # What is no query is none behind the first words of a cursor, either.
            ("DELETE FROM tables RETURNING id", 'syntax error at or near "DELETE" (only SELECT is allowed)'),
            ("WITH a AS (SELECT 1) DELETE FROM tables", 'syntax error at or near "DELETE"'),
            ("COMMIT", 'syntax error at or near "COMMIT"'),
            ("WITH a AS (DELETE FROM tables RETURNING id) SELECT * FROM a", "data-modifying statements in WITH (only SELECT"),
            ("SELECT * FROM tables FOR UPDATE", "cannot execute SELECT FOR UPDATE in a read-only transaction"),
            ("SELECT * INTO mine FROM tables", "INTO"),
            ("SELECT nextval('tables_id_seq')", "cannot execute nextval() in a read-only transaction"),
            ("SELECT query_to_xml('DELETE FROM tables', true, true, '')", "DELETE is not allowed in a non-volatile function"),
            ("SELECT set_config('transaction_read_only', 'off', false)", "cannot set transaction read-write mode"),
            ("SELECT 1; COMMIT; DROP TABLE tables", "cannot insert multiple commands into a prepared statement"),
            ("SELECT pg_read_file('/etc/passwd')", "permission denied for function pg_read_file"),
            ("SELECT * FROM positions", "relation \"positions\" does not exist (query positions with 'tablebase mine')"),
            ("SELECT nothing FROM tables", 'column "nothing" does not exist'),
            ("SELECT 1 / 0", "division by zero"),
            ("SELECT $1", "the SQL statement failed: bind message supplies 0 parameters"),
            ("SELECT repeat('x', 2000000000)", "the SQL statement failed: requested length too large"),
            ("", "syntax error at end of input"),
        ],
        3,
    ),
)
def test_sql_only_reads(statement: str, error: str, asked: Path, ask: Ask) -> None:
    before = everything(asked)
    answer = ask("sql", statement, "--data", asked)
    assert_refused(answer, 2, error)
    assert (answer.out, len(answer.err.splitlines())) == ("", 1)
    assert everything(asked) == before


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("VALUES (1, 'a'), (2, NULL)", [(1, "a"), (2, None)]),
        ("TABLE schema_version", [(SCHEMA_VERSION,)]),
        ("SELECT 1 -- one", [(1,)]),
        ("SELECT 1;", [(1,)]),
        ("SELECT '100 %s %'", [("100 %s %",)]),
        ("SELECT 1.5, 2.0, 1e400, 12345678901234567890", [(1.5, 2.0, int("1" + "0" * 400), 12345678901234567890)]),
        ("SELECT true, '\\xff'::bytea, date '2030-01-31', ARRAY[1, 2]", [(True, b"\xff", "2030-01-31", "[1, 2]")]),
        ("SELECT 'NaN'::numeric = 'NaN'::numeric", [(True,)]),
    ],
)
def test_sql_reads_what_is_asked(statement: str, expected: list[tuple[object, ...]], asked: Path) -> None:
    with closing(opened(asked)) as catalog:
        assert catalog.sql(statement)[1] == expected


@pytest.mark.full
def test_a_snapshot_outlives_a_wrong_statement(asked: Path) -> None:
    """After an error, and after a limit of time, the same catalog answers further questions."""
    with closing(opened(asked)) as catalog:
        with pytest.raises(TablebaseError, match="does not exist"):
            catalog.sql("SELECT nothing")
        with pytest.raises(TimeLimitError, match=r"takes longer than 0\.1 s"):
            catalog.sql("SELECT pg_sleep(20)", 0.1)
        assert catalog.sql(f"{COUNT} WHERE pg_sleep(0.2) IS NOT NULL LIMIT 1")[1] == [(10,)]


@pytest.mark.full
def test_a_superuser_asks_nothing(on_server: tuple[Path, str], server: Server, tmp_path: Path, ask: Ask) -> None:
    """Its statements could write files even in a transaction that only reads; all else works."""
    schema = str(make_url(on_server[1]).query["options"]).removeprefix("-csearch_path=")
    there = ("--data", on_server[0], "--catalog", server.url(schema, role=USER))
    assert_refused(ask("sql", COUNT, *there), 2, "role can write files on the server")
    for words in (["stats", "doushouqi"], ["plot", "distances", "doushouqi", "--output", tmp_path / "chart.svg"]):
        assert ask(*words, *there).code == 0
