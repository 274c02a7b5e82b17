"""What a plan takes: how much of everything, and what would never fit."""

import math
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import toys

from tablebase.building import estimate as estimating
from tablebase.building.estimate import OVERHEAD, PURSUIT_FILES, ROW_FILES, Pace, cells, check_capacity, estimate, memory
from tablebase.building.plan import plan, start_material
from tablebase.building.tables import build
from tablebase.catalog.catalog import Catalog, TableCost
from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.game import load_game
from tablebase.slices.location import stored_materials
from tablebase.slices.material import parse_material
from tablebase.solvers.registry import find_solver
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
PUBLISHED = {
    # From FACTS: slices, distinct ones, placements, placements in distinct slices.
    2: (64, 17, 160_068, 44_820),
    3: (448, 84, 54_355_896, 10_622_808),
    4: (1_680, 261, 9_685_376_064, 1_546_576_416),
    5: (4_256, 680, 1_141_509_180_672, 183_320_863_488),
}


# Estimates


def test_an_estimate_for_little_memory(tmp_path: Path) -> None:
    """With less memory than planes need the figure is that of the solver that will be used."""
    material = parse_material(GAME, "RCvWE")
    planes, least = memory(GAME, material, "planes"), memory(GAME, material, "lean")
    for allowed, expected in ((None, planes), (planes, planes), (planes - 1, least), (1000, least)):
        line = estimate(GAME, None, [material], tmp_path, allowed=allowed)[-1]
        assert (line.material, line.memory) == ("RCvWE", expected)


def test_fewer_tables_at_a_time_take_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers are twice as fast only if both fit into the memory."""
    monkeypatch.setattr(machine, "cores", lambda: 2)
    needs = max(memory(GAME, material) for material in stored_materials(GAME, 3))
    one, both = (estimate(GAME, 3, [], tmp_path, workers=2, allowed=allowed)[-1] for allowed in (needs, 2 * needs))
    assert one.wall_seconds == pytest.approx(2 * both.wall_seconds)


def test_the_whole_of_many_tiers_is_one_line(tmp_path: Path) -> None:
    """All tables that the start leads to are told together, and add up to what each is told to be."""
    game = load_game("foxhounds-6x6")
    start: Any = start_material(game)
    each = estimate(game, None, [start], tmp_path, 1e6)
    [line] = estimate(game, None, [start], tmp_path, 1e6, whole=True)
    assert line.material is None
    assert (line.tables, line.slices) == (len(each), sum(one.slices for one in each)) == (16, 32)
    assert line.placements == sum(one.placements for one in each) == 2 * 18 * math.comb(17, 3)
    # Each line is rounded down to whole bytes.
    assert line.disk == pytest.approx(sum(one.disk for one in each), abs=len(each))
    assert line.memory == max(one.memory for one in each)


def test_disk_space_from_an_empty_folder(three_pieces: Path, tmp_path: Path) -> None:
    """Within a tenth of what the files of Dou Shou Qi take."""
    taken = {pieces: sum(file.stat().st_size for file in (three_pieces / f"doushouqi/{pieces}").iterdir()) for pieces in (2, 3)}
    # All 134 files of a whole build.
    taken[4] = 88_672_570
    for line in estimate(GAME, 4, [], tmp_path):
        assert line.disk == pytest.approx(taken[line.pieces], rel=0.1)


def test_disk_space_beside_tables(three_pieces: Path) -> None:
    """Tables that are there correct the prediction, for themselves exactly."""
    lines = estimate(GAME, 4, [], three_pieces)
    taken = sum(file.stat().st_size for file in three_pieces.glob("doushouqi/*/*.h5"))
    assert lines[0].disk + lines[1].disk == pytest.approx(taken, abs=2)
    assert lines[2].disk == pytest.approx(88_672_570, rel=0.1)


def test_disk_space_of_pursuits(tmp_path: Path) -> None:
    """Within a tenth of what all files of 10×10 Fox & Hounds take."""
    game = load_game("foxhounds-10x10")
    start: Any = start_material(game)
    [line] = estimate(game, None, [start], tmp_path, whole=True)
    assert line.disk == pytest.approx(35_948_978, rel=0.1)


def test_each_table_of_a_mixed_plan_has_its_own_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pursuits are predicted as pursuits and other tables as others, whatever else is planned."""
    two = [parse_material(GAME, name) for name in ("RvC", "CvW")]
    for pursuits in (two, two[:1], []):
        monkeypatch.setattr(estimating, "pursuit_fault", lambda _, one, of=pursuits: None if one in of else "it has captures")
        lines = estimate(GAME, None, two, tmp_path)
        models = [PURSUIT_FILES if one in pursuits else ROW_FILES for one in two]
        assert [line.disk for line in lines] == [int(model(cells(GAME, one))) for model, one in zip(models, two, strict=True)]


