"""Looking ahead in games of chance or of several players: max^n, its settings, its evaluation, and tables at its leaves."""

import shutil
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from support.checks import at_least_one, before_release, thinned
from twins import lookahead as twin

from tablebase.commands.program import run
from tablebase.errors import CapacityError, RulesError
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.files import LayerFile, layer_path
from tablebase.game.installed import load_rules
from tablebase.game.kernels import POINT, call_compiled
from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame
from tablebase.play.match import Match
from tablebase.search import lookahead
from tablebase.search.choices import Cards, Foresight, Objective
from tablebase.search.lookahead import Lookahead, Outlook, load_tables
from tablebase.search.maxn import SHARE_BITS, LeafTables
from tablebase.testing.contract import playouts
from tablebase_rules import harehedgehog, pig

RACE: Any = load_rules("harehedgehog-cards=none")
LEAD = Objective.LEAD
MINIMAX = Foresight(depth=4, objective=LEAD)
SETTINGS: list[dict[str, Any]] = [
    {},
    {"objective": LEAD},
    {"objective": LEAD, "stop_at_finisher": False},
    {"sort": True},
    {"cuts": (0, 3)},
    {"cuts": (2, 0, 1), "sort": True, "objective": LEAD},
    {"cards": Cards.EXPECTATION},
    {"cards": Cards.EXPECTATION, "objective": LEAD, "sort": True},
]
FOR_TWO: list[dict[str, Any]] = [
    {"objective": LEAD, "alpha_beta": True},
    {"objective": LEAD, "alpha_beta": True, "sort": True},
    {"objective": LEAD, "alpha_beta": True, "sort": True, "cuts": (0, 4, 3)},
    {"objective": LEAD, "alpha_beta": True, "cards": Cards.EXPECTATION},
]


def states_of(game: StochasticGame, count: int, seed: int) -> list[State]:
    """States of random play in which a player is to move."""
    played = playouts(game, 40 * count, Random(seed))
    found = [state for states in played for state in states if game.to_move(state) >= 0]
    return Random(seed).sample(found, count)


def late(game: StochasticGame, count: int, random: Random) -> list[State]:
    """States of a race near its end, in which players finish."""
    found: list[State] = []
    while len(found) < count:
        squares = random.sample(range(52, 64), game.players)
        hares = [f"{square}:{random.randint(0, 25)}:{random.choice([0, 0, 0, 1])}" for square in squares]
        found.append(game.parse(f"{','.join(hares)} {random.randint(1, game.players)}"))
    return found


def assert_twin(game: StochasticGame, state: State, depth: int, settings: dict[str, Any], seed: int, **more: Any) -> None:
    """Values, the chosen move, the line and all counts are those of the twin."""
    found = Lookahead(game, Foresight(depth=depth, **settings), more.get("tables"), more.get("weights")).search(state, seed)
    names = {"stop_at_finisher": "stop"}
    plain = {names.get(name, name): value for name, value in settings.items() if name not in ("objective", "cards")}
    plain |= {"lead": settings.get("objective") is LEAD, "average": settings.get("cards") is Cards.EXPECTATION}
    values = more["values"]
    expected = twin.search(game, state, values, depth, more.get("leaf_values"), seed=seed, **plain)
    moves = {one.code: (tuple(Fraction(value, POINT) for value in one.values), one.exact) for one in found.moves}
    assert moves == expected["moves"], game.format(state)
    assert tuple(Fraction(value, POINT) for value in found.values) == expected["values"]
    assert found.best == expected["best"]
    assert list(found.line) == expected["line"]
    counted = ("nodes", "positions", "leaves", "evaluations")
    assert [getattr(found, name) for name in counted] == [expected[name] for name in counted]


@pytest.mark.parametrize("players", [2, 3, *before_release(6)])
@pytest.mark.parametrize("settings", thinned(SETTINGS, 2), ids=str)
def test_all_is_as_the_twin_says(players: int, settings: dict[str, Any]) -> None:
    """Values of all moves, the best one, the line and the counts, in the middle of turns, too."""
    game = harehedgehog.game(players=players)
    deep = "cuts" in settings or (players == 2 and "cards" not in settings)
    count = 1 if "cards" in settings else 3
    states = states_of(game, count, seed=players) + late(game, count, Random(players))
    for number, state in enumerate(states):
        assert_twin(game, state, 3 if deep else 2, settings, seed=number, values=twin.of_race(game))


@pytest.mark.parametrize("settings", FOR_TWO, ids=str)
def test_alpha_beta_is_as_the_twin_says(settings: dict[str, Any]) -> None:
    """What it leaves out, too: which values are exact, and how many states are looked at."""
    depth = 2 if "cards" in settings else 3
    # Without cards, many lines lead to the same position, and windows are met exactly.
    for game, count in ((harehedgehog.game(), 2), (RACE, 8)):
        for number, state in enumerate(states_of(game, count, seed=1) + late(game, 3, Random(1))):
            assert_twin(game, state, depth, settings, seed=number, values=twin.of_race(game))


