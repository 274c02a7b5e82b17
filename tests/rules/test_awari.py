"""Awari: every position against brute force, moves and results by hand."""

from pathlib import Path

import pytest
from twins import awari as twin
from twins import graphs

import tablebase
from tablebase.errors import RulesError
from tablebase.game.installed import load_rules
from tablebase.game.rules import legal
from tablebase_rules.awari import Awari, game


@pytest.mark.parametrize(
    ("pits", "seeds"),
    [(1, 6), (2, 2), (2, 3), (3, 1), *(pytest.param(*shape, marks=pytest.mark.full) for shape in ((4, 1), (3, 2)))],
)
def test_tables_are_those_of_brute_force(pits: int, seeds: int, tmp_path: Path) -> None:
    """Each position has the value of brute force for both players, and one of two with exchanged players is stored."""
    name, graph = f"awari-pits={pits}-seeds={seeds}", twin.graph(pits, seeds)
    rules, values, places = load_rules(name), graphs.values(graph), set()
    assert isinstance(rules, Awari)
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        source = tables.prober.of(rules)
        for text in graph:
            position = rules.parse(text)
            assert rules.format(position) == text
            places.add(rules.place(position))
            winner, distance = values[text]
            for player in (0, 1):
                outcome = "draw" if winner == graphs.DRAW else "win" if winner == player else "loss"
                assert source.value(position, player) == (outcome, distance), text
        assert sum(row["positions"] for row in tables.stats(name).rows) == len(places)


@pytest.mark.full
def test_twelve_stones_in_twelve_pits(tmp_path: Path) -> None:
    """The numbers of the page about small games."""
    name = "awari-pits=6-seeds=1"
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        rows = tables.stats(name).rows
        assert (sum(row["positions"] for row in rows), max(row["longest_win"] or 0 for row in rows)) == (2_663_951, 143)
        assert tables.probe(name, "1,1,1,1,1,1,0 1,1,1,1,1,1,0 s").outcome == "draw"


def test_moves_by_hand() -> None:
    """Twos and threes are captured backwards within the other row, but not all of it; a lap leaves out the pit that is emptied."""
    rules = game(3, 2)
    for text, move, after in (
        ("0,0,3,0 1,2,3,3 s", "3", "0,0,0,0 2,3,4,3 n"),
        ("0,1,2,0 2,1,3,3 s", "3", "0,1,0,5 0,0,3,3 n"),
        ("1,0,2,2 1,2,0,4 s", "3", ""),
        ("0,0,7,0 1,0,0,4 s", "3", "1,1,0,5 0,0,1,4 n"),
    ):
        found = {word: rules.format(child) for word, child in legal(rules, rules.parse(text)).items()}
        assert found.get(move, "") == after, text


def test_the_other_player_must_have_a_move() -> None:
    """If one move leaves the other player stones, it must be made; if none does, the mover takes what is left."""
    rules = game(3, 2)
    assert list(legal(rules, rules.parse("1,0,1,5 0,0,0,5 s"))) == ["3"]
    starved = legal(rules, rules.parse("1,0,0,5 0,0,0,6 s"))["1"]
    ending = rules.result(starved)
    assert ending is not None
    assert (ending.winner, ending.why, ending.said) == (None, "row empty", "South has captured 5 stones and North 6")
    assert rules.result(rules.parse("0,3,0,7 0,0,2,0 n")).said == "South has captured 7 stones and North 0"  # type: ignore[union-attr]


def test_what_is_refused() -> None:
    with pytest.raises(RulesError, match="awari has at most 12 stones, not 2 rows of 6 pits with 2"):
        game(6, 2)
