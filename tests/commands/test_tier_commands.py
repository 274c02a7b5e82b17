"""Games by compiled functions on the command line: built, stopped, damaged, checked, copied and asked."""

import random
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.program import Ask, assert_one_sentence, assert_refused, contents, drafts, flip
from support.tablebases import built_by, copy_of
from twins import exact as twin

import tablebase
from tablebase.building import tier_kind
from tablebase.building.jobs import LateError
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.commands.descriptions import statistics
from tablebase.commands.row_types import TierRow
from tablebase.errors import CapacityError, NotationError
from tablebase.functions.exact import tier_solver
from tablebase.functions.exact.tiers import tiers_of
from tablebase.game.installed import load_rules
from tablebase.tables.checkpoints import TableCheckpoint

NAME = "mens_morris-men=3"
GAME = ("mens_morris", "--variant", "men=3")


built = built_by(f"build {NAME}")
data = copy_of("built")


def table(folder: Path, name: str) -> Path:
    return folder / NAME / "tiers" / f"{name}.h5"


def test_stats_count_each_tier(built: Path, ask: Ask) -> None:
    rows = ask("stats", *GAME, "--data", built, "--format", "json").json
    tiers = tiers_of(load_rules(NAME))
    assert {row["tier"]: row["ranks"] for row in rows} == {name: tiers.sizes[tier] for tier, name in tiers.names.items()}
    for row in rows:
        assert row["positions"] == row["final"] + row["wins"] + row["losses"] + row["draws"] <= row["ranks"]
    longest = max(rows, key=lambda row: row["longest_win"] or 0)
    line = ask("line", *GAME, longest["longest_win_position"], "--data", built, "--format", "json").json
    assert [(one["outcome"], one["distance"]) for one in line[::2]] == [("win", n) for n in range(longest["longest_win"], -1, -2)]


def test_numbers_of_tiers_are_sorted_as_numbers() -> None:
    entries = [SimpleNamespace(row=dict.fromkeys(TierRow.__annotations__) | {"tier": name}) for name in ("10", "4", "11")]
    catalog: Any = SimpleNamespace(there=lambda _game, table: entries if table == "tiers" else [])
    assert [row["tier"] for row in statistics(catalog, load_rules(NAME))] == ["4", "10", "11"]


@pytest.mark.release
def test_values_are_those_of_brute_force(built: Path) -> None:
    """Positions that play can lead to have the values of the slow twin."""
    rules = load_rules(NAME)
    expected = dict([*twin.values(rules).items()][::97])
    with tablebase.open(built) as tables:
        found = tables.probe_many(NAME, list(expected)).values()
    assert len(found) > 1_000
    for (position, (winner, distance)), value in zip(expected.items(), found, strict=True):
        assert value == ("draw" if winner is None else "win" if winner == rules.viewer(position) else "loss", distance)


def test_chosen_tiers_with_all_that_they_need(built: Path, tmp_path: Path, ask: Ask) -> None:
    """Names are separated by commas; bytes are as in a whole build, with any number of workers; the rest is missing."""
    answer = ask("build", *GAME, "--tiers", "left2-2-2,2-3", "--data", tmp_path, "--workers", "2")
    assert answer.code == 0
    made = {path.stem for path in (tmp_path / NAME / "tiers").iterdir()}
    assert {"left2-2-2", "3-3", "2-3"} <= made < {path.stem for path in (built / NAME / "tiers").iterdir()}
    for name in made:
        assert table(tmp_path, name).read_bytes() == table(built, name).read_bytes()
    start = load_rules(NAME).format(0)
    said = ask("probe", *GAME, start, "--data", tmp_path)
    assert_one_sentence(said, "the table left6-0-0 of mens_morris-men=3 has not been built", "--tiers left6-0-0")
    assert_one_sentence(ask("build", *GAME, "--tiers", "3-4", "--data", tmp_path), "unknown tier '3-4'")
    assert_one_sentence(ask("build", *GAME, "--carrots", "3", "--data", tmp_path), "--tiers")


def test_a_group_is_finished_by_the_next_build(data: Path, built: Path, ask: Ask) -> None:
    for name in ("3-3", "left1-2-3"):
        table(data, name).unlink()
    assert ask("build", *GAME, "--data", data).code == 0
    assert contents(data / NAME) == contents(built / NAME)
    assert drafts(data) == []


