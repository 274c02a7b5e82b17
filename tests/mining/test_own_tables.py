"""Tables of the user's own: read by name, joined and looked up; no other file can be read."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.program import Ask, assert_refused

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.moves import swapped
from tablebase.game.notation import read, render
from tablebase.mining import own_tables as module
from tablebase.mining import sandbox
from tablebase.mining.own_tables import named_files, own_tables
from tablebase.mining.query import Query
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
HERE, THERE = "7/7/7/7/3c3/7/7/R6/7 w", "1C5/2c4/7/7/7/7/7/7/7 w"
JOINED = "SELECT game, material, outcome, distance FROM {} m JOIN positions p ON p.position = m.ended ORDER BY game"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of positions, one of which has no row."""
    file = tmp_path / "games.csv"
    file.write_text(f"game,ended\n1,{HERE}\n2,{THERE}\n3,nothing\n", encoding="utf-8")
    return file


def test_a_file_is_joined(games: Path, two_pieces: Path, ask: Ask, tables: Tablebase) -> None:
    """As CSV, as a result in Parquet, and from Python, the same rows come, which probes confirm."""
    values = [tables.probe_value(JUNGLE, text) for text in (HERE, THERE)]
    expected = [
        {"game": number, "material": material, "outcome": str(value.outcome), "distance": value.distance}
        for number, material, value in zip((1, 2), ("RvC", "CvC"), values, strict=True)
    ]
    options = ("--data", two_pieces, "--format", "json")
    answer = ask("mine", "doushouqi", JOINED.format("mine"), "--table", f"mine={games}", *options)
    assert answer.json == expected
    result = games.with_name("result.parquet")
    pq.write_table(pa.table({"game": [1, 2, 3], "ended": [HERE, THERE, None]}), result)
    with_both = f"SELECT a.game, b.ended FROM a, b WHERE a.game = b.game AND a.game < 3 ORDER BY 1"  # noqa: F541
    answer = ask("mine", "doushouqi", with_both, "--table", f"a={games}", "--table", f"b={result}", *options)
    assert answer.json == [{"game": 1, "ended": HERE}, {"game": 2, "ended": THERE}]
    for table in ({"Mine": str(games)}, {"Mine": result}, {"Mine": pq.read_table(result)}, [f"Mine={games}"]):
        rows = tables.mine("doushouqi", JOINED.format("Mine"), table=table).fetchall()
        assert rows == [tuple(row.values()) for row in expected]


def test_listed_positions_are_looked_up(games: Path, two_pieces: Path) -> None:
    """Of the tables nothing is decoded but the two positions, in a WITH, too; a filtered list is not known beforehand."""
    own = {"mine": games}
    in_with = f"WITH other AS (SELECT * FROM mine) {JOINED.format('other')}"
    for statement in (JOINED.format("mine"), JOINED.format("MINE"), in_with):
        with Query(JUNGLE, two_pieces, statement, (), own=own) as query:
            assert query.cells == 2
            assert len(query.fetchall()) == 2
    with Query(JUNGLE, two_pieces, JOINED.format("(SELECT * FROM mine WHERE game < 3)"), (), own=own) as query:
        assert query.cells > 1000
        assert len(query.fetchall()) == 2


