"""An open tablebase in Python: its answers, in a terminal, in a notebook and as data, and wrong arguments of its methods."""

import copy
import inspect
import logging
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.checks import at_least_one, before_release
from support.program import Answer, Ask, ask_fresh

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import ArgumentError, ArgumentTypeError, MissingTableError, TablebaseError
from tablebase.probe.html import titled_table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
LOST = "7/7/7/7/3c3/7/7/R6/7 w"
WON = "7/3C3/7/7/7/7/7/7/c6 w"
SHUT_IN = "7/7/7/7/7/7/7/w6/Cd5 w"
DRAWN = "7/7/5c1/R6/7/7/7/7/7 b"


def test_answers_are_one_short_line(tables: Tablebase) -> None:
    """No answer, and nothing that holds the game, fills the screen with rules."""
    probe, line = tables.probe(GAME, LOST), tables.line(GAME, LOST)
    assert repr(probe) == f"Probe(doushouqi, {LOST!r}, loss in 8, best a2a1)"
    assert repr(probe.moves[0]) == "RatedMove(a2a1, loss in 8)"
    assert repr(line) == f"Line(doushouqi, {LOST!r}, loss in 8: a2a1 d5d4 a1a2 d4d3 …)"
    assert repr(tables.line(GAME, WON, plies=0)).endswith(", win in 1: d8d9)")
    assert repr(tables.probe(GAME, DRAWN)).split(", ")[2] == "draw"
    assert repr(GAME) == "Game('doushouqi')"
    assert repr(tables) == f"Tablebase({str(tables.folder)!r})"

    answers = tables.probe_many(GAME, [LOST, WON, "nowhere", LOST, LOST])
    assert repr(answers) == "Answers(doushouqi, 5 positions, 1 without an answer)"


@pytest.mark.parametrize(
    "copied",
    [lambda one: pickle.loads(pickle.dumps(one)), *before_release(copy.copy, copy.deepcopy)],
    ids=["pickle", "copy", "deepcopy"],
)
def test_answers_can_be_copied(copied: Callable[[Any], Any], two_pieces: Path) -> None:
    """Copies of answers need no tables, a copy of a query opens them itself, and a copy of an engine searches."""
    with tablebase.open(two_pieces) as tables:
        texts = [LOST, "3R3/7/7/7/7/7/7/7/c6 b", "nowhere", "7/7/3t3/7/7/R6/4E2/7/7 w", DRAWN]
        many = tables.probe_many(GAME, texts)
        again = copied(many)
        plain = [tables.probe(GAME, LOST), tables.line(GAME, LOST), tables.stats(GAME), tables.sql("SELECT 1").fetchall()]
        copies = copied(plain)
        query = copied(tables.mine(GAME, "SELECT count(*) FROM positions WHERE material = 'RvC'"))
        engine = copied(tables.engine(GAME, threads=2))
        assert next(engine.analyse(LOST, depth=1)).value == ("loss", 8)
        assert engine.options.threads == 2
        expected, rows, bare = [one.to_dict() for one in many], list(many.to_dicts()), list(many.to_dicts(moves=False))
    assert [one.to_dict() for one in again] == list(again.to_dicts()) == expected == rows
    assert list(copied(again).to_dicts(moves=False)) == bare
    assert (type(again), repr(again), again.values()) == (type(many), repr(many), many.values())
    assert (again.outcomes.tolist(), again.distances.tolist()) == (many.outcomes.tolist(), many.distances.tolist())
    assert {place: str(error) for place, error in again.errors.items()} == {
        place: str(error) for place, error in many.errors.items()
    }
    with pytest.raises(TablebaseError, match="'nowhere'"):
        again.sheet()
    assert copies == plain
    assert query.fetchall() == [(49 * 60,)]


