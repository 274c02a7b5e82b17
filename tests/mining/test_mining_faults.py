"""Errors in a question about all positions: one sentence on stderr, its code, no traceback, no file written."""

import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import parse_one
from support.checks import at_least_one, thinned
from support.program import Ask, assert_one_sentence, assert_refused, flip, middle_of_codes
from support.queries import mined

from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.mining import sandbox as database
from tablebase.mining.query import Query
from tablebase.mining.statement import SYSTEM, check_reach
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()

secret = [1, 2, 3]
"""A variable of this program, which no statement may read."""

NO_SELECTS = [
    *("", "/* SELECT 1 */", "SELECT 1; SELECT 2", "INSERT INTO positions (material) VALUES ('RvC')"),
    *("UPDATE positions SET distance = 1", "DELETE FROM positions", "DROP TABLE positions"),
    *("CREATE TABLE mine AS SELECT * FROM positions", "CREATE MACRO one() AS 1"),
    *("COPY (SELECT * FROM positions) TO 'mine.csv'", "COPY positions FROM 'given.csv'", "EXPORT DATABASE 'mine'"),
    *("ATTACH 'mine.db' AS mine", "INSTALL spatial", "LOAD spatial", "SET threads = 1"),
    *("SET enable_external_access = true; SELECT * FROM 'given.csv'", "RESET lock_configuration"),
    *("PRAGMA enable_profiling", "CALL enable_logging(storage_path = 'mine')", "USE memory", "CHECKPOINT"),
    *("EXPLAIN DROP TABLE positions", "SHOW DATABASES", "SHOW placements", "PREPARE one AS SELECT 1", "BEGIN"),
]
READERS = ("read_csv", "read_csv_auto", "read_text", "read_blob", "read_json", "read_parquet", "sniff_csv")
STATEMENTS = {
    **{text: (text, "write a single SELECT") for text in NO_SELECTS},
    **{name: (f"SELECT * FROM {name}('given.csv')", "given.csv") for name in READERS},
    "a wrong word": ("SELEC 1", "SELEC"),
    "a wrong column": ("SELECT weight FROM positions", "weight"),
    "a wrong table": ("SELECT * FROM placements", "unknown table placements: query positions"),
    "a table of the catalog": ("SELECT * FROM slice_counts", "or the catalog with 'tablebase sql'"),
    "a wrong name of the table": ("SELECT count(*) FROM positions p WHERE positions.pieces = 2", "positions"),
    "a wrong type": ("SELECT sum(material) FROM positions", "sum"),
    "a value that is no number": ("SELECT count(*) FROM positions WHERE outcome = 'win' AND CAST(material AS INT) > 3", ""),
    "an error on purpose": ("SELECT count(*) FROM positions WHERE error(outcome) IS NULL", ""),
    "a question mark": ("SELECT count(*) FROM positions WHERE distance = ?", "parameter"),
    "DELETE below": ("WITH a AS (DELETE FROM positions RETURNING *) SELECT * FROM a", ""),
    "EXPLAIN ANALYZE": ("EXPLAIN ANALYZE SELECT 1", "write EXPLAIN SELECT"),
    "EXPLAIN with a format": ("explain (format json) SELECT 1", "write EXPLAIN SELECT"),
    "EXPLAIN of nothing": ("EXPLAIN", ""),
    "PIVOT without values": ("PIVOT positions ON outcome USING count(*)", "PIVOT must list the values that become columns"),
    "PIVOT with more": ("PIVOT positions ON outcome IN ('win') USING count(*) ORDER BY material", "as in FROM (PIVOT …)"),
    "a file": ("SELECT * FROM 'given.csv'", "given.csv"),
    "glob": ("SELECT * FROM glob('*')", "disabled"),
    "a file of the web": ("SELECT * FROM 'https://localhost/given.csv'", ""),
    "a file in a subquery": ("SELECT count(*) FROM positions WHERE material IN (FROM read_csv('given.csv'))", "given.csv"),
    "logs": ("SELECT * FROM enable_logging('QueryLog', storage := 'file', storage_path := 'mine')", "locked"),
    "a profile": ("SELECT * FROM enable_profiling(save_location := 'mine.json')", "locked"),
    "a variable": ("SELECT * FROM secret", "secret"),
    "a variable of the environment": ("SELECT getenv('HOME')", "getenv"),
    "settings": ("SELECT * FROM duckdb_settings()", "duckdb_settings() is not allowed in FROM"),
    "the list of tables": ("SELECT * FROM duckdb_settings", "query positions, distinct_positions, moves or distinct_moves"),
    "settings under another name": ("SELECT * FROM pg_settings", "pg_settings cannot be queried"),
    "settings hidden by a WITH": ("WITH pg_settings AS (FROM pg_settings) FROM pg_settings", "pg_settings cannot be queried"),
    "a setting": ("SELECT current_setting('secret_directory')", "the function current_setting is not allowed"),
    "a setting after a dot": ("SELECT ('threads').\"Current_Setting\"()", "the function Current_Setting is not allowed"),
    "views of a schema": ("SELECT * FROM information_schema.tables", "information_schema.tables cannot be queried"),
    "query": ("SELECT * FROM query('SELECT 1')", "query"),
    "query in quotes": ("SELECT * FROM \"Query\"('SELECT 1')", "Query"),
    "query of a schema": ("SELECT * FROM system.main.query('SELECT 1')", "query"),
    "query_table": ("SELECT * FROM query_table('positions')", "query_table"),
    "a statement in JSON": (
        "SELECT count(*) FROM positions WHERE material = 'RvC' UNION ALL "
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT count(*) FROM positions'))",
        "unknown table positions",
    ),
    "a macro beside a table": (
        "SELECT count(*) FROM positions WHERE material = 'RvC' UNION ALL SELECT sum(count) FROM histogram('positions', distance)",
        "is not allowed in FROM",
    ),
    "a WITH called positions": ("WITH positions AS (SELECT 1 AS pieces) SELECT * FROM positions", "a WITH query cannot be named"),
    "a WITH called POSITIONS": ('WITH "Distinct_Positions"(a) AS (SELECT 1) SELECT * FROM positions', "WITH query cannot be named"),
    "columns renamed": ("SELECT a, count(*) FROM positions t(a) GROUP BY a", "cannot be renamed in FROM"),
    "columns exchanged": ("SELECT count(*) FROM positions t(a, b, material) WHERE material = 'w'", "cannot be renamed in FROM"),
    "columns by number": ("SELECT count(DISTINCT #1) FROM positions", "use column names"),
    "a material in another order": ("SELECT 1 FROM positions WHERE material = 'CRvW'", "invalid material CRvW: expected RCvW"),
    "a material that is not built": (
        "SELECT count(*) FROM positions WHERE material = 'RvC' UNION "
        "SELECT count(*) FROM positions WHERE side = 'w' AND material IN ('RvC', 'RCvW')",
        "the table RCvW of doushouqi has not been built",
    ),
    "a number of pieces that is not built": (
        "SELECT count(*) FROM positions WHERE pieces = 3 AND p1 = 'R'",
        "no table of doushouqi with 3 pieces has been built: run 'tablebase build doushouqi --pieces 3",
    ),
    "an alias among the distinct": ("SELECT * FROM distinct_positions WHERE material = 'CvD'", "only as the equivalent CvW"),
    "a feature that is not there": ("SELECT beauty FROM positions", "beauty"),
    "features by a pattern": ("SELECT COLUMNS('mob.*') FROM positions", "mob.*"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder with one file, which is to stay as it is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given.csv").write_text("name\nRvC\n")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    yield tmp_path
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("statement", "said"), thinned(STATEMENTS.values(), 3), ids=STATEMENTS)
def test_statements(statement: str, said: str, two_pieces: Path, ask: Ask) -> None:
    """What is wrong, or does anything but ask for positions, is refused, and leaves nothing; the fixtures look."""
    assert_one_sentence(ask("mine", "doushouqi", statement, "--data", two_pieces), said)


OPTIONS = {
    "mine doushouqi 'SELECT 1' --limit -1": "--limit",
    "mine hexapawn 'SELECT 1 FROM positions' --data {two}": "no table of hexapawn is in the catalog",
    "mine doushouqi 'SELECT 1' --data .": "no tablebase in .",
    "mine doushouqi 'SELECT 1' --data given.csv": "given.csv is a file",
    "mine doushouqi 'SELECT 1' --data {two} --features mine.py": "mine.py",
    "features doushouqi --format parquet": "parquet",
    "features doushouqi --features given.csv": "given.csv",
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("words", "said"), OPTIONS.items(), ids=OPTIONS)
def test_options(words: str, said: str, two_pieces: Path, ask: Ask) -> None:
    assert_one_sentence(ask(*shlex.split(words.format(two=two_pieces))), said)


def test_parquet_is_not_for_a_screen(two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal it is refused before anything is done."""
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    answer = ask("mine", "doushouqi", "SELECT 1", "--data", two_pieces, "--format", "parquet")
    assert_one_sentence(answer, "cannot print Parquet to a terminal")


def odd(body: str, described: str = "", name: str = "odd") -> str:
    """A file with one feature."""
    return f"@feature({described})\ndef {name}(positions):\n    'Says.'\n    {body}\n"


FILES = {
    "a fault of syntax": ("def", "cannot be loaded: SyntaxError"),
    "a fault of its own": ("raise KeyError('mine')", "cannot be loaded: KeyError"),
    "an import that fails": ("import nothing_of_the_kind", "cannot be loaded: ModuleNotFoundError"),
    "one that leaves": ("import sys; sys.exit(0)", "cannot be loaded: SystemExit"),
    "bytes that are no text": ("\0", "cannot be loaded"),
    "nothing": ("", "defines no feature"),
    "functions without a decorator": ("def plain(positions):\n    return 1", "defines no feature"),
    "no parentheses": ("@feature\ndef odd(positions):\n    'Says.'", "the decorator @feature needs parentheses"),
    "of three pieces": ("@feature(pieces=3)\ndef odd(positions, a, b, c):\n    'Says.'", "use 0 to 2 pieces"),
    "of another kind": (odd("return 1", "kind='date'"), "bool, int or float"),
    "without a docstring": ("@feature()\ndef odd(positions):\n    return 1", "odd has no docstring"),
    **{
        f"called {name}": (odd("return 1", name=name), f"a column named {name}, but")
        for name in ("distance", "p1_square", "Mobility", "even_1_2")
    },
}
BODIES = {
    "raises": (odd("raise KeyError('mine')"), "error in the feature odd: KeyError: 'mine'"),
    "leaves": (odd("raise SystemExit(0)"), "error in the feature odd: SystemExit"),
    "gives nothing": (odd("pass"), "error in the feature odd"),
    "gives too few": (odd("return np.zeros(len(positions) - 1)"), "error in the feature odd"),
    "gives a table": (odd("return positions.squares"), "error in the feature odd"),
    "gives halves": (odd("return np.full(len(positions), 0.5)"), "the function must return values of kind int"),
    "gives large numbers": (odd("return np.full(len(positions), 70_000)"), "the function must return values of kind int"),
    "gives no number": (odd("return np.full(len(positions), np.nan)"), "the function must return values of kind int"),
    "gives imaginary numbers": (odd("return np.full(len(positions), 1j)"), "the function must return values of kind int"),
    "gives text": (odd("return np.full(len(positions), '3')", "kind='float'"), "the function must return values of kind float"),
    "gives two for true": (odd("return np.full(len(positions), 2)", "kind='bool'"), "the function must return values of kind bool"),
    "gives words out of range": (odd("return 2", "words=('a', 'b')"), "the function must return indices into 'words', from 0 to 1"),
    "gives words below": (odd("return -1", "words=('a', 'b')"), "the function must return indices into 'words', from 0 to 1"),
    "gives words": (odd("return np.full(len(positions), 'a')", "words=('a', 'b')"), "the function must return values of kind text"),
    "changes positions": (odd("positions.squares[:] = 0\n    return 1"), "error in the feature odd: ValueError"),
}


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        *((*case, "count(*)") for case in FILES.values()),
        *thinned([(*case, "max(odd), min(p1_square)") for case in BODIES.values()], 3),
    ],
    ids=[*FILES, *BODIES],
)
def test_feature_files(text: str, said: str, column: str, tmp_path: Path, two_pieces: Path, ask: Ask) -> None:
    """A file that describes features wrongly is refused, also if the statement has none; so is a value that does not fit."""
    file = tmp_path / "mine.py"
    file.write_text("import numpy as np\nfrom tablebase.features import feature\n" + text)
    statement = f"SELECT {column} FROM positions WHERE material IN ('RvC', 'TvL')"
    assert_one_sentence(ask("mine", "doushouqi", statement, "--data", two_pieces, "--features", file), said)


@pytest.mark.parametrize(("wanted", "style"), [("p1_file", "table"), ("p1_file", "parquet"), ("outcome", "csv")])
@pytest.mark.parametrize("missing", [False, True], ids=["damaged", "missing"])
def test_a_damaged_or_missing_file_is_named(wanted: str, style: str, missing: bool, copied: Path, ask: Ask) -> None:
    """The stream ends in a sentence with the table's name; others can still be asked."""
    path = table_path(copied, GAME, parse_material(GAME, "RvT"))
    if missing:
        path.unlink()
    else:
        flip(path, middle_of_codes(path))
    asked = f"SELECT {wanted}, count(*) FROM positions GROUP BY ALL"
    assert_one_sentence(ask("mine", "doushouqi", asked, "--data", copied, "--format", style), "RvT", code=2 if missing else 1)
    sound = f"SELECT count({wanted}) AS n FROM positions WHERE material = 'CvW'"
    assert ask("mine", "doushouqi", sound, "--data", copied, "--format", "json").json == [{"n": 49 * 48}]


def test_too_much_memory(two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that needs more than is allowed ends in a sentence that gives the amount, with a code of its own."""
    monkeypatch.setattr(database, "MEMORY", "30MB")
    monkeypatch.setitem(database.SETTINGS, "memory_limit", "'30MB'")
    statement = "SELECT list(positions ORDER BY random()) FROM positions GROUP BY random()"
    assert_one_sentence(
        ask("mine", "doushouqi", statement, "--data", two_pieces, "--workers", 1), "more than 30MB of memory", code=3
    )


def test_a_error_after_the_first_rows(two_pieces: Path, ask: Ask) -> None:
    """A stream that has begun fails in another way than a statement that has not; the sentence is the same."""
    statement = "SELECT CASE WHEN range = 199999 THEN error('late') END AS a FROM range(200000)"
    answer = ask("mine", "doushouqi", statement, "--data", two_pieces, "--format", "csv")
    assert answer.out.startswith("a\n")
    assert (answer.code, answer.errors) == (2, ["error: the statement failed: Invalid Input Error: late"])


def test_only_rows_of_arguments() -> None:
    """Every table function of DuckDB that is allowed reads nothing, and all of DuckDB's own views are known by their names."""
    with database.sandbox(1) as connection:
        connection.execute("CREATE TABLE positions (a INT)")
        found = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type LIKE '%table%'"
        ).fetchall()
        views = connection.execute("SELECT view_name FROM duckdb_views() WHERE schema_name <> 'information_schema'").fetchall()
    refused = []
    for (name,) in at_least_one(found):
        try:
            check_reach(parse_one(f'SELECT * FROM "{name}"(1, 2)', dialect="duckdb"), ("positions",))
        except TablebaseError:
            refused.append(name)
    allowed = {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
    assert {name for (name,) in found} - {*refused} == allowed
    assert all(name.startswith(SYSTEM) for (name,) in at_least_one(views))


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("SELECT count(*) AS n FROM range(3), generate_series(1, 2), unnest([1, 2])", 12),
        ("SELECT count(*) AS n FROM repeat('a', 3), repeat_row(1, 2, num_rows = 2)", 6),
        ("SELECT count(*) AS n FROM json_each('[1, 2]'), json_tree('[1]')", 4),
        ("WITH a AS (SELECT 1), b AS (FROM A) SELECT count(*) AS n FROM B, (VALUES (1), (2))", 2),
        ("SELECT count(*) AS n FROM main.positions p, (SELECT 1) WHERE p.material = 'RvC'", 49 * 60),
    ],
)
def test_what_a_statement_may_read(statement: str, rows: int, two_pieces: Path, ask: Ask) -> None:
    """Tables, its own subqueries, and functions that make rows of their arguments."""
    answer = ask("mine", "doushouqi", statement, "--data", two_pieces, "--format", "json")
    assert answer.json == [{"n": rows}]


def test_a_large_constant_is_planned_at_once(hexapawns: Path) -> None:
    """DuckDB takes a minute to draw a plan in which it stands."""
    begin = time.monotonic()
    with Query(load_game("hexapawn"), hexapawns, "SELECT repeat('x', 100000000) AS x", ()) as query:
        assert query.columns == ["x"]
    assert time.monotonic() - begin < 5


IMPOSSIBLE = {
    "outcome = 'wins'": "invalid outcome 'wins' (did you mean 'win'?): expected win, loss or draw",
    "'Win' = outcome": "'win'",
    "outcome IN ('win', 'drawn')": "'drawn'",
    "NOT (p.outcome IS DISTINCT FROM 'drawn')": "'drawn'",
    "CASE outcome WHEN 'lose' THEN true ELSE false END": "'lose'",
    "(outcome, p1) = ('win', 'X')": "invalid p1 'X'",
    "(p1, outcome) IN (('R', 'win'), ('R', 'won'))": "'won'",
    "twin_outcome = 'tie'": "invalid twin_outcome 'tie'",
    "distance > 3 OR (pieces = 2 AND outcome = 'wins')": "'wins'",
    "side = 'b'": "colours exchanged",
    "pieces = 1": "2 to 16",
    "pieces IN (2, 17)": "2 to 16",
    "material = 'XvX'": "'X'",
    "material <> 'rat'": "'rat'",
    "material IN ('RRvC')": "RRvC",
    "p1 = 'A'": "invalid p1 'A'",
    "p2_square = 'h1'": "63 words",
    "p1_file = 8": "1 to 7",
    "first = 'mine'": "mover, other or nobody",
    "relation_1_2 = 'weak'": "weaker, equal or stronger",
    "best = 'a1a3'": "best",
    "EXISTS (SELECT 1 FROM (VALUES (1)) v(x) WHERE p.outcome = 'wins')": "'wins'",
    "SELECT count(*) FILTER (WHERE p.outcome = 'wins') FROM positions p": "'wins'",
    "WITH q AS (SELECT count(*) FROM main.positions p WHERE material = 'RvC' AND outcome IN ('win', 'wins')) FROM q": "'wins'",
}
OTHERS = [
    "SELECT count(*) FROM (SELECT 'wins' AS outcome) q WHERE outcome = 'wins'",
    "SELECT count(*) FROM (SELECT upper(outcome) AS outcome FROM positions WHERE material = 'RvC') WHERE outcome = 'WIN'",
    "WITH q AS (SELECT 'wins' AS outcome) SELECT count(*) FROM q, positions p WHERE q.outcome = 'wins' AND p.material = 'RvC'",
    "SELECT (SELECT count(*) FROM (VALUES ('wins')) v(outcome) WHERE outcome = 'wins') FROM positions p WHERE material = 'RvC'",
    "SELECT upper(outcome) AS outcome, count(*) FROM positions WHERE material = 'RvC' GROUP BY ALL HAVING outcome = 'WIN'",
    "SELECT count(*) FROM positions p RIGHT JOIN (VALUES ('wins')) v(outcome) USING (outcome) WHERE outcome = 'wins'",
    "SELECT count(*) FROM positions p JOIN (VALUES ('wins')) v(word) ON v.word = p.outcome WHERE v.word = 'wins'",
    "SELECT count(*) FROM own WHERE outcome = 'wins'",
]
"""Columns of this name that are others'."""


@pytest.mark.parametrize("condition", thinned(IMPOSSIBLE, 3))
def test_a_word_that_no_row_has(condition: str, two_pieces: Path) -> None:
    """It is named, with the words there are if they are few; it may stand in a filter, or in a part of the statement."""
    statement = condition if condition.startswith(("SELECT", "WITH")) else f"SELECT count(*) FROM positions p WHERE {condition}"
    with pytest.raises(TablebaseError) as error:
        mined(GAME, two_pieces, statement)
    assert IMPOSSIBLE[condition] in str(error.value)


@pytest.mark.parametrize("statement", thinned(OTHERS, 3))
def test_columns_of_others_may_have_any_word(statement: str, two_pieces: Path, ask: Ask, tmp_path: Path) -> None:
    """Subqueries, results and tables of the user's own have words of their own."""
    own = tmp_path / "own.csv"
    own.write_text("outcome\nwins\n")
    answer = ask("mine", "doushouqi", statement, "--data", two_pieces, "--table", f"own={own}", "--format", "csv")
    assert answer.code == 0, answer.err


SQL = {
    "SELECT sum(placements) FROM distances WHERE outcome = 'wins'": "'wins' (did you mean 'win'?): expected win or loss",
    "SELECT d.* FROM distances d JOIN solutions s ON s.id = d.solution_id WHERE d.outcome IN ('draw')": "win or loss",
    "SELECT * FROM slice_counts WHERE game = 'doushuoqi'": "doushouqi",
    "SELECT * FROM slices WHERE side = 'x'": "invalid side 'x'",
    "SELECT * FROM pattern_rules WHERE outcome <> 'won'": "win, loss or draw",
}


@pytest.mark.parametrize("statement", SQL)
def test_words_of_the_catalog(statement: str, two_pieces: Path, ask: Ask) -> None:
    answer = ask("sql", statement, "--data", two_pieces)
    assert_refused(answer, 2, SQL[statement])
    allowed = statement.partition("WHERE")[0] + "WHERE 'wins' <> 'x'"
    assert ask("sql", allowed, "--data", two_pieces).code == 0


def test_a_game_without_tables_is_one(two_pieces: Path, ask: Ask) -> None:
    answer = ask("sql", "SELECT count(*) AS n FROM tables WHERE game = 'hexapawn'", "--data", two_pieces, "--format", "csv")
    assert answer.out == "n\n0\n"