def test_no_other_file_can_be_read(games: Path, two_pieces: Path) -> None:
    for source in (f"'{games}'", f"read_csv('{games}')", "yours"):
        with pytest.raises(TablebaseError):
            Query(JUNGLE, two_pieces, f"SELECT * FROM {source}", (), own={"mine": games}).fetchall()
    with pytest.raises(TablebaseError, match="unknown table mine"):
        Query(JUNGLE, two_pieces, "SELECT * FROM mine", ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games.csv", "expected NAME=FILE"),
        ("Moves=games.csv", "the table name Moves is already used"),
        ("duckdb_settings=games.csv", "already used"),
        ("my games=games.csv", "use letters, digits and _"),
        ("mine=none.csv", "none.csv cannot be used"),
        ("mine=games.txt", "use a file name ending in .parquet or .csv"),
        ("mine=broken.parquet", "cannot read broken.parquet"),
    ],
)
def test_errors(text: str, message: str, games: Path, two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(games.parent)
    Path("broken.parquet").write_text("no table", encoding="utf-8")
    answer = ask("mine", "doushouqi", "SELECT 1", "--table", text, "--data", two_pieces)
    assert_refused(answer, 2, message)


def test_files_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Parquet, what it is unpacked; the file may be much smaller."""
    monkeypatch.setattr(module, "LARGEST", 10_000)
    packed, text = tmp_path / "a.parquet", tmp_path / "a.csv"
    for rows, fits in ((1_000, True), (2_000, False)):
        pq.write_table(pa.table({"n": pa.array(range(rows), pa.int64())}), packed, compression="zstd", use_dictionary=False)
        text.write_text("n\n" + "12345678\n" * rows)
        for file in (packed, text):
            if fits:
                assert own_tables({"mine": file})["mine"].num_rows == rows
            else:
                with pytest.raises(TablebaseError, match="has more than 10,000 bytes: choose a smaller file for --table"):
                    own_tables({"mine": file})
    assert packed.stat().st_size < 10_000


@pytest.mark.parametrize(
    "source",
    [
        "positions JOIN mine ON m = material",
        "positions WHERE material IN (SELECT m FROM mine)",
        pytest.param("positions, (VALUES ('RvC'), ('CvC')) v(m) WHERE m = material", marks=pytest.mark.full),
    ],
)
def test_positions_are_not_kept_to_join_them(source: str, two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory that does not hold them, beside a table of two rows."""
    monkeypatch.setitem(sandbox.SETTINGS, "memory_limit", "'10MB'")
    own = {"mine": pa.table({"m": ["RvC", "CvC"]})}
    with Query(JUNGLE, two_pieces, f"SELECT count(position) FROM {source}", (), 1, own=own) as query:
        rows = query.fetchall()
    with Query(JUNGLE, two_pieces, "SELECT count(*) FROM positions WHERE material IN ('RvC', 'CvC')", ()) as query:
        assert rows == query.fetchall()


def test_names_occur_once() -> None:
    """In SQL they are case-insensitive."""
    with pytest.raises(TablebaseError, match="two tables have the name mine"):
        named_files(["mine=a.csv", "mine=b.csv"])
    with pytest.raises(TablebaseError, match="already used"):
        own_tables({"mine": pa.table({"a": [1]}), "Mine": pa.table({"a": [1]})})


def test_both_colours_are_found(two_pieces: Path, tables: Tablebase) -> None:
    """Positions with either side to move are joined with their rows by `as_row`, and their moves and texts come back."""
    texts = [render(JUNGLE, each) for text in (HERE, THERE) for each in (read(JUNGLE, text), swapped(JUNGLE, read(JUNGLE, text)))]
    asked = [*texts, *(f"{text[:-1]}{'b' if text[-1] == 'w' else 'w'}" for text in texts), "nothing", None]
    statement = """
        SELECT q.p, r.distance, as_asked(r.best, q.p) AS best, as_asked(r.position, q.p) AS again, d.distance AS distinct_distance
        FROM q LEFT JOIN positions r ON r.position = as_row(q.p)
        LEFT JOIN distinct_positions d ON d.position = as_distinct_row(q.p)"""
    with Query(JUNGLE, two_pieces, statement, (), own={"q": pa.table({"p": asked})}) as query:
        assert query.cells <= 2 * len(texts)
        rows = query.fetchall()
    assert sorted(map(str, asked)) == sorted(str(text) for text, *_ in rows)
    for text, distance, best, again, distinct_distance in rows:
        if text in (None, "nothing"):
            assert (distance, best, again, distinct_distance) == (None, None, None, None)
        else:
            assert (again, distance, distinct_distance) == (text, *[tables.probe_value(JUNGLE, text).distance] * 2)
            moves = tables.probe(JUNGLE, text).moves
            assert best in {each.move for each in moves if each.value == moves[0].value}


@pytest.mark.parametrize(("game", "folder"), [("doushouqi", "two_pieces"), ("hexapawn", "hexapawns")])
def test_each_row_has_a_distinct_row(game: str, folder: str, request: pytest.FixtureRequest) -> None:
    """It has the same value; aliases, exchanged colours and identical pieces included."""
    rules, data = load_game(game), request.getfixturevalue(folder)
    drawn = "SELECT position, outcome, distance FROM positions ORDER BY hash LIMIT 300"
    with Query(rules, data, drawn, ()) as query:
        rows = query.arrow()
    statement = """
        SELECT count(*) FROM s JOIN distinct_positions d ON d.position = as_distinct_row(s.position)
        WHERE d.outcome = s.outcome AND d.distance IS NOT DISTINCT FROM s.distance"""
    with Query(rules, data, statement, (), own={"s": rows}) as query:
        assert query.fetchall() == [(300,)]


def test_a_list_with_the_wrong_colours_is_refused(two_pieces: Path) -> None:
    """Positions that no row has, since the other side is to move, are no silent null: the sentence names the function."""
    own = {"q": pa.table({"p": [HERE, THERE.replace(" w", " b"), "nothing b"]})}
    for source in ("q JOIN positions ON position = q.p", "q LEFT JOIN positions r ON r.position = q.p"):
        with pytest.raises(TablebaseError, match=r"2 of 3 positions in q\.p have Black to move.*write as_row\(q\.p\)"):
            Query(JUNGLE, two_pieces, f"SELECT * FROM {source}", (), own=own)
    with pytest.raises(TablebaseError, match=r"in \(SELECT p FROM q\) have Black to move.*write as_row\(p\)"):
        Query(JUNGLE, two_pieces, "SELECT * FROM positions WHERE position IN (SELECT p FROM q)", (), own=own)


@pytest.mark.parametrize(
    "source",
    [
        f"positions WHERE position = as_row('{THERE[:-1]}b')",
        "positions WHERE position IN (SELECT as_row(p) FROM q)",
        "w JOIN positions ON position = w.r",
    ],
)
def test_rows_of_both_colours_are_looked_up(source: str, two_pieces: Path) -> None:
    """The functions are known before the statement runs, wherever positions may be listed."""
    own = {"q": pa.table({"p": [THERE[:-1] + "b"]})}
    statement = f"WITH w AS (SELECT AS_ROW(p) AS r FROM q) SELECT count(*) FROM {source}"
    with Query(JUNGLE, two_pieces, statement, (), own=own) as query:
        assert (query.cells, query.fetchall()) == (1, [(1,)])
