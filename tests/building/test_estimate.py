"""What a plan takes: how much of everything, and what would never fit."""

import math
from pathlib import Path

import pytest

from tablebase.building import estimate as estimating
from tablebase.building.estimate import ROW_FILES, Pace, check_capacity, estimate, memory
from tablebase.building.plan import plan
from tablebase.catalog.catalog import TableCost
from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.executors.executor import Limits
from tablebase.slices.material import parse_material
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


def test_disk_space_from_an_empty_folder(three_pieces: Path, tmp_path: Path) -> None:
    """Within a tenth of what the files of Dou Shou Qi take."""
    taken = {pieces: sum(file.stat().st_size for file in (three_pieces / f"doushouqi/{pieces}").iterdir()) for pieces in (2, 3)}
    # All 134 files of a whole build.
    taken[4] = 88_672_570
    for line in estimate(GAME, 4, [], tmp_path):
        assert line.disk == pytest.approx(taken[line.pieces], rel=0.1)


def test_estimates_are_the_published_numbers(tmp_path: Path) -> None:
    """Slices, distinct slices and placements of two to five pieces, from a folder that is not there and stays so."""
    folder = tmp_path / "nowhere"
    lines = estimate(GAME, 5, [], folder)
    assert {one.pieces: (one.slices, one.distinct, one.placements, one.distinct_placements) for one in lines} == PUBLISHED
    assert [one.tables for one in lines[:2]] == [10, 42]
    assert all(one.material is None for one in lines)
    assert not folder.exists()


def test_disk_counts_what_is_stored(tmp_path: Path) -> None:
    """CvW has 28 * 49 codes for either side to move; RvR, which is its own twin, 34 * 61 for one."""
    both, single = (estimate(GAME, None, [parse_material(GAME, name)], tmp_path)[0].disk for name in ("CvW", "RvR"))
    assert (both, single) == (int(ROW_FILES(2 * 28 * 49)), int(ROW_FILES(34 * 61)))


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


def test_builds_of_four_pieces_take_what_is_predicted() -> None:
    """Whole builds with one and two workers took 20 to 22 CPU-seconds, each divided by the time of the plain loop then."""
    pace = Pace(GAME, factor=1)
    seconds = estimating.START + sum(map(pace.seconds, plan(GAME, 4, ())))
    assert 0.85 * 22 < seconds < 1.15 * 20


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


# Memory


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
