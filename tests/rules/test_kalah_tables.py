"""Tables of Kalah: every position against brute force, a published number of positions, and boards without tables."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from twins import graphs
from twins import kalah as twin

import tablebase
from tablebase.errors import RulesError
from tablebase.functions.exact.tier_listing import list_tiers
from tablebase.game.installed import load_rules
from tablebase.game.native import rules_of
from tablebase.game.rules import OVER
from tablebase.testing.contract import playout
from tablebase_rules.kalah import Kalah, game


@pytest.mark.parametrize(
    ("pits", "seeds", "capture", "count"),
    [
        (1, 6, "always", None),
        (2, 4, "seeds", None),
        (3, 2, "always", 2_433),
        pytest.param(3, 3, "always", 23_104, marks=pytest.mark.full),
    ],
)
def test_tables_are_those_of_brute_force(pits: int, seeds: int, capture: str, count: int | None, tmp_path: Path) -> None:
    """Each position has the value of brute force for both players, and one of two with exchanged players is stored."""
    name, graph = f"kalah-pits={pits}-seeds={seeds}-capture={capture}", twin.graph(pits, seeds, capture)
    rules, values, places = load_rules(name), graphs.values(graph), set()
    assert isinstance(rules, Kalah)
    assert count in (None, len(graph))
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        source = tables.prober.of(rules)
        for text in graph:
            position = rules.parse(text)
            places.add(rules.place(position))
            winner, distance = values[text]
            for player in (0, 1):
                outcome = "draw" if winner == graphs.DRAW else "win" if winner == player else "loss"
                assert source.value(position, player) == (outcome, distance), text
        assert sum(row["positions"] for row in tables.stats(name).rows) == len(places)


def test_features(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(("pits", "seeds", "count"), [(3, 2, 2_433), pytest.param(4, 3, 4_582_441, marks=pytest.mark.full)])
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
    with pytest.raises(RulesError, match="needs numbers of more than 63 bits, too large for tables: choose a smaller variant"):
        tablebase.build(rules.name, data=tmp_path)


@pytest.mark.parametrize(("pits", "seeds"), [(7, 7), (8, 5), (9, 3)])
def test_largest_boards_with_tables(pits: int, seeds: int) -> None:
    rules = game(pits, seeds)
    assert len(rules_of(rules)) == len(rules.rules)
    row = ",".join(["0"] * (pits - 1))
    assert 1 << 32 < rules.parse(f"{row},1,0 {row},1,{2 * pits * seeds - 2} n") < 1 << 63
