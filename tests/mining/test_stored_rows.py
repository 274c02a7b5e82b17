"""Rows of games by functions and of games with chance: stored positions and moves, against brute force through the rules."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one
from support.pigs import Listed
from support.program import Ask, assert_one_sentence
from support.queries import examples, mined
from support.tablebases import built_by
from support.web import client_of
from twins import exact as twin

import tablebase
from tablebase.errors import TablebaseError
from tablebase.features import feature
from tablebase.functions.chance.after_moves import moves_of_states, states_at
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.compiled import compiled
from tablebase.functions.exact.files import ExactFile, write_exact
from tablebase.game.installed import load_rules
from tablebase.game.kernels import call_compiled, winner_of
from tablebase.game.rules import CHANCE, OVER, legal
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import EQUAL
from tablebase.mining import stored_rows
from tablebase.probe.source import natural
from tablebase.tables.cached_chunks import CachedChunks
from tablebase_rules import noughts, pig

NOUGHTS: Any = noughts.game()
PIGLET: Any = load_rules("pig-die=2-target=3")
RACE: Any = load_rules("harehedgehog-cards=none")


folder = built_by("build noughts")


def valued(values: dict[Any, twin.Decided], position: str, player: int) -> tuple[str, int | None]:
    winner, plies = values[position]
    return "draw" if winner is None else "win" if winner == player else "loss", plies


@pytest.mark.parametrize("block", [1 << 16, 100])
def test_rows_are_those_of_brute_force(folder: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Values, sides, features and best moves of all stored positions, and all of their moves, in blocks of any size."""
    monkeypatch.setattr(stored_rows, "BLOCK", block)
    values = twin.values(NOUGHTS)
    rows, moves = {}, Counter[Any]()
    for position in {NOUGHTS.canonical(position) for position in values}:
        player = max(NOUGHTS.to_move(position), 0)
        value, after = valued(values, position, player), legal(NOUGHTS, position)
        worth = {move: valued(values, child, player) for move, child in after.items()}
        best = [move for move, (outcome, plies) in worth.items() if (outcome, None if plies is None else plies + 1) == value]
        final = NOUGHTS.result(position) is not None
        rows[position] = (final, *value, NOUGHTS.side(position), min(best, default=None), 9 - position.count("."))
        for move, (outcome, plies) in worth.items():
            ends = NOUGHTS.result(after[move]) is not None
            moves[position, move, outcome, None if plies is None else plies + 1, move in best, ends, after[move], *value] += 1
    found = mined(NOUGHTS, folder, "SELECT position, final, outcome, distance, side, best, marks FROM positions", NOUGHTS.features)
    assert len(found) == len(rows)
    assert {position: rest for position, *rest in found} == {position: list(row) for position, row in rows.items()}
    names = "position, move, outcome, distance, is_best, ends, child, position_outcome, position_distance"
    assert Counter(mined(NOUGHTS, folder, f"SELECT {names} FROM moves")) == moves


