"""Rows of games by compiled functions, with ranks and listed: all positions of all tiers, against the plain rules."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.program import Ask
from support.queries import mined
from support.tablebases import built_by
from twins import exact as twin

from tablebase.game.installed import load_rules
from tablebase.game.rules import legal
from tablebase.probe import tier_rows
from tablebase.probe.prober import Prober

CONNECT: Any = load_rules("connect4-3x4")
MORRIS: Any = load_rules("mens_morris-men=3")


folder = built_by("build connect4 --size 3x4", "build mens_morris --variant men=3")
"""Tables of a game without ranks and of one with ranks."""


@pytest.mark.full
def test_listed_positions_are_those_of_the_twin(folder: Path) -> None:
    """One row for all that are equivalent; where the game is over, the value is that for the first player."""
    values, expected = twin.values(CONNECT), Counter[Any]()
    for position in {CONNECT.place(each)[1] for each in values}:
        winner, plies = values[position]
        over = CONNECT.result(position) is not None
        player = 0 if over else CONNECT.to_move(position)
        outcome = "draw" if winner is None else "win" if winner == player else "loss"
        expected[CONNECT.format(position), over, outcome, plies] += 1
    assert Counter(mined(CONNECT, folder, "SELECT position, final, outcome, distance FROM positions")) == expected
    assert len({tier for (tier,) in mined(CONNECT, folder, "SELECT DISTINCT tier FROM positions")}) == 1 + 3 * 4


def test_rows_of_ranks_are_what_stats_count(folder: Path, ask: Ask) -> None:
    """Tier by tier, with and without the positions in which the game is over."""
    fields = "count(*), sum(final::int), {}, {}, {}".format(
        *(f"count(*) FILTER (WHERE NOT final AND outcome = '{one}')" for one in ("win", "loss", "draw"))
    )
    found = {tier: counts for tier, *counts in mined(MORRIS, folder, f"SELECT tier, {fields} FROM positions GROUP BY ALL")}
    rows = ask("stats", MORRIS.name, "--data", folder, "--format", "json").json
    assert found == {row["tier"]: [row["positions"], row["final"], row["wins"], row["losses"], row["draws"]] for row in rows}
    assert len(found) > 10


@pytest.mark.parametrize("rules", [pytest.param(CONNECT, marks=pytest.mark.full), MORRIS], ids=lambda rules: rules.name)
def test_rows_agree_with_probes(rules: Any, folder: Path) -> None:
    """A sample of positions, their sides and best moves, and all of their moves."""
    statement = "SELECT position, side, outcome, distance, best FROM positions WHERE NOT final AND hash < {}"
    share = 0.02 if rules is CONNECT else 0.002
    found = list(mined(rules, folder, statement.format(share)))
    assert len(found) > 20
    with closing(Prober(folder)) as prober:
        for text, side, outcome, distance, best in found:
            answer = prober.of(rules).probe(rules.parse(text))
            assert (outcome, distance) == (str(answer.value.outcome), answer.value.distance)
            assert (side, best) == (rules.side(rules.parse(text)), answer.best)
    moves = mined(rules, folder, f"SELECT position, move, child FROM moves WHERE position = '{found[0][0]}'")
    assert len(moves) == len(legal(rules, rules.parse(found[0][0])))
    for text, move, child in moves:
        assert rules.format(legal(rules, rules.parse(text))[move]) == child


def test_invalid_ranks_are_left_out(folder: Path) -> None:
    """Each number that is left has a position of its own, which its number stands for."""
    with closing(Prober(folder)) as prober:
        stored = prober.of(MORRIS).stored()
        assert isinstance(stored, tier_rows.TierRows)
        [table] = [one for one in stored.tables if one.words["tier"] == "3-3"]
        numbers = stored.occupied(np.arange(table.begin, table.end))
        positions = stored.positions(numbers)
        assert len(set(positions)) == len(positions) < table.end - table.begin
        assert all(stored.representative(position) == position for position in positions[::97])