def test_no_other_logger_is_changed(tables: Tablebase, caplog: pytest.LogCaptureFixture) -> None:
    """A statement that sqlglot cannot parse is reported by the database alone, while other users of sqlglot hear of theirs."""
    import sqlglot

    with caplog.at_level(logging.DEBUG):
        with pytest.raises(TablebaseError):
            tables.sql("COMMENT ON nothing")
        tables.sql("EXPLAIN SELECT 1")
        tables.mine(GAME, "EXPLAIN SELECT count(*) FROM positions")
    assert caplog.messages == []
    logger = logging.getLogger("sqlglot")
    assert (logger.level, logger.filters) == (logging.NOTSET, [])
    sqlglot.parse_one("EXPLAIN SELECT 1")
    assert len(caplog.messages) == 1


def test_a_stalemate_has_no_best_move(shut_in: Path) -> None:
    with tablebase.open(shut_in) as tables:
        assert repr(tables.probe(GAME, SHUT_IN)) == f"Probe(doushouqi, {SHUT_IN!r}, draw)"
        html = tables.probe(GAME, SHUT_IN)._repr_html_()
        assert html == f"<p>{SHUT_IN}: draw</p><div>{tablebase.svg.board(GAME, SHUT_IN)}</div>"
        assert repr(tables.line(GAME, SHUT_IN)) == f"Line(doushouqi, {SHUT_IN!r}, draw: )"


def test_notebooks_show_boards_and_tables(tables: Tablebase) -> None:
    probe, line = tables.probe(GAME, LOST), tables.line(GAME, LOST)
    html = probe._repr_html_()
    picture = tablebase.svg.board(GAME, LOST, arrows=["a2a1"])
    headings = "<tr><th>move</th><th>position</th><th>outcome</th><th>distance</th></tr>"
    assert html.startswith(f"<p>{LOST}: loss in 8</p><div>{picture}</div><table>{headings}")
    assert html.count("<tr>") == 1 + len(probe.moves)
    assert all(f"<td>{move.move}</td>" in html for move in at_least_one(probe.moves))
    assert line._repr_html_().count("<tr>") == 1 + len(line.to_dict())
    assert line._repr_html_().count("<svg ") == len(line.to_dict()) == 9
    assert "<td></td>" in line._repr_html_()


def test_pictures_show_the_moves(tables: Tablebase) -> None:
    """The best move of each position as an arrow, and the move that led to it as the last one; options go on to the board."""
    line = tables.line(GAME, LOST)
    first, *_, before, end = line.pictures(size=100, theme="mono")
    assert first == line[0].picture(size=100, theme="mono") != line[0].picture(size=100)
    won = line[-1].moves[0]
    assert before == line[-1].picture(last_move=line[-2].best, size=100, theme="mono")
    assert end == tablebase.svg.board(GAME, won.position, last_move=won.move, size=100, theme="mono")
    assert line[0].picture(arrows=[]) == tablebase.svg.board(GAME, LOST)


def test_nothing_in_html_is_markup() -> None:
    """Letters come from rules modules, which may hold anything."""
    html = titled_table("a <b", ["<svg/>", "<svg/>"], [{"x&": "<i>", "y": None}, {"x&": 3, "y": '"'}])
    rows = "<tr><th>x&amp;</th><th>y</th></tr><tr><td>&lt;i&gt;</td><td></td></tr><tr><td>3</td><td>&quot;</td></tr>"
    assert html == f"<p>a &lt;b</p><div><svg/> <svg/></div><table>{rows}</table>"