def test_estimates_are_the_published_numbers(tmp_path: Path) -> None:
    """Slices, distinct slices and placements of two to five pieces, from a folder that is not there and stays so."""
    folder = tmp_path / "nowhere"
    lines = estimate(GAME, 5, [], folder)
    assert {one.pieces: (one.slices, one.distinct, one.placements, one.distinct_placements) for one in lines} == PUBLISHED
    assert [one.tables for one in lines[:2]] == [10, 42]
    assert all(one.material is None for one in lines)
    assert not folder.exists()


def test_estimates_of_materials_have_a_line_a_table(tmp_path: Path) -> None:
    """A line for each table, with all slices that it answers for: CvW for each weaker against each stronger of C W D P E."""
    lines = estimate(GAME, None, [parse_material(GAME, "RCvW")], tmp_path)
    assert [(one.material, one.pieces, one.tables) for one in lines] == [("RvC", 2, 1), ("CvW", 2, 1), ("RCvW", 3, 1)]
    # Of C W D P E, ten pairs; each with either side to move, as mover is White by colour swap.
    assert lines[1].slices == 2 * 10
    assert [one.distinct for one in lines] == [2, 2, 2]
    # 61 squares and 49 of them for the cat; then the same with 49 for both; a third piece as in inclusion and exclusion.
    assert [one.distinct_placements for one in lines[:2]] == [2 * (61 * 49 - 49), 2 * 49 * 48]
    assert lines[2].distinct_placements == 2 * (61 - 2) * 49 * 48


def test_estimates_grow(tmp_path: Path) -> None:
    lines = estimate(GAME, 5, [], tmp_path)
    for name in ("memory", "disk", "cpu_seconds", "tables", "placements"):
        found = [getattr(one, name) for one in lines]
        assert found == sorted(set(found)), name
        assert min(found) > 0


def test_disk_counts_what_is_stored(tmp_path: Path) -> None:
    """CvW has 28 * 49 codes for either side to move; RvR, which is its own twin, 34 * 61 for one."""
    both, single = (estimate(GAME, None, [parse_material(GAME, name)], tmp_path)[0].disk for name in ("CvW", "RvR"))
    assert (both, single) == (int(ROW_FILES(2 * 28 * 49)), int(ROW_FILES(34 * 61)))


def test_estimates_learn_from_what_is_there(tmp_path: Path) -> None:
    """Where a table has been built, its own disk estimate is what its file takes, and its time what it took."""
    material = parse_material(GAME, "CvC")
    [built] = build(GAME, [material], tmp_path)
    [line] = estimate(GAME, None, [material], tmp_path)
    assert line.disk == pytest.approx(table_path(tmp_path, GAME, material).stat().st_size, abs=1)
    assert built.seconds is not None
    assert math.isclose(line.cpu_seconds, built.seconds, rel_tol=1e-6)
    assert line.disk != estimate(GAME, None, [material], tmp_path / "elsewhere")[0].disk


def test_times_are_learnt_only_from_what_was_built_here(tmp_path: Path) -> None:
    """Nobody knows how long a table took that was registered without its seconds; its size counts all the same."""
    material = parse_material(GAME, "CvC")
    list(build(GAME, [material], tmp_path))
    path = table_path(tmp_path, GAME, material)
    with closing(Catalog(tmp_path, create=True)) as catalog, closing(Table(path, GAME, material)) as table:
        catalog.register(GAME, table)
    [line] = estimate(GAME, None, [material], tmp_path)
    speed = find_solver("planes").speed  # type: ignore[union-attr]
    assert math.isclose(line.cpu_seconds, estimating.machine_factor() * (OVERHEAD + cells(GAME, material) / speed))
    assert line.disk == pytest.approx(path.stat().st_size, abs=1)


def cost(material: str, seconds: float | None, engine: str | None = "planes", codes: int = 1) -> TableCost:
    """What a table took."""
    return TableCost(material, codes, 1000, seconds, engine)


def test_pace_is_the_median_over_codes() -> None:
    """A table for which kernels were compiled does not count more than its codes do; what nobody knows does not count."""
    one, other = parse_material(GAME, "CvC"), parse_material(GAME, "CWvD")
    plain = Pace(GAME, factor=1)
    small, large = plain.seconds(one), plain.seconds(other)
    known = [cost("CvC", 100 * small), cost("CWvD", 3 * large, codes=5), cost("CWvD", 2 * large, codes=1)]
    unknown = [cost("CWvD", None, codes=99), cost("CWvD", 7.0, None, 99), cost("CWvD", 7.0, "steam", 99)]
    learnt = Pace(GAME, costs=[*known, *unknown])
    assert math.isclose(learnt.factor, 3)
    assert math.isclose(learnt.seconds(other), 3 * large)
    learnt.learn(cost("CWvD", large, codes=5))
    assert math.isclose(learnt.factor, 2)


def test_a_pace_that_was_measured_stays() -> None:
    measured = Pace(GAME, factor=1.5)
    measured.learn(cost("CWvD", 1000.0, codes=9))
    assert measured.factor == 1.5


