"""Patterns of several slices together and of every target, against plain Python that looks at every position."""

import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from support import queries
from support.checks import at_least_one, before_release, thinned
from twins import mining, patterns
from twins.patterns import Rows

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import Game, load_game
from tablebase.mining.patterns import pattern_search as searching
from tablebase.mining.patterns.contingency import Rule
from tablebase.mining.patterns.levels import target_of
from tablebase.mining.patterns.pattern_search import Patterns, PatternSettings, Search
from tablebase.mining.selection import select_by_name
from tablebase.positions.common_features import features_of
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.store import Store

PAWNS, JUNGLE = load_game("hexapawn"), load_game("doushouqi")
NO_FEATURES = r"position|outcome|distance|stalemate|mirror|twin\w*|canonical|\w*zugzwang|best|\w+_moves|only_move|quiet|p\d+_square"
"""Columns that say what a position is worth, or which one it is."""
POOLS = {"alike": ["PPvP", "PvPP"], "one": ["PPPvPPP"], "mixed": ["PvP", "PPvP", "PvPP"], "four": ["PPPvP", "PPvPP", "PvPPP"]}
TARGETS = [("outcome", None), ("distance", None), ("distance", "loss"), ("only_move", None)]
CASES = [
    pytest.param(pool, *target, marks=[] if pool in ("alike", "mixed") or target[0] == "outcome" else pytest.mark.full)
    for pool in POOLS
    for target in TARGETS
]
"""Targets of pools; a single slice and a number of pieces are like the two other pools."""


def found(game: Game, folder: Path, materials: Sequence[str], settings: PatternSettings, threads: int = 2) -> Patterns:
    with closing(Store(folder)) as store:
        return Search(game, store, select_by_name(game, folder, materials, None), features_of(game), threads, settings).run()


@cache
def plain_rows(tables: Tablebase, game: Game, materials: tuple[str, ...]) -> Rows:
    """All rows of slices, by the twin of `positions`."""
    return [row for material in materials for row in mining.rows_of(tables, game, material)]


def examined(tables: Tablebase, game: Game, materials: Sequence[str], target: str, outcome: str | None) -> Rows:
    """The rows that a target is about, with their classes and the features that differ."""
    wanted = {
        "outcome": ["win", "loss", "draw"],
        "distance": [outcome or "win"],
        "only_move": [outcome] if outcome else ["win", "draw"],
    }
    rows = [row for row in plain_rows(tables, game, tuple(materials)) if row["outcome"] in wanted[target]]
    ends = patterns.ranges([row["distance"] for row in rows], 8, 8) if target == "distance" else []
    exact = len({row["distance"] for row in rows}) <= 8

    def class_of(row: Mapping[str, Any]) -> str:
        if target == "distance":
            place = sum(row["distance"] > end for end in ends)
            return str(row["distance"]) if exact else f"range {place}"
        return str(row["outcome"]) if target == "outcome" else "no" if row["only_move"] is None else "yes"

    names = [name for name in rows[0] if not re.fullmatch(NO_FEATURES, name)]
    if len({row["pieces"] for row in rows}) > 1:
        names = [name for name in names if not re.fullmatch(r"p\d+|p?\w*_?\d+(_\w+)?", name)]
    return patterns.with_classes(rows, class_of, [*names, *(["outcome"] if target != "outcome" else [])])


def words_of(result: Patterns, rows: Rows) -> dict[str, str]:
    """What the twin calls each class; ranges of distances are in the same order."""
    if all(re.fullmatch(r"range \d+", row["class"]) for row in rows):
        return {f"range {place}": word for place, word in enumerate(result.classes)}
    return {word: word for word in result.classes}


def check(result: Patterns, rows: Rows, settings: PatternSettings) -> None:
    words = words_of(result, rows)
    rows = [{**row, "class": words[row["class"]]} for row in rows]
    classes = [row["class"] for row in rows]
    assert dict(zip(result.classes, result.counts, strict=True)) == {word: classes.count(word) for word in result.classes}
    assert result.entropy == pytest.approx(patterns.entropy(classes), abs=1e-12)
    check_gains(result, rows)
    check_rules(result.rules, rows, settings, [gain.name for gain in result.gains if len(gain.features) == 1][:12])
    check_tree(result, rows, settings)
    if result.profile is not None:
        values = Counter((str(row[result.profile.feature]).lower(), row["class"]) for row in rows)
        said = dict(zip(result.profile.levels, result.profile.counts, strict=True))
        assert {
            (level.lower(), word): n for level in said for word, n in zip(result.classes, said[level], strict=True) if n
        } == values