def test_the_folder_is_that_of_the_environment(two_pieces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    """Unless one is named; without either it is `data`; the same holds for commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABLEBASE_DATA", str(two_pieces))
    with tablebase.open() as tables:
        assert tables.folder == two_pieces
    assert ask("stats", "doushouqi", "--format", "json").json[0]["wins"] == 82_852
    with pytest.raises(TablebaseError, match="no tablebase in elsewhere"):
        tablebase.open("elsewhere")
    for set_ in (lambda: monkeypatch.setenv("TABLEBASE_DATA", ""), lambda: monkeypatch.delenv("TABLEBASE_DATA")):
        set_()
        assert "no tablebase in data:" in ask("stats", "doushouqi").err
        with pytest.raises(TablebaseError, match="no tablebase in data"):
            tablebase.open()


GROUPED = "SELECT outcome, count(*) AS n, sum(distance) AS plies FROM positions WHERE material = 'RvE' GROUP BY ALL ORDER BY ALL"


def test_all_forms_of_a_result_agree(tables: Tablebase, two_pieces: Path, ask: Ask) -> None:
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


def test_whole_numbers_too_large_for_integers_are_kept(tables: Tablebase) -> None:
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


def test_statements_over_the_catalog(tables: Tablebase, two_pieces: Path, ask: Ask) -> None:
    statement = "SELECT material, side, longest_win, longest_win AS side FROM slice_counts ORDER BY material LIMIT 5"
    written = ask("sql", statement, "--data", two_pieces, "--format", "json").json
    rows = tables.sql(statement)
    assert rows.columns == list(written[0]) == ["material", "side", "longest_win", "side_4"]
    assert rows.fetchall() == [tuple(row.values()) for row in written]
    assert rows.arrow().to_pylist() == rows.df().to_dict("records") == rows.pl().to_dicts() == written
    assert repr(rows) == "CatalogRows(5 rows of material, side, longest_win, side_4)"
    with pytest.raises(TablebaseError, match="only SELECT is allowed"):
        tables.sql("DELETE FROM slices")
    with pytest.raises(TablebaseError, match="cast the column to TEXT"):
        tables.sql("SELECT 1 AS n UNION ALL SELECT 'one'").arrow()


def test_descriptions(tables: Tablebase, ask: Ask) -> None:
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


def test_charts(tables: Tablebase) -> None:
    pytest.importorskip("matplotlib")
    assert tables.plot("draws", GAME)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    with pytest.raises(TablebaseError, match=r"'draws' or .*, not 'pie'"):
        tables.plot("pie", GAME)


def test_exports_take_aliases_and_a_share(tables: Tablebase, tmp_path: Path) -> None:
    assert tables.export(GAME, tmp_path / "all", pieces=2, aliases=True) == 160_068
    assert 1000 < tables.export(GAME, tmp_path / "some", pieces=2, aliases=True, sample=0.5, seed=7) < 100_000


def test_a_program_may_end_in_the_middle(two_pieces: Path) -> None:
    """A loop over rows that is left leaves nothing behind that anybody would have to read about."""
    program = f"""
import tablebase
batches = iter(tablebase.open({str(two_pieces)!r}).mine('doushouqi', 'SELECT p1_square FROM positions'))
print(next(batches).num_rows > 0)
"""
    assert ask_fresh(program=program) == Answer(0, "True\n", "")


STRANGE = (None, 5, -1, 1.5, True, b"x", "x", "", [], {}, object())
"""Values of which each argument takes a few at most."""
ANYTHING = {"default", "options", "tick", "run", "strict", "check", "aliases", "pool"}
"""Arguments that may be anything, that count as true or false, or that callers name."""


def good(folder: Path) -> dict[str, dict[str, Any]]:
    """Arguments with which each public method answers, and quickly."""
    position, every = {"game": GAME, "position": LOST}, {"game": GAME, "positions": [LOST]}
    return {
        **dict.fromkeys(("probe_value", "get_value", "probe", "get", "line"), position),
        **dict.fromkeys(("probe_values", "get_values", "probe_many"), every),
        "probe_squares": {"game": GAME, "material": "RvC", "side": 0, "squares": np.array([[0, 44]], dtype=np.int8)},
        "engine": {"game": GAME},
        "mine": {"game": GAME, "statement": "SELECT 1"},
        "features": {"game": GAME},
        "dataset": {"game": GAME, "material": ["RvE"]},
        "export": {"game": GAME, "to": folder / "parquet", "material": ["RvE"]},
        "plot": {"chart": "draws", "game": GAME},
        "patterns": {"game": GAME, "material": ["RvE"], "depth": 1, "conditions": 1},
        "sql": {"statement": "SELECT 1"},
        "stats": {"game": GAME},
        "materials": {"game": GAME},
        "describe": {"game": GAME, "material": "RvC"},
    }


def one_sentence(error: TablebaseError) -> bool:
    return bool(str(error)) and "\n" not in str(error) and "object has no attribute" not in str(error)


def test_all_public_methods_are_here(tmp_path: Path) -> None:
    public = {name for name, _ in inspect.getmembers(Tablebase, inspect.isfunction) if not name.startswith("_")}
    assert public == {*good(tmp_path), "close"}


@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=pytest.mark.full) if name == "patterns" else name for name in sorted(good(Path()))]
)
def test_strange_arguments_are_refused_in_a_sentence(
    method: str, tables: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each argument in turn has another type or is out of range; every error is a `TablebaseError`.

    It is also a `ValueError`, `TypeError` or `KeyError`, unless the file or folder to write, or a file of features, cannot be used.
    """
    # Some of the values name a folder that can be written.
    monkeypatch.chdir(tmp_path)
    call, refused = getattr(tables, method), []
    names = inspect.signature(call).parameters.keys() - ANYTHING
    for name in names:
        for value in STRANGE:
            try:
                call(**{**good(tmp_path)[method], name: value})
            except TablebaseError as error:
                refused.append((name, value, error))
    assert [one for one in refused if not one_sentence(one[-1])] == []
    others = [str(error) for *_, error in refused if not isinstance(error, (ValueError, TypeError, KeyError))]
    assert [
        sentence for sentence in others if not re.search("contains|Python file that defines features|is a folder", sentence)
    ] == []
    assert {name for name, *_ in refused} == names
    assert len(refused) > len(names) * len(STRANGE) / 2


def test_unknown_options_are_refused(tables: Tablebase, tmp_path: Path) -> None:
    with pytest.raises(TablebaseError, match="'colour'"):
        tables.engine(**good(tmp_path)["engine"], colour="red")


def test_what_opens_tables(two_pieces: Path) -> None:
    for arguments in (
        {"folder": 5},
        {"folder": "a\0b"},
        {"folder": two_pieces, "catalog": 5},
        *({"folder": two_pieces, "cache": cache} for cache in (-1, 1.5, "", "many", True, [])),
    ):
        with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
            tablebase.open(**arguments)
        assert one_sentence(caught.value)
    for cache in (0, 1 << 20, "1M", "0.5 MiB"):
        with tablebase.open(two_pieces, cache=cache) as tables:
            assert tables.probe_value(GAME, LOST) == ("loss", 8)


@pytest.mark.parametrize("method", sorted(good(Path())))
def test_closed_tables_answer_nothing(method: str, two_pieces: Path, tmp_path: Path) -> None:
    """Not even where nothing has to be read; the sentence says how to go on."""
    tables = tablebase.open(two_pieces)
    tables.probe(GAME, LOST)
    tables.close()
    tables.close()
    with pytest.raises(TablebaseError, match=r"closed.*tablebase\.open"):
        getattr(tables, method)(**good(tmp_path)[method])
    assert str(two_pieces) in repr(tables)


def test_what_closed_tables_have_given_answers_nothing(two_pieces: Path) -> None:
    """A prober and a query, also one that is answered from counts, and one in the middle of its rows."""
    game = doushouqi()
    tables = tablebase.open(two_pieces)
    position = tables.probe(game, LOST).asked
    counted = tables.mine(GAME, "SELECT count(*) FROM positions")
    listed = tables.mine(GAME, "SELECT p1 FROM positions")
    tables.close()
    for ask in (lambda: tables.prober.slices(game).look_up(position), counted.fetchall, listed.df, lambda: list(listed)):
        with pytest.raises(TablebaseError, match="closed"):
            ask()
