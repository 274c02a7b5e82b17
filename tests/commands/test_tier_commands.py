"""Games by compiled functions on the command line: built, stopped, damaged, checked, copied and asked."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.program import Ask, assert_one_sentence, assert_refused, contents, drafts, flip
from twins import exact as twin

import tablebase
from tablebase.building import tier_kind, tier_maker
from tablebase.game.installed import load_rules
from tablebase.states.tiers import tiers_of

NAME = "mens_morris-men=3"
GAME = ("mens_morris", "--variant", "men=3")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with all tables of a small game, which no test changes."""
    folder = tmp_path_factory.mktemp("built")
    tablebase.build(NAME, data=folder)
    before = contents(folder)
    yield folder
    assert contents(folder) == before


@pytest.fixture(name="data")
def copied(built: Path, tmp_path: Path) -> Path:
    """A copy of them."""
    shutil.copytree(built, tmp_path / "data")
    return tmp_path / "data"


def table(folder: Path, name: str) -> Path:
    return folder / NAME / "tiers" / f"{name}.h5"


def test_stats_count_each_tier(built: Path, ask: Ask) -> None:
    """Their positions are those of the tier's ranks, and add up to those that are won, lost, drawn or final."""
    rows = ask("stats", *GAME, "--data", built, "--format", "json").json
    tiers = tiers_of(load_rules(NAME))
    assert {row["tier"]: row["ranks"] for row in rows} == {name: tiers.sizes[tier] for tier, name in tiers.names.items()}
    for row in rows:
        assert row["positions"] == row["final"] + row["wins"] + row["losses"] + row["draws"] <= row["ranks"]
    three = next(row for row in rows if row["tier"] == "3-3")
    assert three["longest_win_position"] is not None
    (probed,) = ask("probe", *GAME, three["longest_win_position"], "--data", built, "--format", "json").json
    assert (probed["outcome"], probed["distance"]) == ("win", three["longest_win"])


def test_lines_end_as_they_should(built: Path, ask: Ask) -> None:
    """Along the line of a longest win the distance falls by one with each ply."""
    rows = ask("stats", *GAME, "--data", built, "--format", "json").json
    longest = max(rows, key=lambda row: row["longest_win"] or 0)
    line = ask("line", *GAME, longest["longest_win_position"], "--data", built, "--format", "json").json
    plies = [one["distance"] for one in line]
    assert plies[:3] == [longest["longest_win"] - ply for ply in range(3)]


@pytest.mark.release
def test_values_are_those_of_brute_force(built: Path) -> None:
    """Each position that play can lead to, after the men have been placed, has the value of the slow twin."""
    rules = load_rules(NAME)
    with tablebase.open(built) as tables:
        source = tables.prober.of(rules)
        compared = 0
        for position, (winner, distance) in twin.values(rules).items():
            viewer = rules.viewer(position)
            outcome = "draw" if winner is None else "win" if winner == viewer else "loss"
            if compared % 97 == 0:
                assert source.value(position, viewer) == (outcome, distance)
            compared += 1
        assert compared > 100_000


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
    assert_one_sentence(ask("build", *GAME, "--tiers", "3-4", "--data", tmp_path), "there is no tier '3-4'")
    assert_one_sentence(ask("build", *GAME, "--carrots", "3", "--data", tmp_path), "--tiers")


def test_a_group_is_finished_by_the_next_build(data: Path, built: Path, ask: Ask) -> None:
    """If one of its tables is missing, it is solved again, and has the same bytes."""
    for name in ("3-3", "left1-2-3"):
        table(data, name).unlink()
    assert ask("build", *GAME, "--data", data).code == 0
    assert contents(data / NAME) == contents(built / NAME)
    assert drafts(data) == []


def test_memory_is_refused_before_work(tmp_path: Path, ask: Ask) -> None:
    """The sentence names the group."""
    said = ask("build", "mens_morris", "--data", tmp_path, "--memory", "200M")
    assert_one_sentence(said, "solving 5-6, 6-5 of mens_morris needs", "--tiers", "--memory", code=3)
    assert not list(tmp_path.iterdir())


def test_estimates_need_no_work(ask: Ask) -> None:
    """Ranks are those of the tables; a tier and what it needs can be chosen."""
    rows = ask("estimate", *GAME, "--format", "json").json
    tiers = tiers_of(load_rules(NAME))
    assert {row["tier"]: row["ranks"] for row in rows} == {name: tiers.sizes[tier] for tier, name in tiers.names.items()}
    fewer = ask("estimate", *GAME, "--tiers", "2-3", "--format", "json").json
    assert [row["tier"] for row in fewer] == ["2-3"]


def test_listing_takes_a_limited_time(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate lists positions without ranks for a minute."""
    lines = ask("estimate", "connect4", "--size", "4x3", "--format", "json").json
    assert [line["tier"] for line in lines] == [f"{discs:02}" for discs in reversed(range(13))]
    monkeypatch.setattr(tier_kind, "PATIENCE", -1.0)
    said = ask("estimate", "connect4", "--size", "4x3")
    assert_refused(said, 3, "connect4-4x3 has more than", "build it with --for 1h, or choose a smaller variant")


def test_damage_is_found(data: Path, ask: Ask) -> None:
    """A damaged byte is found by the check, which says which tables need this one, and by a build, which makes it again."""
    path = table(data, "3-3")
    flip(path, path.stat().st_size // 2)
    said = ask("verify", *GAME, "--data", data)
    assert said.code == 1
    assert [error.partition("cannot be checked")[0] != error for error in said.errors] == [False, True]
    assert f"left1-2-3.h5 cannot be checked before {path} has been built again" in said.err
    assert ask("build", *GAME, "--data", data).code == 0
    assert ask("verify", *GAME, "--data", data).code == 0


def test_a_wrong_solver_is_noticed(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft that the check contradicts is not published."""
    write = tier_maker.write_tier

    def wrong(path: Path, game: Any, tier: int, after: Any, codes: Any, *more: Any) -> Path:
        codes[codes == 4] = 6
        return write(path, game, tier, after, codes, *more)

    monkeypatch.setattr(tier_maker, "write_tier", wrong)
    said = ask("build", *GAME, "--data", tmp_path)
    assert_refused(said, 1, "what has been solved of mens_morris-men=3 is wrong", "check-rules")
    assert drafts(tmp_path) == []


def test_copies_packs_and_catalogs(data: Path, tmp_path: Path, ask: Ask) -> None:
    """Tables are copied, packed and listed like others, and packed ones answer."""
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


def test_players_ask_the_tables(built: Path, ask: Ask) -> None:
    said = ask("match", *GAME, "--player", "tables", "--player", "random", "--games", "2", "--data", built)
    assert said.code == 0
