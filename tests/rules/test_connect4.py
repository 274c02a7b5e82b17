"""Connect Four: every position of a small board against brute force, and known numbers of positions and results."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from twins import connect4 as twin
from twins import graphs

import tablebase
from tablebase.errors import NotationError, RulesError
from tablebase.functions.exact.tier_listing import list_tiers
from tablebase.game.installed import load_rules
from tablebase.game.rules import legal
from tablebase.testing.contract import playout
from tablebase_rules import connect4

SIZES = [
    ((4, 4), 161_029, "draw"),
    pytest.param((4, 5), 1_706_255, "draw", marks=pytest.mark.full),
    pytest.param((5, 4), 3_945_711, "draw", marks=pytest.mark.full),
    pytest.param((5, 5), 69_763_700, "draw", marks=pytest.mark.release),
    pytest.param((6, 4), 94_910_577, "loss", marks=pytest.mark.release),
]
"""Files and ranks, with Tromp's number of positions (OEIS A235610) and his result for the first player."""


def test_tables_are_those_of_brute_force(tmp_path: Path) -> None:
    """Every third position of 4 files and 3 ranks has the moves of the twin and the value of brute force."""
    name, graph = "connect4-4x3", twin.graph(4, 3)
    rules, values = load_rules(name), graphs.values(graph)
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        source = tables.prober.of(rules)
        for text, place in [*graph.items()][::3]:
            position = rules.parse(text)
            assert {move: rules.format(child) for move, child in legal(rules, position).items()} == place.moves
            winner, distance = values[text]
            for player in (0, 1):
                outcome = "draw" if winner == graphs.DRAW else "win" if winner == player else "loss"
                assert source.value(position, player) == (outcome, distance)
        assert sum(row["positions"] for row in tables.stats(name).rows) < len(graph)
        # Crosses cannot begin on top of a disc.
        with pytest.raises(NotationError, match="cannot be reached in games of connect4-4x3"):
            tables.probe(name, "..../x.../o...")


def test_moves_of_a_large_board() -> None:
    game, rng = connect4.game((7, 6)), Random(3)
    for _ in range(20):
        for position in playout(game, rng):
            place, ending = twin.look(game.format(position)), game.result(position)
            assert {move: game.format(child) for move, child in legal(game, position).items()} == place.moves
            assert (ending is None) == (place.mover is not None)
            assert ending is None or ending.winner == (None if place.winner == graphs.DRAW else place.winner)


@pytest.mark.parametrize(("size", "count", "outcome"), SIZES)
def test_known_numbers(size: tuple[int, int], count: int, outcome: str, tmp_path: Path) -> None:
    """As many positions as Tromp counts, with mirror images, and his result."""
    files, ranks = size
    game = connect4.game(size)
    listed = list_tiers(game, 1 << 34)
    height, mask = ranks + 1, (2 << ranks) - 1
    both = 0
    for keys in listed.keys.values():
        image = sum((keys >> file * height & mask) << (files - 1 - file) * height for file in range(files))
        both += 2 * len(keys) - int(np.count_nonzero(image == keys))
    assert both == count
    name = load_rules(f"connect4-{files}x{ranks}").name
    tablebase.build(name, data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        assert tables.probe(name, game.format(game.start)).outcome == outcome


def test_sizes_are_checked() -> None:
    assert load_rules("connect4-7x6").name == "connect4-7x6"
    with pytest.raises(RulesError, match="connect4 has up to 26 files, and up to 62 cells"):
        connect4.game((8, 7))
