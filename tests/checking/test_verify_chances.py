"""The verifier of chances finds every one that is too high or much too low, in whatever state, and whatever else is wrong."""

import hashlib
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin  # noqa: F401 (gives h5py the compression)
import numpy as np
import pytest
from support.checks import at_least_one
from support.crafted import text
from support.deterministic import DeterministicGame
from support.program import reseal
from support.regions import settled, solve, too_many

from tablebase.checking import chances as verifying
from tablebase.checking.chances import SLACK, chances_error, verify_layer
from tablebase.errors import CorruptTableError
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.compiled import Compiled, compiled
from tablebase.functions.chance.files import LayerFile, write_layer
from tablebase.game import load_game
from tablebase.game.kernels import Int64, Layer, Region, alone, call_compiled
from tablebase.game.stochastic import StochasticGame
from tablebase.system.files.outputs import publish
from tablebase_rules import harehedgehog, harehedgehog_kernels, pig

GAMES: dict[str, StochasticGame] = {
    "piglet": pig.game(die=2, target=3),
    "pig": pig.game(die=4, target=5),
    "hexapawn": DeterministicGame(load_game("hexapawn")),
}


def solved(game: StochasticGame) -> tuple[Compiled, Region, Int64]:
    form = compiled(game)
    region = form.region({})
    return form, region, solve(form.kernels, region)


def states_of(form: Compiled, region: Region) -> list[int]:
    """The numbers that have a state."""
    state = np.zeros(form.kernels.fields, np.int64)
    return [number for number in range(region.size) if call_compiled(form.kernels.state_at, region.rules, number, state)]


@pytest.mark.parametrize("name", GAMES)
def test_every_wrong_chance_is_found(name: str) -> None:
    """One unit too high, or twice the slack too low, for either player in any state; what is right is found to be right."""
    form, region, chances = solved(GAMES[name])
    [layer] = region.layers
    assert chances_error(form.kernels, region, layer, chances) is None
    numbers = states_of(form, region)
    for number in at_least_one(numbers if len(numbers) < 400 else numbers[::5]):
        for role in range(2):
            right = chances[role, number]
            for wrong in (right + SLACK + 1, right - 2 * SLACK):
                if wrong < 0:
                    continue
                chances[role, number] = wrong
                error = chances_error(form.kernels, region, layer, chances)
                assert error is not None, (number, role, wrong)
                chances[role, number] = right


def test_a_unit_too_much_is_found_and_the_slack_is_not() -> None:
    """Of a state that nothing else is computed from: the start of Hexapawn, which can be reached from nowhere."""
    form, region, chances = solved(GAMES["hexapawn"])
    # The start is the first state that is listed.
    right = chances[:, 0].copy()
    assert sorted(right.tolist()) == [0, UNIT]
    for role in range(2):
        for change, is_found in ((1, True), (-1, False), (-SLACK, False), (-SLACK - 1, True)):
            chances[:, 0] = right
            chances[role, 0] += change
            if chances[role, 0] >= 0:
                assert (chances_error(form.kernels, region, region.layers[0], chances) is not None) == is_found, (role, change)