@pytest.mark.parametrize(
    "options",
    [{"deck": "exhaust"}, {"rounds": 5}, {"card_chain": "draw", "again": "may"}, {"lettuce_pay": "leaving"}, {"end": "first"}],
    ids=str,
)
def test_variants_are_as_the_twin_says(options: dict[str, Any]) -> None:
    """What states of variants have besides, and the ends that they come to."""
    game = harehedgehog.game(players=3, **options)
    for number, state in enumerate(states_of(game, 2, seed=5) + late(game, 2, Random(5))):
        assert_twin(game, state, 2, {"sort": True}, seed=number, values=twin.of_race(game))


def test_sorting_and_alpha_beta_change_no_result() -> None:
    """As the article tests them: in 50 positions, the same values, move and line, of fewer states."""
    game = harehedgehog.game()
    plain = Lookahead(game, MINIMAX)
    others = [
        Lookahead(game, Foresight(depth=4, objective=LEAD, alpha_beta=alpha_beta, sort=sort))
        for alpha_beta, sort in ((False, True), (True, False), (True, True))
    ]
    nodes = [0, 0, 0, 0]
    for number, state in enumerate(at_least_one(states_of(game, 50, seed=50))):
        expected = plain.search(state, number)
        found = [one.search(state, number) for one in others]
        for one in found:
            assert (one.values, one.best, one.line) == (expected.values, expected.best, expected.line)
        nodes = [total + one.nodes for total, one in zip(nodes, [expected, *found], strict=True)]
    assert nodes[0] == nodes[1] > 2 * nodes[2]
    assert nodes[2] > nodes[3]


def test_sixteen_moves_in_a_row_are_the_same() -> None:
    """As the article tests alpha-beta: eight moves of each side, with and without it."""
    game = harehedgehog.game()
    series = []
    for alpha_beta in (False, True):
        searcher, match = (
            Lookahead(game, Foresight(depth=4, objective=LEAD, alpha_beta=alpha_beta)),
            Match(game, game.start, Random(16)),
        )
        while match.plies < 16:
            match.play(str(searcher.search(match.position, match.plies).best))
        series.append([event.text for event in match.events])
    assert series[0] == series[1]
    assert len(series[0]) >= 16


@pytest.mark.parametrize(("objective", "expected"), [(Objective.OWN, (5, 5)), (LEAD, (2, 1))])
def test_the_articles_two_aims(objective: Objective, expected: tuple[int, int]) -> None:
    """Of [5; 5] and [2; 1], the first player takes the larger value of his own, or the lead."""
    searcher = Lookahead(RACE, Foresight(objective=objective))
    assert max([(5, 5), (2, 1)], key=lambda values: searcher._score(values, 0)) == expected


def test_cards_are_the_same_whenever_a_state_is_reached() -> None:
    """What is drawn depends on the seed and the state alone, and on each of them."""
    game = harehedgehog.game()
    start = game.parse("3:20:3,0:60:3 2")
    searcher = Lookahead(game, Foresight(depth=2))
    outlooks = [searcher.search(start, seed) for seed in (1, 1, 2, 3, 4)]
    assert outlooks[0] == outlooks[1]
    assert len({str(one) for one in outlooks}) > 2


def test_leaves_of_the_start() -> None:
    """With hare squares that do nothing, the published numbers; leaves are counted, and with them all positions on the way."""
    published = (9, 72, 446, 2718, 14658)
    for depth, expected in enumerate(published, 1):
        found = Lookahead(RACE, Foresight(depth=depth)).search(RACE.start)
        assert found.leaves == expected
        assert found.nodes == found.positions == 1 + sum(published[:depth])


def test_a_finisher_ends_the_search() -> None:
    """With three players, one of whom comes home at once: nothing is looked at after that, unless it is asked for."""
    game = harehedgehog.game(players=3, cards="none")
    state = game.parse("63:1:0,5:30:0,12:30:0 1")
    stopped, on = (Lookahead(game, Foresight(depth=3, stop_at_finisher=stop)).search(state) for stop in (True, False))
    assert stopped.best == on.best == 1
    assert stopped.line == ("1",)
    assert len(on.line) == 3
    # Two turns are left.
    assert stopped.values[0] == 10_000 * POINT + 2
    assert on.values[0] == 10_000 * POINT
    # A player who has finished before the search stops nothing.
    later = game.parse("64:0:0#1,5:30:0,12:30:0 2")
    assert Lookahead(game, Foresight(depth=2)).search(later).leaves > 5