def test_a_machine_that_was_not_measured_is_as_fast_as_its_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that takes three times as long stands for tables, a start and kernels that do, too."""
    material = parse_material(GAME, "CWvD")
    monkeypatch.setattr(estimating, "_loop_seconds", lambda: 3 * estimating.LOOP_SECONDS)
    estimating.machine_factor.cache_clear()
    assert math.isclose(Pace(GAME).seconds(material), 3 * Pace(GAME, factor=1).seconds(material))
    assert math.isclose(estimating.start_seconds(), 3 * estimating.START)
    monkeypatch.undo()
    estimating.machine_factor.cache_clear()


def test_a_former_solver_in_a_catalog() -> None:
    """What the lean mode took is learnt from, by the name that older catalogs have for it."""
    assert Pace(GAME, costs=[cost("CWvD", 1000.0, "lean")]).factor != Pace(GAME).factor


def test_each_solver_has_a_speed_of_its_own() -> None:
    """A table that took the reference solver as long as the model says means nothing for the speed of the machine."""
    material = parse_material(GAME, "CWvD")
    slow, fast = Pace(GAME, "reference", factor=1).seconds(material), Pace(GAME, "planes", factor=1).seconds(material)
    assert slow > 2 * fast
    assert math.isclose(Pace(GAME, costs=[cost("CWvD", slow, "reference")]).seconds(material), fast)


# Memory


def test_memory_grows_with_the_table() -> None:
    """More pieces need more, and at least a byte an index and side to move; other engines need more than rows do."""
    chain = [parse_material(GAME, name) for name in ("CvW", "CvWT", "CTvWL", "CTEvWL")]
    needs = [memory(GAME, table) for table in chain]
    assert needs == sorted(set(needs))
    # 28 leads and 49 squares for each other piece, both sides to move.
    for count, need in enumerate(needs, start=1):
        assert need > 2 * 28 * 49**count
    for table in chain[1:]:
        assert memory(GAME, table, "reference") > memory(GAME, table, "planes") == memory(GAME, table)


def test_memory_counts_what_captures_lead_to() -> None:
    """A hound that takes leads to HvC and HvF, of 12 * 12 and 12 * 9 indices; one that takes nothing needs less by that."""
    hunt = toys.hunt()
    hound = replace(hunt.kinds[0], steps=tuple(replace(step, victims=frozenset()) for step in hunt.kinds[0].steps))
    tame = replace(hunt, kinds=(hound, *hunt.kinds[1:]))
    needs = [memory(game, parse_material(game, "HvFC")) for game in (hunt, tame)]
    assert needs[0] - needs[1] >= 12 * 12 + 12 * 9


def test_too_little_memory(tmp_path: Path) -> None:
    """The largest table is named, with what it needs and what is allowed."""
    planned = plan(GAME, None, [parse_material(GAME, "RCvW")])
    with pytest.raises(CapacityError) as caught:
        check_capacity(GAME, planned, tmp_path, Limits(memory=1000), "reference")
    assert str(caught.value).startswith(f"RCvW needs {caught.value.needed:,} bytes of memory, but at most 1,000 can be used: ")
    # Both sides to move of 28 leads, 49 and 61 squares.
    assert caught.value.needed > 2 * 28 * 49 * 61
    assert (caught.value.allowed, caught.value.exit_code) == (1000, 3)


def test_just_enough_memory(tmp_path: Path) -> None:
    """What a table needs with the solver that needs least is enough, to the byte."""
    planned = [parse_material(GAME, "RvC")]
    needed = memory(GAME, planned[0], allowed=0)
    assert needed <= memory(GAME, planned[0])
    check_capacity(GAME, planned, tmp_path, Limits(memory=needed), "auto")
    with pytest.raises(CapacityError, match=f"at most {needed - 1:,} can be used"):
        check_capacity(GAME, planned, tmp_path, Limits(memory=needed - 1), "auto")


def test_too_small_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit the machine's memory counts; a limit is the user's word, who may know of more."""
    monkeypatch.setattr(machine, "memory", lambda: 2000)
    planned = [parse_material(GAME, "CvW")]
    check_capacity(GAME, planned, tmp_path, Limits(memory=10**15), "auto")
    with pytest.raises(CapacityError, match=r"^CvW needs [\d,]+ bytes of memory, but at most 2,000 can be used: this machine"):
        check_capacity(GAME, planned, tmp_path, Limits(), "auto")


def test_too_small_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables together count, and the sentence names the folder, what they need and what is free."""
    planned = [parse_material(GAME, name) for name in ("CvW", "CvT")]
    sizes = [line.disk for line in estimate(GAME, None, planned, tmp_path)]
    monkeypatch.setattr(estimating, "free_space", lambda _: sum(sizes) + 1)
    check_capacity(GAME, planned, tmp_path, Limits(), "auto")
    monkeypatch.setattr(estimating, "free_space", lambda _: max(sizes))
    with pytest.raises(CapacityError) as caught:
        check_capacity(GAME, planned, tmp_path, Limits(), "auto")
    needed = f"{caught.value.needed:,} bytes on the disk of {tmp_path}, but at most {max(sizes):,} can be used: "
    assert str(caught.value).startswith(f"the build needs {needed}")
    assert caught.value.needed in (sum(sizes), sum(sizes) + 1)
    assert caught.value.exit_code == 3
