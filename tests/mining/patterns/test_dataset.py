"""Datasets: their columns and groups against plain rows, their trees against those of `patterns`, and what is refused."""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from twins.mining import rows_of

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game

JUNGLE, PAWNS = load_game("doushouqi"), load_game("hexapawn")


def number_of(row: dict[str, Any], name: str) -> float:
    """A column of a dataset, from a row of the twin."""
    column, is_word, word = name.partition("=")
    return float(row[column] == word if is_word else row[column])


@pytest.mark.parametrize(("material", "target"), [("CvC", "outcome"), ("RvC", "distance"), ("CvR", "only_move")])
def test_rows_are_those_of_the_twin(material: str, target: str, tables: Tablebase) -> None:
    """All features as numbers, with the class of each position that the target is about."""
    data = tables.dataset("doushouqi", material, target=target)
    wanted = {"outcome": ("win", "loss", "draw"), "distance": ("win",), "only_move": ("win", "draw")}[target]
    rows = [row for row in rows_of(tables, JUNGLE, material) if row["outcome"] in wanted]
    classes = [row[target] is not None if target == "only_move" else row[target] for row in rows]
    expected = Counter((*(number_of(row, name) for name in data.names), of) for row, of in zip(rows, classes, strict=True))
    assert Counter((*values, of) for values, of in zip(data.X.tolist(), data.y.tolist(), strict=True)) == expected
    assert {"mobility", "p2_rank", "first=mover", "relation_1_2=equal", "even_1_2"} <= set(data.names)
    assert ("outcome=win" in data.names) == (target != "outcome")
    assert not any(name.startswith(("material", "p1=")) for name in data.names)


@pytest.mark.parametrize(("game", "material"), [("doushouqi", "RvC"), ("doushouqi", ("CvC", "CvR")), ("hexapawn", "PPvPP")])
def test_groups_are_positions_with_their_mirror_images(
    game: str, material: str | list[str], tables: Tablebase, pawn_tables: Tablebase
) -> None:
    """Also where an image has an index of its own, and with identical pieces; different materials share none."""
    rules = load_game(game)
    squares = [f"p{number}_square" for number in range(1, 5 if game == "hexapawn" else 3)]
    data = (pawn_tables if rules is PAWNS else tables).dataset(game, material, columns=["material", *squares])
    mirror = {rules.board.names[a]: rules.board.names[b] for a, b in enumerate(rules.mirror or ())}
    placed = defaultdict(set)
    for row, group in zip(data.X, data.groups.tolist(), strict=True):
        words = [name.partition("=") for name, value in zip(data.names, row, strict=True) if value]
        its = [word for column, _, word in words if column != "material"]
        sides = its[: len(its) // 2], its[len(its) // 2 :]
        image = tuple(tuple(sorted(mirror[square] for square in side)) for side in sides)
        text = tuple(tuple(sorted(side)) for side in sides)
        placed[min(text, image), next((word for column, _, word in words if column == "material"), "")].add(group)
    assert all(len(groups) == 1 for groups in placed.values())
    assert len(set(data.groups.tolist())) == len(placed) < len(data.y)


def test_a_tree_of_scikit_learn_is_as_good_as_that_of_patterns(tables: Tablebase) -> None:
    """On the same positions, whose words are the same questions; cross-validation takes the groups."""
    from sklearn.model_selection import GroupKFold, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    for material in ("CvC", "RvC"):
        data = tables.dataset("doushouqi", material)
        (found,) = tables.patterns("doushouqi", material=material)
        tree = DecisionTreeClassifier(criterion="entropy", max_depth=3, random_state=0).fit(data.X, data.y)
        errors = int((tree.predict(data.X) != data.y).sum())
        assert found.tree is not None
        # Numbers of many values are divided into ranges there, and equally good questions may be asked in another order.
        assert abs(errors - found.tree.errors) < 0.01 * len(data.y)
        scores = cross_val_score(tree, data.X, data.y, groups=data.groups, cv=GroupKFold(3))
        assert 1 - errors / len(data.y) - 0.1 < scores.mean() < 1


def test_a_large_set_is_sampled(tables: Tablebase) -> None:
    """The same seed draws the same positions, from all of them, in numbers that the limit allows."""
    whole, some, again, others = (
        tables.dataset("doushouqi", "CvC", columns="p1_square,p2_square", limit=limit, seed=seed)
        for limit, seed in ((None, 0), (500, 0), (500, 0), (500, 1))
    )
    assert len(whole.y) == 2352
    assert 400 < len(some.y) < 600
    assert np.array_equal(some.X, again.X)
    assert len(some.X) != len(others.X) or not np.array_equal(some.X, others.X)
    assert {*map(tuple, some.X)} < {*map(tuple, whole.X)}


def test_it_works_without_scikit_learn(tables: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    data = tables.dataset("doushouqi", pieces=2)
    assert repr(data) == f"Dataset({len(data.y):,} positions, {len(data.names)} columns, {len(set(data.groups)):,} groups)"
    assert len(data.X) == len(data.y) == len(data.groups)
    assert {"p1=R", "material=RvC"} <= set(data.names)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": ["mobilty"]}, "unknown column 'mobilty' (did you mean 'mobility'?)"),
        ({"columns": "mobility,position"}, "the column position has a different value in each position: choose other columns"),
        ({"columns": []}, "no columns selected: add another column"),
        ({"limit": 0}, "limit must be a whole number, at least 1, not 0"),
        ({"target": "mobility"}, "not 'mobility'"),
        ({"outcome": "win"}, "cannot use --outcome with --target outcome"),
    ],
)
def test_datasets_that_are_refused(options: dict[str, Any], said: str, tables: Tablebase) -> None:
    with pytest.raises(TablebaseError) as refused:
        tables.dataset("doushouqi", "CvC", **options)
    assert said in str(refused.value)
