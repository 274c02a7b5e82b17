"""Words that no row can have: a comparison with one is an error that says which words there are."""

from pathlib import Path

import pytest
from support.checks import thinned
from support.program import Ask, assert_refused
from support.queries import mined

from tablebase.errors import TablebaseError
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()

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
        mined(JUNGLE, two_pieces, statement)
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
