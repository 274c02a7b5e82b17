"""What long work on a table says while it lasts: always more, up to all of it."""

from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from support import toys
from support.checks import at_least_one
from support.solved import Solved

from tablebase.building import tables as building
from tablebase.checking import general, planes, pursuit
from tablebase.compute import messages, threads
from tablebase.compute.messages import Stage, watched
from tablebase.game import Game, load_game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import sides_stored
from tablebase.slices.material import Material, parse_material, parse_materials
from tablebase.solvers import pursuit as pursuit_solver
from tablebase.solvers.registry import SOLVERS, solve_material
from tablebase.tables import writer
from tablebase_rules.doushouqi import game as doushouqi

POND, FOXES = toys.pond(), load_game("foxhounds-4x4")
POND_SLICE, FOXES_SLICE = (
    parse_material(POND, "RTvRL"),
    max(parse_materials(FOXES, "FvHH"), key=lambda tier: layout_of(FOXES, tier).size),
)
LOOKS = {"planes": 2, "lean": 1, "groups": 1}
"""Parts of the first look of the pond, without threads."""


@pytest.fixture(autouse=True)
def _all_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call counts, however soon."""
    monkeypatch.setattr(messages, "INTERVAL", 0)


def stages_of(work: Callable[[], Any]) -> dict[str, list[Stage]]:
    """All stages by name, each of which comes once, with more done each time and one total."""
    seen: list[Stage] = []
    with watched(seen.append):
        work()
    grouped = [(name, list(group)) for name, group in groupby(seen, key=lambda stage: stage.name)]
    assert len(dict(grouped)) == len(grouped)
    for name, group in at_least_one(grouped):
        assert all(one.done < other.done for one, other in pairwise(group)), name
        assert len({stage.total for stage in group}) == 1, name
    return dict(grouped)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.names[0])
def test_solvers_say_how_far_they_are(solver: Any, solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading, the first look where it may take long, and then distance by distance or, in a pursuit, rows up to all of them."""
    monkeypatch.setattr(pursuit_solver, "STRETCH", 2)
    game, material = (FOXES, FOXES_SLICE) if solver.name == "pursuit" else (POND, POND_SLICE)
    tables = solved(game)
    tables.table(material)
    found = stages_of(lambda: solve_material(game, material, tables.load, solver.names[0]))
    assert found.pop("loading")[0].done == 0
    solving = found.pop("solving")
    if solver.name == "pursuit":
        assert len(solving) > 3
        assert solving[-1].done == solving[-1].total
    else:
        assert [stage.done for stage in solving] == list(range(1, len(solving) + 1))
        # The solvers of groups and for reference settle several distances at once.
        assert len(solving) > (4 if solver.name in ("groups", "reference") else 7)
        assert solving[-1].total is None
    assert list(found) == (["looking up captures"] if solver.names[0] in LOOKS else [])
    for looking in found.values():
        assert [stage.done for stage in looking] == list(range(LOOKS[solver.names[0]] + 1))
        assert looking[-1].done == looking[-1].total


def test_threads_say_no_less(solved: Solved) -> None:
    """The thread that waits for them says what they have done."""
    large = parse_material(POND, "RTLvRTL")
    tables = solved(POND, "planes")
    tables.table(large)
    with threads.use(3):
        found = stages_of(lambda: solve_material(POND, large, tables.load, "planes"))
    assert found["looking up captures"][-1].done == found["looking up captures"][-1].total
    assert len(found["looking up captures"]) > 2


@pytest.mark.parametrize(
    ("check", "game", "material"),
    [
        (general, POND, POND_SLICE),
        (planes, POND, POND_SLICE),
        (planes, doushouqi(), parse_material(doushouqi(), "CvW")),
        (planes, doushouqi(), parse_material(doushouqi(), "CvC")),
        (pursuit, FOXES, FOXES_SLICE),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_checkers_say_how_far_they_are(
    check: Any, game: Game, material: Material, solved: Solved, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of both sides to move, or the only one, in several pieces."""
    for name, small in {"BLOCK": 100, "STRETCH": 4, "SLAB": 1}.items():
        if hasattr(check, name):
            monkeypatch.setattr(check, name, small)
    stored, coding = solved(game).table(material)
    codes = dict(zip(sides_stored(game, material), stored, strict=True))
    found = stages_of(lambda: check.verify_codes(game, material, codes, coding, solved(game).load))
    assert list(found) == ["verifying"]
    assert found["verifying"][-1].done == found["verifying"][-1].total
    assert len(found["verifying"]) > len(codes) or material.pieces == 2


def test_a_build_goes_from_stage_to_stage(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SLAB", 1)
    material = parse_material(doushouqi(), "RCvW")
    found = stages_of(lambda: building.build_table("doushouqi", copied, "planes", material))
    assert list(found) == ["loading", "looking up captures", "solving", "writing", "reading", "verifying"]
    for name in ("looking up captures", "writing", "verifying"):
        assert found[name][-1].done == found[name][-1].total, name
    assert len(found["writing"]) > 2
