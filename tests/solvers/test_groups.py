"""The solver of groups by threads, and the scores that it compares moves by; `test_solvers` compares its tables."""

import pytest
from support import toys
from support.naive_codes import same
from support.solved import Solved

from tablebase.compute import threads
from tablebase.game import Outcome
from tablebase.slices.material import parse_material
from tablebase.solvers.groups import solve as groups
from tablebase.solvers.groups.row_scores import NOTHING, scores_of
from tablebase.solvers.registry import solve_material
from tablebase.tables.values import NARROW, NARROW_ANY, STALEMATE, Coding, Value


def test_threads_find_the_same(solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row, with three threads."""
    monkeypatch.setattr(groups, "GRAIN", 1)
    game, material = toys.twins(), parse_material(toys.twins(), "PKvPK")
    codes, _ = solved(game).table(material)
    with threads.use(3):
        found, _, _ = solve_material(game, material, solved(game).load, "groups")
    assert same(found, codes)


@pytest.mark.parametrize("coding", [NARROW, NARROW_ANY, NARROW.wider, NARROW_ANY.wider], ids=str)
def test_scores_are_ordered_and_come_back(coding: Coding) -> None:
    """Better moves have larger scores, and each code is found again from that of a move into its position."""
    scores = scores_of(toys.pond(), coding)
    last = min(coding.reach, 400)
    values = [Value(Outcome.LOSS, d) for d in range(last + 1) if coding.stride == 2 or d % 2 == 0]
    values += [Value(Outcome.WIN, d) for d in range(1, last + 1) if coding.stride == 2 or d % 2 == 1]
    by_parent = sorted([*values, Value(Outcome.DRAW, None)], key=lambda value: value.reversed.later.merit)
    found = [int(scores.of_code[coding.code(value)]) for value in by_parent]
    assert found == sorted(set(found))
    assert [int(scores.codes[score]) for score in found] == [coding.code(value) for value in by_parent]
    assert scores.codes[NOTHING] == coding.void
    assert scores.codes[scores.of_code[STALEMATE]] == STALEMATE