def check_gains(result: Patterns, rows: Rows) -> None:
    """Each feature and each pair is there, with the gain of the definition."""
    names = [name for name in rows[0] if name != "class"]
    assert {frozenset(gain.features) for gain in result.gains} == {
        frozenset(some) for number in (1, 2) for some in combinations(names, number)
    }
    for gain in result.gains:
        assert (gain.gain, gain.decides) == pytest.approx(patterns.gain(rows, gain.features), abs=1e-9)


def check_rules(rules: Sequence[Rule], rows: Rows, settings: PatternSettings, best: Sequence[str]) -> None:
    """Rules hold, none contains another, and each condition that is broader than one of them lies in one of them."""
    least = settings.support * len(rows)
    classes = {row["class"] for row in rows}
    if len(classes) == 1:
        assert [(rule.value, rule.condition, rule.positions) for rule in rules] == [(*classes, "true", len(rows))]
        return
    comparisons = patterns.comparisons(rows)
    for word in classes:
        of_class = [
            (rule, patterns.bits(patterns.holds(rule.condition, row) for row in rows)) for rule in rules if rule.value == word
        ]
        known: list[int] = []
        wrong = patterns.bits(row["class"] != word for row in rows)
        for number, exact in enumerate(patterns.exact(comparisons, wrong, settings.conditions, best), start=1):
            enough = {one for one in exact if one.bit_count() >= least}
            own = [(rule, where) for rule, where in of_class if rule.comparisons == number]
            assert len(own) <= 5
            for rule, where in own:
                assert where in enough, rule.condition
                assert where.bit_count() == rule.positions
                assert rule.condition.count(" AND ") == number - 1
                assert all(where & ~other for other in known)
                known.append(where)
            narrowest = min((where.bit_count() for _, where in own), default=0) if len(own) == 5 else 0
            # All single comparisons are known, even those that are not listed.
            known += enough if number == 1 else []
            for one in enough:
                assert one.bit_count() <= narrowest or any(not one & ~other for other in known)


def check_tree(result: Patterns, rows: Rows, settings: PatternSettings) -> None:
    """Each leaf says how many positions reach it and how many of them have its class; errors are the others."""
    tree, wrong = result.tree, 0
    assert tree is not None
    leaves = patterns.leaves(tree.text, rows)
    assert len(leaves) == tree.leaves
    for text, reached in leaves:
        word = text.partition(" (")[0]
        assert text == f"{word} {patterns.said(reached)}"
        assert Counter(row["class"] for row in reached).most_common(1)[0][1] == sum(row["class"] == word for row in reached)
        assert len(reached) >= settings.support * len(rows)
        wrong += sum(row["class"] != word for row in reached)
    assert (tree.errors, sum(len(reached) for _, reached in leaves)) == (wrong, len(rows))


@pytest.mark.parametrize(("pool", "target", "outcome"), thinned(CASES, 2))
def test_every_target_of_slices_together(
    pool: str, target: str, outcome: str | None, hexapawns: Path, pawn_tables: Tablebase
) -> None:
    """Gains, rules of up to three conditions and trees are those of all positions of all slices."""
    settings = PatternSettings(target_of(target, outcome), conditions=3, support=0.01)
    result = found(PAWNS, hexapawns, POOLS[pool], settings)
    check(result, examined(pawn_tables, PAWNS, POOLS[pool], target, outcome), settings)


@pytest.mark.parametrize(("target", "outcome"), [("only_move", "draw"), *before_release(("distance", "win"), ("only_move", None))])
def test_targets_with_draws_and_long_distances(target: str, outcome: str | None, two_pieces: Path, tables: Tablebase) -> None:
    """The same in Dou Shou Qi, whose wins take so long that distances are in ranges."""
    settings = PatternSettings(target_of(target, outcome), conditions=1)
    result = found(JUNGLE, two_pieces, ["EvR", "RvE"], settings)
    check(result, examined(tables, JUNGLE, ["EvR", "RvE"], target, outcome), settings)
    names = {gain.name for gain in result.gains}
    assert {"material", "p1"} <= names
    assert ("outcome" in names) == (outcome is None)


@pytest.mark.parametrize("support", [0.0, 0.05, 0.2, 1.0])
def test_support(support: float, hexapawns: Path, pawn_tables: Tablebase) -> None:
    """Rules cover the share that was asked for, and so do leaves; nothing broader is missing."""
    settings = PatternSettings(conditions=3, support=support, depth=6)
    result = found(PAWNS, hexapawns, ["PPPvPPP"], settings)
    check(result, examined(pawn_tables, PAWNS, ["PPPvPPP"], "outcome", None), settings)
    assert bool(result.rules) == (support < 1)