@pytest.mark.parametrize(
    ("text", "points"),
    [
        pytest.param("0:68:3,0:68:3 1", (240 * 68 // 148 - 60, 240 * 68 // 148 - 60), id="the start"),
        pytest.param("31:30:1,33:30:1 1", (240 * 30 // 110 - 25 + 93, 240 * 30 // 80 - 25 + 99), id="before and after the middle"),
        pytest.param("64:3:0#1,61:6:0 2", (10_000, 300 - 12 - 1 + 183), id="finished, and enough for the way home"),
        pytest.param("60:9:0,59:0:0 1", (240 * 9 // 59 + 180, 177), id="not enough"),
        pytest.param("10:5:0,12:5:0 1", (240 * 25 // 105 + 30, 240 * 5 // 85 + 36), id="second on a 2 is paid 20"),
        pytest.param("10:5:0,9:5:0 1", (240 * 5 // 85 + 30, 240 * 5 // 85 + 27), id="first on a 2 is not"),
        pytest.param("16:5:0,9:5:0 1", (240 * 15 // 95 + 48, 240 * 5 // 85 + 27), id="first on the flag is paid 10"),
        pytest.param("7:5:1e,9:5:0 1", (240 * 25 // 105 - 20 + 21, 240 * 5 // 85 + 27), id="eating pays for the place"),
        pytest.param("7:5:0e,9:5:0 1", (240 * 5 // 85 + 21, 240 * 5 // 85 + 27), id="without a lettuce it does not"),
        pytest.param("10:5:0m,12:5:0 1", (240 * 5 // 85 + 30, 240 * 5 // 85 + 36), id="who misses a turn is not paid"),
        pytest.param("63:0:3,62:0:2 1", (-360 + 189, -240 + 186), id="no lettuce square ahead"),
        pytest.param("0:99999:0,5:0:0 1", (300 - 4160 - 2080**2 // 25, 15), id="more than the way home counts as the way home"),
    ],
)
def test_the_evaluation_by_hand(text: str, points: tuple[int, int]) -> None:
    """E = S + C + P, by the curves of FACTS."""
    game = harehedgehog.game()
    values = evaluated(game, text)
    assert values == tuple(Fraction(one) for one in points)
    assert twin.of_race(game)(game.parse(text))[0] == values


def evaluated(game: StochasticGame, text: str, **weights: float) -> tuple[Fraction, ...]:
    """The values of a state, in points."""
    kernels, evaluation = game.kernels(), game.evaluation(weights)
    assert kernels is not None
    assert evaluation is not None
    values = np.zeros(game.players, np.int64)
    call_compiled(evaluation.evaluate, kernels.rules, evaluation.parameters, np.array(game.parse(text), np.int64), values)
    return tuple(Fraction(int(value), POINT) for value in values)


def test_states_and_games_that_are_refused() -> None:
    """Nobody to move, no compiled rules, no such weight, and too many states."""
    game = harehedgehog.game()
    searcher = Lookahead(game, Foresight(depth=2))
    for state, mover in ((game.parse("3:65:3,0:68:3 1 draw:6"), CHANCE), (game.parse("64:0:0#1,0:68:3 2"), OVER)):
        assert game.to_move(state) == mover
        with pytest.raises(RulesError, match="has no player to move"):
            searcher.search(state)
    with pytest.raises(RulesError, match="no compiled rules"):
        Lookahead(pig.game(players=3))
    with pytest.raises(RulesError, match="has no weight salad: choose among lettuces, carrots, squares"):
        Lookahead(game, weights={"salad": 1.0})


@pytest.mark.parametrize("slices", [7, 1 << 20])
def test_a_search_may_be_interrupted_and_limited(slices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on where it was, and ends where it may look at no more states; the next search begins anew."""
    monkeypatch.setattr(lookahead, "SLICE", slices)
    every = 1 + 9 + 72 + 446
    enough = Lookahead(RACE, Foresight(depth=3, nodes=every)).search(RACE.start)
    assert isinstance(enough, Outlook)
    assert enough.nodes == every
    short = Lookahead(RACE, Foresight(depth=3, nodes=every - 1))
    with pytest.raises(CapacityError, match=r"looking 3 turns ahead in 0:68:3,0:68:3 1 needs more than .* 527 positions"):
        short.search(RACE.start)
    assert short.search(RACE.parse("0:0:3,1:0:3 1")).nodes < every


REGIONS = [RACE.region({"lettuces": 1, "carrots": most, "cap": "strict"}) for most in (12, 14)]
"""Two small tables."""
NEAR = {"carrots": [0, 1, 3, 5, 8, 11, 13, 20], "lettuces": [0, 0, 0, 1, 2]}
"""What states around theirs have."""


def made_up() -> LeafTables:
    """Tables of any chances whatever; of every third state nothing is certain."""
    random, size = np.random.default_rng(1), sum(region.size for region in REGIONS)
    chances = random.integers(0, 2**SHARE_BITS // 2, (2, size), np.int32)
    chances[:, random.random(size) < 1 / 3] = 0
    ends = [len(region.rules) for region in REGIONS]
    spans = [[0, ends[0], 0], [ends[0], sum(ends), REGIONS[0].size]]
    return LeafTables(np.concatenate([region.rules for region in REGIONS]), np.array(spans, np.int64), chances)


def known(tables: LeafTables, state: State) -> tuple[Fraction, Fraction] | None:
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
    with pytest.raises(CapacityError, match=r"loading all tables of harehedgehog-cards=none from .* needs .*: set tables=no"):
        load_tables(race_tables, RACE)
