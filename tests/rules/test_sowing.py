"""Awari, and tables of it and of Kalah: every position against brute force, moves by hand, and known numbers."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from twins import awari, graphs, kalah

import tablebase
from tablebase.errors import RulesError
from tablebase.functions.exact.tier_listing import list_tiers
from tablebase.game.installed import load_rules
from tablebase.game.native import rules_of
from tablebase.game.rules import OVER, legal
from tablebase.testing.contract import playout
from tablebase_rules.awari import Awari
from tablebase_rules.awari import game as awari_game
from tablebase_rules.kalah import Kalah, game

AWARI = [(1, 6), (2, 2), (2, 3), (3, 1), (4, 1), (3, 2)]
KALAH = [(1, 6, "always"), (2, 4, "seeds"), (3, 2, "always"), (3, 3, "always")]
LARGE = ("awari-pits=4-seeds=1", "awari-pits=3-seeds=2", "kalah-pits=3-seeds=3-capture=always")
SMALL = {f"awari-pits={pits}-seeds={seeds}": partial(awari.graph, pits, seeds) for pits, seeds in AWARI}
SMALL |= {f"kalah-pits={one[0]}-seeds={one[1]}-capture={one[2]}": partial(kalah.graph, *one) for one in KALAH}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.full) if name in LARGE else name for name in SMALL])
def test_tables_are_those_of_brute_force(name: str, tmp_path: Path) -> None:
    """Each position has the value of brute force for both players, and one of two with exchanged players is stored."""
    graph = SMALL[name]()
    rules, values, places = load_rules(name), graphs.values(graph), set()
    assert isinstance(rules, Awari | Kalah)
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


def test_features_of_kalah(tmp_path: Path) -> None:
    """They are those that the text shows; a position of a finished game is seen by South."""
    name = "kalah-pits=2-seeds=3"
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        rows = tables.mine(name, "SELECT position, lead, in_play FROM positions").fetchall()
        north = tables.probe(name, "0,0,5 0,0,7 -").features()
    assert len(rows) > 50
    for text, lead, in_play in rows:
        south, other, side = text.split()
        *own, store = map(int, south.split(","))
        *others, others_store = map(int, other.split(","))
        assert (lead, in_play) == (store - others_store, sum(own + others))
        assert side in "s-"
    assert north == {"lead": -2, "in_play": 0}


@pytest.mark.parametrize(
    ("pits", "seeds", "count"), [(3, 2, 2_433), (3, 3, 23_104), pytest.param(4, 3, 4_582_441, marks=pytest.mark.full)]
)
def test_known_numbers(pits: int, seeds: int, count: int) -> None:
    """As many positions as plain functions list, if positions with exchanged players are different ones."""

    class Both(Kalah):
        functions = replace(Kalah.functions, canonical=None)

    assert sum(map(len, list_tiers(Both(pits, seeds), 1 << 32).keys.values())) == count


@pytest.mark.parametrize(("pits", "seeds"), [(7, 8), (9, 4), (9, 9)])
def test_large_boards_have_no_tables(pits: int, seeds: int, tmp_path: Path) -> None:
    """Positions of more than 63 bits can be played, and written and read back."""
    rules = load_rules(f"kalah-pits={pits}-seeds={seeds}")
    line = list(playout(rules, Random(5)))
    assert max(line) >> 63
    assert [rules.parse(rules.format(position)) for position in line] == line
    assert rules.to_move(line[-1]) == OVER
    with pytest.raises(RulesError, match="needs numbers of more than 63 bits, which tables cannot store: choose a smaller variant"):
        tablebase.build(rules.name, data=tmp_path)


@pytest.mark.parametrize(("pits", "seeds"), [(7, 7), (8, 5), (9, 3)])
def test_largest_boards_with_tables(pits: int, seeds: int) -> None:
    rules = game(pits, seeds)
    assert len(rules_of(rules)) == len(rules.rules)
    row = ",".join(["0"] * (pits - 1))
    assert 1 << 32 < rules.parse(f"{row},1,0 {row},1,{2 * pits * seeds - 2} n") < 1 << 63


@pytest.mark.full
def test_twelve_stones_in_twelve_pits(tmp_path: Path) -> None:
    """The numbers of the page about small games."""
    name = "awari-pits=6-seeds=1"
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        rows = tables.stats(name).rows
        assert (sum(row["positions"] for row in rows), max(row["longest_win"] or 0 for row in rows)) == (2_663_951, 143)
        assert tables.probe(name, "1,1,1,1,1,1,0 1,1,1,1,1,1,0 s").outcome == "draw"


def test_moves_of_awari_by_hand() -> None:
    """Twos and threes are captured backwards within the other row, but not all of it; a lap leaves out the pit that is emptied."""
    rules = awari_game(3, 2)
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
    rules = awari_game(3, 2)
    assert list(legal(rules, rules.parse("1,0,1,5 0,0,0,5 s"))) == ["3"]
    starved = legal(rules, rules.parse("1,0,0,5 0,0,0,6 s"))["1"]
    ending = rules.result(starved)
    assert ending is not None
    assert (ending.winner, ending.why, ending.said) == (None, "row empty", "South has captured 5 stones and North 6")
    assert rules.result(rules.parse("0,3,0,7 0,0,2,0 n")).said == "South has captured 7 stones and North 0"  # type: ignore[union-attr]


def test_too_many_stones() -> None:
    with pytest.raises(RulesError, match="awari has at most 12 stones, not 2 rows of 6 pits with 2"):
        awari_game(6, 2)