def test_values_and_texts_need_no_rules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And features are computed only of rows that remain."""
    asked: list[int] = []

    @feature()
    def length(positions: list[str]) -> list[int]:
        """Number of letters."""
        asked.append(len(positions))
        return [len(position) for position in positions]

    statement = "SELECT count(*) FROM positions WHERE distance = 5 AND length = 11"
    assert mined(NOUGHTS, folder, statement, (length,)) == [(18,)]
    assert asked == [18]
    for name in ("parse", "format", "moves", "result", "to_move", "canonical"):
        monkeypatch.setattr(noughts.Noughts, name, None)
    assert len(mined(NOUGHTS, folder, "SELECT * FROM positions WHERE hash < 2")) == 765


def test_positions_are_found_however_they_are_turned(folder: Path, piglet_tables: Path) -> None:
    """The row of a position is that of an equal one, or that with the players exchanged; other texts stay as they are."""
    assert mined(NOUGHTS, folder, "SELECT position FROM positions WHERE position = as_row('x../.../...')") == [(".../.../..x",)]
    assert mined(PIGLET, piglet_tables, "SELECT position FROM positions WHERE position = as_row('1,2 2 0')") == [("2,1 1 0",)]
    assert mined(NOUGHTS, folder, "SELECT DISTINCT as_distinct_row('zebra') FROM positions") == [("zebra",)]


def test_the_policy_of_pig_is_one_statement(piglet_tables: Path) -> None:
    """The value and the best move of each state are those of probes one by one."""
    names = "position, side, outcome, lower, upper, best, score, other_score, turn_total"
    rows = mined(PIGLET, piglet_tables, f"SELECT {names} FROM positions", PIGLET.features)
    moves = mined(PIGLET, piglet_tables, "SELECT position, move, outcome, lower, upper, child, position_lower FROM moves")
    with tablebase.open(piglet_tables) as tables:
        # A state to three points has two scores below three, and a total that three and one more head can reach.
        assert len(rows) == sum(1 for own in range(3) for _ in range(3) for total in range(4) if own + total < 4)
        for text, side, outcome, lower, upper, best, *features in rows:
            answer = tables.probe(PIGLET, text)
            assert (side, outcome, best) == (answer.side, answer.outcome, answer.best)
            assert (lower, upper) == answer.value
            assert features == [int(word) for word in text.replace(",", " ").split()[:2] + text.split()[2:]]
            its = {move: rest for position, move, *rest in moves if position == text}
            assert its.keys() == {move.move for move in answer.moves}
            for move in answer.moves:
                outcome, low, high, child, position_lower = its[move.move]
                assert (outcome, child, position_lower) == (move.value.outcome, move.position, lower)
                assert (low, high) == pytest.approx(move.value, abs=1e-12)


@pytest.mark.parametrize(("rules", "seen"), [(RACE, {None, True}), (PIGLET, {False, True})], ids=["race", "pig"])
def test_nothing_is_best_that_bounds_do_not_show(
    rules: Any, seen: set[bool | None], race_tables: Path, piglet_tables: Path
) -> None:
    """A move is best if it forces as much as all others may be worth, and not if it may be worth less than one forces.

    The bounds of a move are those of a probe, also where the region of a table ends; those of a position may be wider.
    """
    place = race_tables if rules is RACE else piglet_tables
    some = "FROM {} WHERE position LIKE '60:0:%'" if rules is RACE else "FROM {}"
    rows = mined(rules, place, f"SELECT position, move, lower, upper, is_best {some.format('moves')}")
    best = dict(mined(rules, place, f"SELECT position, best {some.format('positions')}"))
    moves: dict[str, list[Any]] = {}
    for text, *move in rows:
        moves.setdefault(text, []).append(move)
    assert {is_best for *_, is_best in rows} >= seen
    for text, its in at_least_one(moves.items()):
        for move, lower, upper, is_best in its:
            others = [one for one in its if one[0] != move]
            sure, worse = all(lower >= one[2] - EQUAL for one in others), any(upper < one[1] - EQUAL for one in others)
            assert is_best is (False if worse else True if sure else None), (text, move)
        assert best[text] == min((move for move, *_, is_best in its if is_best), key=natural, default=None)
    with tablebase.open(place) as tables:
        found = mined(rules, place, f"SELECT position, lower, upper {some.format('positions')}")
        answers = tables.probe_many(rules, [text for text, *_ in found])
        assert not answers.errors
        for text in [*moves][::5]:
            probed = {move.move: pytest.approx(move.value, abs=1e-12) for move in tables.probe(rules, text).moves}
            assert {move: (lower, upper) for move, lower, upper, _ in moves[text]} == probed
        assert (answers.lower >= [lower for _, lower, _ in found]).all()
        assert (answers.upper <= [upper for *_, upper in found]).all()


def forced(game: StochasticGame, chances: Any, state: State, attacker: int) -> int:
    """The twin of the kernel, with the plain functions of the rules."""
    form = compiled(game)
    row, rules = form.row(state), form.region({}).rules
    number, player = call_compiled(form.kernels.index, rules, row)
    if number >= 0:
        return int(chances[int(player != attacker), number])
    if game.to_move(state) == OVER:
        return UNIT * (winner_of(game.places(state)) == attacker)
    assert game.to_move(state) == CHANCE
    return int(sum(draw.probability * forced(game, chances, draw.state, attacker) for draw in game.draws(state)))


@pytest.mark.parametrize("game", [pig.Pig(3, 3, 2), Listed(3, 3, 2)], ids=["kernels", "listed"])
@given(seed=st.integers(0, 1 << 30))
@examples(10)
def test_moves_are_worth_what_follows(game: StochasticGame, seed: int) -> None:
    """Whatever chances are stored, for both players, with the game's own kernels and without."""
    form = compiled(game)
    region = form.region({})
    chances = np.random.default_rng(seed).integers(0, UNIT + 1, (2, region.size))
    states, there = states_at(form.kernels, region.rules, np.arange(region.size))
    plain = [tuple(row) if form.listed is None else form.listed.states[row[0]] for row in states[there].tolist()]
    found = moves_of_states(form.kernels, region.rules, states[there], chances)
    expected = [(state, code, child) for state in plain for code, child in game.moves(state).items()]
    assert found.codes.tolist() == [code for _, code, _ in expected]
    assert found.counts.tolist() == [len(game.moves(state)) for state in plain]
    for (state, _, child), mine, others in zip(expected, *found.chances.tolist(), strict=True):
        mover = game.to_move(state)
        assert (mine, others) == (forced(game, chances, child, mover), forced(game, chances, child, 1 - mover))