def test_the_first_error_is_named_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its number, with the chance that is stored."""
    form, region, chances = solved(GAMES["hexapawn"])
    last = states_of(form, region)[-1]
    chances[0, last] = UNIT // 3
    part, nothing = Layer("part", last, last + 1), Layer("part", last, last)
    assert (chances_error(form.kernels, region, part, chances) or "").startswith(f"state {last} ")
    assert chances_error(form.kernels, region, nothing, chances) is None
    chances[:, 0] = UNIT // 2, UNIT // 4
    monkeypatch.setattr(verifying, "GRAIN", 100)
    for threads in (1, 3):
        error = chances_error(form.kernels, region, region.layers[0], chances, threads)
        assert (error or "").startswith("state 0 has the probability 0.5")


@pytest.mark.parametrize("alike", [harehedgehog_kernels.alike, too_many, alone], ids=["runs", "wrong runs", "no runs"])
def test_states_that_are_not_alike_are_checked_one_by_one(alike: Any) -> None:
    """A chance that is changed is found in any place of a run, and in states that are said to be alike and are not."""
    form = compiled(harehedgehog.game())
    region = form.region({"carrots": 3, "cap": "strict"})
    # The last block in which nobody waits, and what it is computed from are enough.
    layer = Layer("part", 4032 * region.block, 4033 * region.block)
    kernels = replace(form.kernels, alike=alike)
    chances = settled(kernels, region, [4032])
    assert chances_error(kernels, region, layer, chances) is None
    for number in range(layer.begin, layer.end):
        for role in range(2):
            right = chances[role, number]
            chances[role, number] = right + SLACK + 1
            error = chances_error(kernels, region, layer, chances)
            assert error is not None
            assert error.startswith(f"state {number} ")
            chances[role, number] = right


def test_trees_of_a_run_may_differ_in_what_they_look_up() -> None:
    """Right chances stay right where the trees of states that are said to be alike have one form, but no common step."""
    form = compiled(harehedgehog.game())
    region = form.region({"carrots": 3, "cap": "strict"})
    # Of any chances that follow, those of this block can be computed.
    block, chances = 639, np.random.default_rng(1).integers(0, UNIT, (2, region.size))
    layer = Layer("part", block * region.block, (block + 1) * region.block)
    chances[:, layer.begin : layer.end] = 0
    kernels = replace(form.kernels, alike=too_many)
    settled(kernels, region, [block], chances)
    assert chances[:, layer.begin : layer.end].any()
    assert chances_error(kernels, region, layer, chances) is None


@pytest.mark.parametrize("alike", [harehedgehog_kernels.alike, alone], ids=["runs", "no runs"])
def test_limits_are_what_follows_to_the_unit(alike: Any) -> None:
    """In a generous region, any change of a chance is found."""
    form = compiled(harehedgehog.game())
    region = form.region({"carrots": 3, "cap": "generous"})
    # At the start and on square 6: cards lead beyond the cap.
    layer = Layer("part", 6 * region.block, 7 * region.block)
    kernels = replace(form.kernels, alike=alike)
    chances = settled(kernels, region, [6], tolerance=0)
    assert chances_error(kernels, region, layer, chances) is None
    parts = {int(chance) for chance in chances[:, layer.begin : layer.end].flat if chance % (UNIT // 4)}
    assert parts
    for change in (-1, 1):
        for number in range(layer.begin, layer.end):
            for role in range(2):
                chances[role, number] += change
                assert chances_error(kernels, region, layer, chances) is not None
                chances[role, number] -= change


def written(game: StochasticGame, path: Path, change: Callable[[h5py.File], None] = lambda _: None) -> CorruptTableError | None:
    """What is wrong with the file of a game's chances, after a change by somebody who knows how to make a seal."""
    form, region, chances = solved(game)
    [layer] = region.layers
    path.parent.mkdir(parents=True, exist_ok=True)
    publish(write_layer(path, game, form.kernels, region, layer, chances), path)
    with h5py.File(path, "r+") as file:
        change(file)
    reseal(path)
    try:
        with closing(LayerFile(path, game, region, layer)) as file:
            verify_layer(form.kernels, file, np.zeros((2, region.size), np.int64))
    except CorruptTableError as error:
        return error
    return None


def with_bounds(name: str, place: int, value: float, is_fitting: bool = True) -> Callable[[h5py.File], None]:
    """Another bound, with the digest made to fit or left as it is."""

    def change(file: h5py.File) -> None:
        file[name][place] = value
        if is_fitting:
            digest = hashlib.sha256(file["lower"][:].tobytes() + file["upper"][:].tobytes())
            file.attrs["values_sha256"] = np.bytes_(digest.hexdigest().encode())

    return change


def with_more(name: str) -> Callable[[h5py.File], None]:
    return lambda file: file.attrs.__setitem__(name, file.attrs[name] + 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        # The chance is 6/11, and the counts would still be the same. The second one also shows where the other is hindered.
        (with_bounds("lower", 0, 0.5454545459), "state 0 has the probability 0.5454545459"),
        (with_bounds("upper", 0, 0.545454545), "state [0-9]+ has the probability 0.54545454545., but .* give 0.5454545456"),
        (with_bounds("lower", 0, 0.25), "contains statistics that do not match"),
        (with_bounds("lower", 0, 0.25, is_fitting=False), "does not contain the values it was written with"),
        *((with_more(name), "statistics that do not match") for name in ("states", "wins", "losses", "exact", "open", "stalling")),
        (text("format", b"tablebase"), "does not contain the table all all of pig"),
        (text("layer", b"other"), "does not contain the table all all of pig"),
    ],
)
def test_changed_files_are_found(change: Callable[[h5py.File], None], said: str, tmp_path: Path) -> None:
    """Though their seal is right."""
    error = written(GAMES["piglet"], tmp_path / "all.h5", change)
    assert error is not None
    assert re.search(said, str(error)), error


def test_the_file_as_it_was_written_is_right(tmp_path: Path) -> None:
    """Nothing is wrong with it; a byte behind the seal is."""
    path = tmp_path / "all.h5"
    assert written(GAMES["piglet"], path) is None
    form, region, _ = solved(GAMES["piglet"])
    data = path.read_bytes()
    # The last byte belongs to no part that is read.
    path.write_bytes(data + b"\0")
    with closing(LayerFile(path, GAMES["piglet"], region, region.layers[0])) as file, pytest.raises(CorruptTableError):
        verify_layer(form.kernels, file, np.zeros((2, region.size), np.int64))
