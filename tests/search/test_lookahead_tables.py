"""Looking ahead with tables at the leaves: what they say there, and how they are read."""

import shutil
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from support.checks import at_least_one
from support.lookaheads import LEAD, assert_twin
from twins import lookahead as twin

from tablebase.commands.program import run
from tablebase.errors import CapacityError
from tablebase.game.installed import load_rules
from tablebase.game.kernels import POINT, call_compiled
from tablebase.game.stochastic import State, StochasticGame
from tablebase.search import lookahead
from tablebase.search.choices import Cards, Foresight
from tablebase.search.lookahead import Lookahead, load_tables
from tablebase.search.maxn import SHARE_BITS, Tables
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.files import LayerFile, layer_path

RACE: Any = load_rules("harehedgehog-cards=none")
REGIONS = [RACE.region({"lettuces": 1, "carrots": most, "cap": "strict"}) for most in (12, 14)]
"""Two small tables."""
NEAR = {"carrots": [0, 1, 3, 5, 8, 11, 13, 20], "lettuces": [0, 0, 0, 1, 2]}
"""What states around theirs have."""


def made_up() -> Tables:
    """Tables of any chances whatever; of every third state nothing is certain."""
    random, size = np.random.default_rng(1), sum(region.size for region in REGIONS)
    chances = random.integers(0, 2**SHARE_BITS // 2, (2, size), np.int32)
    chances[:, random.random(size) < 1 / 3] = 0
    ends = [len(region.rules) for region in REGIONS]
    spans = [[0, ends[0], 0], [ends[0], sum(ends), REGIONS[0].size]]
    return Tables(np.concatenate([region.rules for region in REGIONS]), np.array(spans, np.int64), chances)


def known(tables: Tables, state: State) -> tuple[Fraction, Fraction] | None:
    """The best chances of both players by any of the tables."""
    kernels, found = RACE.kernels(), []
    for region, begin in zip(REGIONS, (0, REGIONS[0].size), strict=True):
        number, player = call_compiled(kernels.index, region.rules, np.array(state, np.int64))
        if number >= 0:
            mine, others = (Fraction(int(one), 2**SHARE_BITS) for one in tables.chances[:, begin + number])
            found.append((mine, others) if player == 0 else (others, mine))
    return (max(one for one, _ in found), max(other for _, other in found)) if found else None


def near_tables(count: int) -> list[State]:
    """States around those of the tables; some are in them, and some are not."""
    random, found = Random(4), []
    while len(found) < count:
        squares = random.sample(range(64), 2)
        hares = [f"{square}:{random.choice(NEAR['carrots'])}:{random.choice(NEAR['lettuces'])}" for square in squares]
        found.append(RACE.parse(f"{','.join(hares)} {random.choice('12')}"))
    return found


@pytest.mark.parametrize("settings", [{}, {"objective": LEAD, "alpha_beta": True, "sort": True}], ids=str)
def test_tables_at_the_leaves(settings: dict[str, Any]) -> None:
    """The difference of both chances counts as much as having won, as the twin has it; other states are as without tables."""
    tables = made_up()
    values, hits = twin.of_race(RACE), 0
    with_tables = twin.with_tables(values, lambda state: known(tables, state))
    states = [*near_tables(20), RACE.parse("63:1:0,5:1:0 1"), RACE.parse("62:1:0,63:1:0 1")]
    for state in states:
        assert_twin(RACE, state, 2, settings, 0, values=values, leaf_values=with_tables, tables=tables)
        plain = Lookahead(RACE, Foresight(depth=2, **settings)).search(state)
        hits += plain.values != Lookahead(RACE, Foresight(depth=2, **settings), tables).search(state).values
    assert 0 < hits < len(states)


def test_a_game_in_which_chance_decides(piglet_tables: Path) -> None:
    """In Piglet to two, of which the first player wins 4/7, and a quarter in the first turn, which the evaluation sees, too."""
    game = load_rules("pig-die=2-target=2")
    assert isinstance(game, StochasticGame)
    found = Lookahead(game, Foresight(depth=1, cards=Cards.EXPECTATION), load_tables(piglet_tables, game)).search(game.start)
    won = [value / (10_000 * POINT) for value in found.values]
    assert won == pytest.approx([4 / 7 - 3 / 7 + 1 / 4, 3 / 7 - 4 / 7], abs=1e-6)
    assert found.best == 1


def test_tables_are_read(race_tables: Path, tmp_path: Path) -> None:
    """All regions of a folder, rounded down; of a layer without a file nothing is certain; no file and no folder is nothing.

    What a generous table has cannot be forced.
    """
    for nothing in (tmp_path / "nothing", tmp_path):
        assert load_tables(nothing, RACE).chances.shape == (2, 0)
    folder = tmp_path / "tables"
    shutil.copytree(race_tables, folder)
    for cap in ("strict", "generous"):
        assert run(["build", RACE.name, "--carrots", "2", "--cap", cap, "--data", str(folder)]) == 0
    [missing] = folder.glob("*/*/1-0.h5")
    missing.unlink()
    tables = load_tables(folder, RACE)
    regions = [RACE.region({"carrots": most, "lettuces": lettuces, "cap": "strict"}) for most, lettuces in ((1, 1), (2, 0))]
    assert tables.chances.shape == (2, sum(region.size for region in regions))
    unknown = []
    for (begin, end, first), region in zip(tables.spans.tolist(), regions, strict=True):
        assert tables.rules[begin:end].tolist() == region.rules.tolist()
        for layer in at_least_one(region.layers):
            found = tables.chances[:, first + layer.begin : first + layer.end]
            path = layer_path(folder, RACE, region, layer)
            if not path.exists():
                unknown.append((layer.name, set(found.flat)))
                continue
            with closing(LayerFile(path, RACE, region, layer)) as file:
                chances = np.zeros(found.shape, np.int64)
                file.read(chances)
                assert (found == chances // (UNIT >> SHARE_BITS)).all()
    assert unknown == [("1-0", {0})]
    assert (tables.chances > 0).any()


def test_tables_must_fit(race_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise there is one sentence, with exit code 3."""
    monkeypatch.setattr(lookahead.machine, "memory", lambda: 1000)
    with pytest.raises(CapacityError, match=r"all tables of harehedgehog-cards=none in .* needs .*: leave the tables out"):
        load_tables(race_tables, RACE)