def test_a_rule_that_just_has_the_support(hexapawns: Path) -> None:
    rules = found(PAWNS, hexapawns, ["PPvPP"], PatternSettings()).rules
    for rule in at_least_one(rules[:3]):
        assert rule in found(PAWNS, hexapawns, ["PPvPP"], PatternSettings(support=rule.positions / 153)).rules
        assert rule not in found(PAWNS, hexapawns, ["PPvPP"], PatternSettings(support=(rule.positions + 0.5) / 153)).rules


def test_the_number_of_conditions(hexapawns: Path) -> None:
    """More of them add rules, and leave those of fewer as they are."""
    rules = {number: found(PAWNS, hexapawns, ["PPPvPPP"], PatternSettings(conditions=number)).rules for number in (1, 2, 3)}
    for number, some in rules.items():
        assert some == [rule for rule in rules[3] if rule.comparisons <= number]
        assert {rule.comparisons for rule in some} == {1, 2, 3} - {*range(number + 1, 4)}


@pytest.mark.release
@pytest.mark.parametrize(("target", "names"), [("outcome", ["CvC", "RvC"]), ("only_move", ["CvC", "EvR"])])
def test_many_positions_are_counted_exactly(
    target: str, names: list[str], two_pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slices that do not fit into the sample together have the same gains and broadest rules; rules and errors are exact."""
    settings = PatternSettings(target_of(target), conditions=3)
    whole = found(JUNGLE, two_pieces, names, settings)
    monkeypatch.setattr(searching, "SAMPLE", 900)
    sampled = found(JUNGLE, two_pieces, names, settings, threads=4)
    assert (sampled.gains, sampled.counts, sampled.profile) == (whole.gains, whole.counts, whole.profile)
    broadest = [{(rule.value, rule.comparisons): rule.positions for rule in reversed(each.rules)} for each in (whole, sampled)]
    assert {key: broadest[1][key] for key in broadest[1] if key[1] < 3} == {
        key: broadest[0][key] for key in broadest[0] if key[1] < 3
    }
    assert sampled.tree is not None
    # Lost positions have no only move, and are left out of the sample of 900.
    assert 300 < sampled.tree.trained < 1500
    if target == "outcome":
        counts = [
            f"count(*) FILTER ({one.condition}), count(*) FILTER ({one.condition} AND outcome = '{one.value}')"
            for one in sampled.rules
        ]
        statement = f"SELECT count(*) FILTER (outcome <> {sampled.tree.sql}), {', '.join(counts)} FROM distinct_positions"
        [(errors, *covered)] = queries.mined(JUNGLE, two_pieces, f"{statement} WHERE material IN {tuple(names)}")
        assert errors == sampled.tree.errors
        assert covered == [one.positions for one in sampled.rules for _ in range(2)]


def test_very_many_slices_are_searched_without_comparing_each(hexapawns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their names are still a feature; rules and trees do not mention them."""
    whole = found(PAWNS, hexapawns, POOLS["mixed"], PatternSettings(depth=8, conditions=3))
    monkeypatch.setattr("tablebase.mining.patterns.levels.MAX_WORDS", 2)
    few = found(PAWNS, hexapawns, POOLS["mixed"], PatternSettings(depth=8, conditions=3))
    assert few.gains == whole.gains
    texts = [str((each.rules, each.tree)) for each in (whole, few)]
    assert ["material" in text for text in texts] == [True, False]


@pytest.mark.parametrize(
    ("target", "outcome", "said"), [("only_move", "loss", "only move:"), ("worth", None, "invalid --target 'worth'")]
)
def test_targets_that_make_no_sense(target: str, outcome: str | None, said: str) -> None:
    with pytest.raises(TablebaseError, match=said):
        target_of(target, outcome)


@pytest.mark.parametrize("wrong", [{"support": -0.1}, {"support": 1.1}, {"conditions": 0}, {"conditions": 4}])
def test_settings_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(TablebaseError, match=r"from 0 to 1|1 to 3"):
        PatternSettings(**wrong)


def test_moves_of_unknown_value(hexapawns: Path, tmp_path: Path) -> None:
    """Where a table that moves lead to is missing, whether there is an only move is unknown, and never 'no'."""
    folder = Path(shutil.copytree(hexapawns, tmp_path / "pawns"))
    for name in ("PPvP", "PvPP"):
        table_path(folder, PAWNS, parse_material(PAWNS, name)).unlink(missing_ok=True)
    with pytest.raises(TablebaseError, match=r"moves of PPvPP lead to .* not been built: run 'tablebase build"):
        found(PAWNS, folder, ["PPvPP"], PatternSettings(target_of("only_move")))