@given(seed=st.integers(0, 1 << 30))
@examples(4)
def test_keys_are_found_in_all_chunks(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Places of keys, also of missing ones, and codes in any order agree with the arrays that were written."""
    random, size = np.random.default_rng(seed), 100_000
    numbers = np.sort(random.choice(1 << 20, size, replace=False))
    keys, codes = np.char.zfill(numbers.astype("S7"), 7), random.integers(0, 9, size).astype(np.uint8)
    path = tmp_path_factory.mktemp("keys") / "exact" / "all.h5"
    write_exact(path, NOUGHTS, keys, codes).rename(path)
    asked = np.concatenate([random.choice(1 << 20, 300), numbers[random.integers(0, size, 300)]])
    with closing(ExactFile(path, NOUGHTS)) as file:
        assert file.chunk_values("keys") < size / 3
        places = file.places_of(np.char.zfill(asked.astype("S7"), 7), CachedChunks())
        known = {number: place for place, number in enumerate(numbers.tolist())}
        assert places.tolist() == [known.get(number, -1) for number in asked.tolist()]
        order = random.permutation(size)[:500]
        assert (file.codes_at(order, CachedChunks()) == codes[order]).all()


def test_many_values_are_those_one_by_one(folder: Path, piglet_tables: Path) -> None:
    """As a list and as arrays; also where the game is over, and with reasons for those that have none."""
    texts = [*twin.values(NOUGHTS), "zebra", "xxx/.../..."]
    with tablebase.open(folder) as tables:
        answers = tables.probe_many("noughts", texts)
        values = tables.get_values("noughts", texts, "none")
        assert (
            values[:-2] == [tables.probe_value("noughts", text) for text in texts[:-2]] == tables.probe_values(NOUGHTS, texts[:-2])
        )
        assert values[-2:] == ["none", "none"]
        assert answers.outcomes.tolist() == [{"win": 1, "loss": -1}.get(getattr(value, "outcome", ""), 0) for value in values]
        assert answers.distances.tolist() == [
            -1 if (plies := getattr(value, "distance", None)) is None else plies for value in values
        ]
        assert answers.errors.keys() == {len(texts) - 2, len(texts) - 1}
        with pytest.raises(TablebaseError, match="zebra"):
            tables.probe_values("noughts", texts)
        with pytest.raises(TablebaseError, match="run 'tablebase build kalah"):
            tables.probe_values("kalah", ["3,3,3,0 3,3,3,0 s"])
    with tablebase.open(piglet_tables) as tables:
        texts = ["0,0 1 0", "0,0 2 0 roll", "3,0 2 0", "0,0 9 9"]
        answers, bounds = tables.probe_many(PIGLET, texts), tables.get_values(PIGLET, texts)
        assert bounds == [*(tables.probe_value(PIGLET, text) for text in texts[:3]), None]
        assert [*zip(answers.lower[:3], answers.upper[:3], strict=True)] == bounds[:3]
        assert np.isnan(answers.lower[3])


def test_an_export_has_the_rows_of_a_statement(ask: Ask, folder: Path, piglet_tables: Path, tmp_path: Path) -> None:
    """Of all columns of ``*``, or those that are named; a sample is drawn by the hash; what is there is not written again."""

    def read(place: Path) -> Counter[Any]:
        with duckdb.connect() as connection:
            return Counter(connection.execute(f"FROM read_parquet('{place}/**/*.parquet', hive_partitioning = true)").fetchall())

    for number in (1, 0):
        assert f"{number} of 1 tables" in ask("export", "noughts", "--to", tmp_path / "all", "--data", folder).err
    assert read(tmp_path / "all") == Counter(mined(NOUGHTS, folder, "SELECT * FROM positions"))
    names = "best,marks,side,position"
    assert ask("export", "noughts", "--to", tmp_path / "some", "--columns", names, "--sample", 0.3, "--data", folder).code == 0
    statement = "SELECT position, side, best, marks FROM positions WHERE hash < 0.3"
    assert read(tmp_path / "some") == Counter(mined(NOUGHTS, folder, statement, NOUGHTS.features))
    assert ask("export", PIGLET.name, "--to", tmp_path / "pig", "--columns", "position,best", "--data", piglet_tables).code == 0
    expected = mined(PIGLET, piglet_tables, "SELECT position, best, layer, region FROM positions")
    assert read(tmp_path / "pig") == Counter(expected)


ERRORS = {
    "unknown column": (("mine", "noughts", "SELECT threats FROM positions"), 'column "threats" not found'),
    "unknown table": (("mine", "noughts", "FROM games"), "unknown table games: query positions"),
    "unknown word": (("mine", "noughts", "SELECT 1 FROM positions WHERE side = 'w'"), "invalid side 'w': expected x or o"),
    "no tables": (("mine", "kalah", "SELECT 1 FROM positions"), "no table of kalah is in the catalog of"),
    "three players": (("mine", "pig-players=3", "SELECT 1 FROM positions"), "has 3 players"),
    "slices": (("export", "noughts", "--to", "new", "--pieces", 2), "has no tables by material: leave out --pieces"),
    "unknown column of an export": (("export", "noughts", "--to", "new", "--columns", "outcom"), "unknown column 'outcom' (did"),
    "chart of pieces": (("plot", "squares", "noughts", "--output", "a.svg"), "noughts does not have pieces on squares: choose"),
    "chart of chance": (("plot", "distances", "pig", "--output", "a.svg"), "pig involves chance and does not have distances"),
    "no column": (("plot", "values", "noughts", "--output", "a.svg"), "needs --by: add a column"),
    "many values": (("plot", "values", "noughts", "--by", "position", "--output", "a.svg"), "position has 627 values, but at most"),
    "a side": (("plot", "values", "noughts", "--by", "marks", "--side", "x", "--output", "a.svg"), "leave out --side"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_is_a_sentence(case: str, ask: Ask, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words, said = ERRORS[case]
    assert_one_sentence(ask(*words, "--data", folder), said)
    assert not list(tmp_path.iterdir())


def test_errory_features_are_sentences(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fails while rows are made, one of pieces, and a module without a list of them."""

    @feature()
    def broken(positions: list[str]) -> list[int]:
        """Fails."""
        raise ValueError(f"not {positions[0]}")

    @feature(pieces=1)
    def of_piece(positions: list[str], piece: int) -> list[int]:
        """A piece."""
        return [piece for _ in positions]

    with tablebase.open(folder) as tables:
        with pytest.raises(TablebaseError, match=r"^error in the feature broken: ValueError: not [./]{11}$"):
            tables.mine("noughts", "SELECT broken FROM positions WHERE position = '.../.../...'", [broken]).fetchall()
        with pytest.raises(TablebaseError, match="the feature of_piece describes pieces, but noughts has no pieces on squares"):
            tables.mine("noughts", "SELECT 1 FROM positions", [of_piece])
        monkeypatch.delattr("tablebase_rules.noughts_features.FEATURES")
        with pytest.raises(TablebaseError, match=r"noughts_features does not define FEATURES: define FEATURES as a tuple"):
            tables.features("noughts")


def test_generous_tables_hold_no_chances(ask: Ask, tmp_path: Path) -> None:
    assert ask("build", "harehedgehog-cards=none", "--carrots", 1, "--cap", "generous", "--data", tmp_path).code == 0
    assert_one_sentence(
        ask("mine", RACE.name, "SELECT 1 FROM positions", "--data", tmp_path),
        "do not contain probabilities: build a table with other limits",
    )


def test_charts_count_what_stats_count(folder: Path, piglet_tables: Path) -> None:
    """Distances and outcomes are those of positions in which the game goes on; chances are means of both bounds."""
    with tablebase.open(folder) as tables:
        [legend] = tables.plot("distances", "noughts").legends
        assert [text.get_text().partition(" (")[0] for text in legend.get_texts()] == ["wins: 390", "losses: 89", "draws: 148"]
        figure = tables.plot("values", "noughts", by="marks")
        rows = dict(mined(NOUGHTS, folder, "SELECT marks, count(*) FROM positions WHERE NOT final GROUP BY 1", NOUGHTS.features))
        assert [text.get_text() for text in figure.axes[0].texts] == [str(rows[marks]) for marks in sorted(rows)]
    with tablebase.open(piglet_tables) as tables:
        lines = tables.plot("values", PIGLET, by="score").axes[0].get_lines()
        means = "SELECT score, avg(lower), avg(upper) FROM positions GROUP BY 1 ORDER BY 1"
        scores, *bounds = zip(*mined(PIGLET, piglet_tables, means, PIGLET.features), strict=True)
        assert [tuple(line.get_ydata()) for line in lines] == bounds
        assert tuple(lines[0].get_xdata()) == scores


def test_servers_answer_statements_about_all_games(folder: Path) -> None:
    with client_of(folder, mine=True) as client:
        given = {"game": "noughts", "statement": "SELECT max(marks) AS most, count(best) AS going_on FROM positions"}
        assert client.post("/api/v1/mine", json=given).json()["rows"] == [{"most": 9, "going_on": 627}]