def test_listing_takes_a_limited_time(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ask("estimate", "connect4", "--size", "4x3", "--format", "json").json
    assert [line["tier"] for line in lines] == [f"{discs:02}" for discs in reversed(range(13))]
    monkeypatch.setattr(tier_kind, "PATIENCE", -1.0)
    said = ask("estimate", "connect4", "--size", "4x3")
    assert_refused(said, 3, "connect4-4x3 has more than", "build the table with --for 1h, or choose a smaller variant")


def test_damage_is_found(data: Path, ask: Ask) -> None:
    path = table(data, "3-3")
    flip(path, path.stat().st_size // 2)
    said = ask("verify", *GAME, "--data", data)
    assert said.code == 1
    assert [error.partition("cannot check")[0] != error for error in said.errors] == [False, True]
    assert f"rebuild {path} first" in said.err
    assert ask("build", *GAME, "--data", data).code == 0
    assert ask("verify", *GAME, "--data", data).code == 0


def test_a_wrong_solver_is_noticed(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft that the check contradicts is not published."""
    write = tier_kind.write_tier

    def wrong(path: Path, game: Any, tier: int, after: Any, codes: Any, *more: Any) -> Path:
        codes[codes == 4] = 6
        return write(path, game, tier, after, codes, *more)

    monkeypatch.setattr(tier_kind, "write_tier", wrong)
    said = ask("build", *GAME, "--data", tmp_path)
    assert_refused(said, 1, "the new table of mens_morris-men=3 contains an error", "check-rules")
    assert drafts(tmp_path) == []


def test_copies_packs_and_catalogs(data: Path, tmp_path: Path, ask: Ask) -> None:
    tables = len(list((data / NAME / "tiers").iterdir()))
    (data / "catalog.sqlite").unlink()
    assert ask("reindex", "--data", data).code == 0
    assert ask("verify", *GAME, "--data", data).err == f"correct tables: {tables} of {tables}\n"
    assert ask("copy", *GAME, "--data", data, "--to", tmp_path / "copy").code == 0
    assert ask("pack", *GAME, "--data", data, "--to", tmp_path / "packed").code == 0
    start = load_rules(NAME).format(0)
    answers = [ask("probe", *GAME, start, "--data", tmp_path / name, "--format", "json").json for name in ("copy", "packed")]
    assert answers[0] == answers[1]
    assert ask("sql", "SELECT count(*) AS n FROM tiers", "--data", tmp_path / "copy", "--format", "csv").csv == [{"n": str(tables)}]
    table(data, "3-3").write_bytes(table(data, "2-3").read_bytes())
    assert ask("reindex", "--data", data).code == 1


def played(rules: Any, games: int) -> list[int]:
    luck, found = random.Random(1), [rules.start]
    for _ in range(games):
        position = rules.start
        for _ in range(60):
            if not (moves := list(rules.moves(position).values())):
                break
            position = luck.choice(moves)
            found.append(position)
    return found


def test_many_positions_are_looked_up_together(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of numbers and lists of texts have the answers of single positions, with reasons for those that have none."""
    rules = load_rules(NAME)
    positions = played(rules, 40)
    with tablebase.open(built) as tables:
        single = [tables.probe(NAME, rules.format(position)).value for position in positions]
        numbers = tables.probe_many(NAME, np.array([*positions, -1, 1 << 62]))
        refused = ["nonsense", "", 5, f"{rules.format(0)}\0", rules.format(0)[:-1], "\ud800", rules.format(0).replace("w", "b")]
        texts = tables.probe_many(NAME, [*map(rules.format, positions), *refused])
        assert any(rules.result(position) for position in positions)
        for answers, wrong in ((numbers, 2), (texts, len(refused))):
            assert list(answers.values()) == [*single, *[None] * wrong]
            assert answers.errors.keys() == {len(positions) + place for place in range(wrong)}
        for place, one in enumerate(refused, start=len(positions)):
            with pytest.raises(NotationError, match=re.escape(str(texts.errors[place]))):
                tables.probe(NAME, one)
        monkeypatch.setattr(rules, "parse", lambda _: 1 << 70)
        assert tables.probe_values(rules, ["large"]) == [tables.probe_value(rules, "large")]


def test_many_positions_of_a_listed_game(tmp_path: Path) -> None:
    """Positions are found in lists of several chunks, by their canonical images; a missing table is the reason for no answer."""
    tablebase.build("connect4-4x4", data=tmp_path)
    rules = load_rules("connect4-4x4")
    positions = played(rules, 60)
    with tablebase.open(tmp_path) as tables:
        source = tables.prober.of(rules)
        expected = [source.value(position, rules.viewer(position)) for position in positions]
        answers = tables.probe_many("connect4-4x4", np.array(positions))
        assert list(answers.values()) == expected
    (tmp_path / "connect4-4x4" / "tiers" / "07.h5").unlink()
    with tablebase.open(tmp_path) as tables:
        answers = tables.probe_many("connect4-4x4", np.array(positions))
        missing = [
            place for place, position in enumerate(positions) if rules.place(position)[0] == 7 and not rules.result(position)
        ]
        assert answers.distances[0] == -1
        assert sorted(answers.errors) == missing


def test_listing_obeys_memory_and_the_deadline(tmp_path: Path, ask: Ask) -> None:
    said = ask("build", "connect4", "--size", "4x4", "--data", tmp_path / "new", "--memory", "300K")
    assert_one_sentence(said, "listing the positions of connect4-4x4 needs more than", "--memory", code=3)
    assert not list(tmp_path.iterdir())
    kind = tier_kind.TierTables(load_rules("connect4-4x3"))
    with pytest.raises(CapacityError, match="too many to list before the deadline: allow more time with --for"):
        kind.jobs(TableQuery(), BuildOptions(tmp_path, end=time.time() - 1))


def test_times_are_sampled_unless_memory_is_refused(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tier_kind, "SAMPLED", 1000)
    rows, tiers = ask("estimate", *GAME, "--format", "json").json, tiers_of(load_rules(NAME))
    assert {row["tier"]: row["ranks"] for row in rows} == {name: tiers.sizes[tier] for tier, name in tiers.names.items()}
    assert [row["tier"] for row in ask("estimate", *GAME, "--tiers", "2-3", "--format", "json").json] == ["2-3"]
    sampled = {row["tier"]: row["cpu_seconds"] / row["ranks"] for row in rows if row["ranks"] > 1000}
    assert all(1e-8 < seconds < 1e-4 for seconds in sampled.values())
    assert len(set(sampled.values())) > 2
    monkeypatch.setattr(tier_solver, "sampled_seconds", lambda *_: pytest.fail("a group was sampled"))
    said = ask("build", "mens_morris", "--data", tmp_path, "--memory", "200M")
    assert_one_sentence(said, "solving 5-6, 6-5 of mens_morris needs", "--tiers", "--memory", code=3)
    assert not list(tmp_path.iterdir())


def test_a_build_resumes_within_a_group(tmp_path: Path, built: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped at its deadline, it leaves a checkpoint of the group, from which the next one comes to the same bytes."""
    monkeypatch.setattr(tier_solver, "BLOCK", 500)
    monkeypatch.setattr(tier_solver, "ROUND", 1)
    calls = iter(range(12))

    def late(_: BuildOptions) -> None:
        if next(calls, None) is None:
            raise LateError("the deadline has passed")

    with monkeypatch.context() as patch:
        patch.setattr(BuildOptions, "check_time", late)
        assert ask("build", *GAME, "--tiers", "3-3", "--data", tmp_path, "--for", "1h").code == 4
    saved = list((tmp_path / NAME / "tiers").glob(".3-3.h5.checkpoint"))
    assert len(saved) == 1
    loaded = []
    load = TableCheckpoint.load
    monkeypatch.setattr(TableCheckpoint, "load", lambda self: loaded.append(load(self)) or loaded[-1])
    assert ask("build", *GAME, "--data", tmp_path).code == 0
    assert any(loaded)
    assert contents(tmp_path / NAME) == contents(built / NAME)
    assert not list((tmp_path / NAME / "tiers").glob(".*"))


KILLED = """
import os, sys, tablebase
from tablebase.building.options import BuildOptions
from tablebase.functions.exact import tier_solver
from tablebase.tables import checkpoints
tier_solver.BLOCK, tier_solver.ROUND, checkpoints.INTERVAL = 500, 1, 0.0
calls = iter(range(int(sys.argv[3])))
BuildOptions.check_time = lambda _: os._exit(9) if next(calls, None) is None else None
tablebase.build(sys.argv[1], data=sys.argv[2])
"""


@pytest.mark.full
def test_a_killed_build_leaves_nothing_wrong(tmp_path: Path, built: Path, ask: Ask) -> None:
    """Killed again and again, at any moment of a group or between two, it comes to the same bytes."""
    for calls in (3, 30, 90):
        ended = subprocess.run([sys.executable, "-c", KILLED, NAME, str(tmp_path), str(calls)], timeout=60, check=False)
        assert ended.returncode == 9
    assert ask("build", *GAME, "--data", tmp_path).code == 0
    assert contents(tmp_path / NAME) == contents(built / NAME)
    assert not list((tmp_path / NAME / "tiers").glob(".*"))
