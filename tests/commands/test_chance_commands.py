"""Games with chance and games by compiled functions on the command line: built, damaged, checked, copied and asked."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.program import Ask, assert_one_sentence, assert_refused, contents, drafts, flip
from twins import exact as twin

import tablebase
from tablebase.building import tier_kind
from tablebase.game.installed import load_rules
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import Bounds
from tablebase.probe import from_bounds
from tablebase.probe.prober import Prober
from tablebase.states.tiers import tiers_of
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.forced_chances import ForcedChances, bounds_of

PIGLET = ["--variant", "die=2", "--variant", "target=2"]
RACE = "harehedgehog-cards=none"


def test_estimates_are_at_least_what_is_built(piglet_tables: Path, ask: Ask) -> None:
    """Numbers without a state are counted, and the line below says so."""
    game = "pig-die=2-target=3"
    assert "\nupper bounds: states, disk\n" in ask("estimate", game).out
    [line] = ask("estimate", game, "--format", "json").json
    [row] = [row for row in ask("stats", game, "--data", piglet_tables, "--format", "json").json if row["layer"] == line["layer"]]
    assert line["states"] >= row["states"] > 0


def test_perft_counts_turns(ask: Ask) -> None:
    found = ask("perft", "pig", *PIGLET, "--depth", 3, "--format", "json").json
    assert [list(row) for row in found] == [["depth", "leaves", "seconds"]] * 3
    # By hand, in tests/stochastic/test_paths.py.
    assert [row["leaves"] for row in found] == [5, 20, 72]
    divided = ask("perft", "pig", *PIGLET, "--depth", 1, "--divide", "--format", "json").json
    assert divided == [{"move": "0", "leaves": 1}, {"move": "1", "leaves": 4}]


@pytest.mark.parametrize(("text", "best", "lower"), [("0,0 1 0", "1", 4 / 7), ("1,0 2 1", "1", None), ("0,1 1 2", "0", 1)])
def test_probe_as_json(text: str, best: str, lower: float | None, ask: Ask, piglet_tables: Path) -> None:
    """The fields of the other games, and bounds; Piglet to two has the chance 4/7."""
    [found] = ask("probe", "pig", text, *PIGLET, "--data", piglet_tables, "--format", "json").json
    fields = "game position side outcome distance lower upper stalling best best_is_certain moves"
    assert list(found) == fields.split()
    assert found["stalling"] is None
    assert (found["game"], found["position"], found["side"]) == ("pig-die=2-target=2", text, text.split()[1])
    assert found["best"] == best == found["moves"][0]["move"]
    if lower is not None:
        assert found["lower"] <= lower <= found["upper"]
        assert found["upper"] - found["lower"] < 1e-9
        assert (found["outcome"], found["distance"]) == ("win" if lower == 1 else None, None)
    # Computed once more from those after it, a bound may be tighter than it is stored.
    assert [found["moves"][0][bound] for bound in ("lower", "upper")] == pytest.approx([found["lower"], found["upper"]], abs=1e-9)
    for move in found["moves"]:
        assert list(move)[:6] == ["move", "position", "outcome", "distance", "lower", "upper"]
        assert ("outcomes" in move) == (move["move"] == "1")
        if "outcomes" in move:
            assert [list(one) for one in move["outcomes"]] == [["probability", "card", "position", "lower", "upper"]] * 2
            assert [(one["probability"], one["card"]) for one in move["outcomes"]] == [("1/2", "tails"), ("1/2", "heads")]
            # What is rolled is seen by the player who rolls; the mean is the move's worth.
            assert sum(one["lower"] for one in move["outcomes"]) / 2 == pytest.approx(move["lower"], abs=1e-15)


def test_probe_by_hand(ask: Ask, piglet_tables: Path) -> None:
    """With a point in hand the next head wins, and so does the other's, who has one: 1/2 + 1/2 * (1 - p), p after tails."""
    middle, other = ask("probe", "pig", "0,1 1 1", "0,1 2 0", *PIGLET, "--data", piglet_tables, "--format", "csv").csv
    assert list(middle) == ["game", "position", "side", "outcome", "distance", "lower", "upper", "best", "best_is_certain"]
    assert middle["best"] == "1"
    assert float(middle["lower"]) == pytest.approx(1 / 2 + 1 / 2 * (1 - float(other["lower"])), abs=1e-9)


def test_probe_where_chance_moves_and_where_the_game_is_over(ask: Ask, piglet_tables: Path) -> None:
    """The bounds are then those of the first player."""
    texts = ["0,0 2 0 roll", "2,0 2 0", "0,2 1 0"]
    rolling, won, lost = ask("probe", "pig", *texts, *PIGLET, "--data", piglet_tables, "--format", "json").json
    assert (rolling["side"], rolling["best"], rolling["moves"]) == ("chance", None, [])
    assert [one["card"] for one in rolling["outcomes"]] == ["tails", "heads"]
    assert rolling["lower"] <= 3 / 7 <= rolling["upper"]
    assert [(one["side"], one["outcome"], one["lower"]) for one in (won, lost)] == [("", "win", 1), ("", "loss", 0)]
    shown = ask("probe", "pig", "0,2 1 0", *PIGLET, "--data", piglet_tables).out
    assert "the game is over; places of the players: 2, 1" in shown


def test_probe_within_turns(ask: Ask, piglet_tables: Path) -> None:
    """As in tests/stochastic/test_chances.py: a quarter, and 13/16."""
    [found] = ask("probe", "pig", "0,0 1 0", *PIGLET, "--turns", 2, "--data", piglet_tables, "--format", "json").json
    assert found["within"] == {"turns": 2, "outcome": None, "distance": None, "lower": 0.25, "upper": 0.8125}
    shown = ask("probe", "pig", "0,0 1 0", *PIGLET, "--turns", 2, "--data", piglet_tables).out
    assert "within 2 turns of both players together: at least 0.250000, at most 0.812500" in shown
    assert "player 1 to move: wins with a chance of 0.571429, best move 1" in shown


def test_probe_finds_what_forced_turns_lead_to(ask: Ask, race_tables: Path) -> None:
    """Nobody can ever move, whether the state is in the table or has too many lettuces for it; too many carrots are unknown."""
    for text in ("4:0:0,3:2:0 1", "4:0:3,3:2:3 1", "4:50:3,3:2:3 1"):
        [found] = ask("probe", RACE, text, "--data", race_tables, "--format", "json").json
        assert (found["lower"], found["upper"], found["outcome"]) == (0, 1, None)
    [home] = ask("probe", RACE, "63:1:0,4:0:0 1", "--data", race_tables, "--format", "json").json
    assert (home["outcome"], home["best"], home["moves"][0]["position"]) == ("win", "1", "64:0:0#1,4:0:0 2")


def test_of_moves_that_force_nothing_the_one_that_may_win_comes_first(ask: Ask, race_tables: Path) -> None:
    """Back on square 56, the other is left with his way home; after a step ahead he has a choice that no table knows."""
    [found] = ask("probe", RACE, "57:1:0,63:2:0 1", "--data", race_tables, "--format", "json").json
    assert [(one["move"], one["lower"], one["upper"]) for one in found["moves"]] == [("1", 0, 1), ("-1", 0, 0)]


def test_line(ask: Ask, piglet_tables: Path) -> None:
    """From two points in hand to the end; or as far as is asked for."""
    rows = ask("line", "pig", "0,1 1 2", *PIGLET, "--data", piglet_tables, "--format", "json").json
    fields = ["ply", "side", "outcome", "distance", "lower", "upper", "best", "best_is_certain", "position"]
    assert [list(row) for row in rows] == [fields] * 2
    assert [(row["side"], row["best"], row["position"]) for row in rows] == [("1", "0", "0,1 1 2"), ("", "", "2,1 2 0")]
    assert [(row["ply"], row["outcome"], row["lower"]) for row in rows] == [(0, "win", 1), (1, "win", 1)]
    short = ask("line", "pig", *PIGLET, "--plies", 3, "--data", piglet_tables, "--format", "json").json
    assert [row["best"] for row in short] == ["1", "tails", "1", "tails"]
    assert [row["side"] for row in short] == ["1", "chance", "2", "chance"]


def test_stalling(ask: Ask, tmp_path: Path) -> None:
    """Only a generous table shows what nobody can force, and bounds come from other tables; nobody can ever move in one state."""
    state, limits = "4:0:0,3:2:0 1", ["--carrots", 2, "--data", tmp_path]
    strict = ["--data", tmp_path / "strict"]
    assert ask("build", "harehedgehog", "--carrots", 2, "--cap", "strict", *strict).code == 0
    assert ask("probe", "harehedgehog", state, *strict, "--format", "json").json[0]["stalling"] is None
    assert ask("build", "harehedgehog", *limits, "--cap", "generous").code == 0
    [found] = ask("probe", "harehedgehog", state, "--data", tmp_path, "--format", "json").json
    assert (found["lower"], found["upper"], found["stalling"]) == (0, 1, 1)
    [home] = ask("probe", "harehedgehog", "63:1:0,8:0:0 1", "--data", tmp_path, "--format", "json").json
    assert (home["lower"], home["upper"], home["stalling"]) == (1, 1, 0)
    said = "at least 0 and at most 1, best move 0\nstalling: at least 1 of the chance can be forced by neither player\n"
    assert said in ask("probe", "harehedgehog", state, "--data", tmp_path).out
    assert "stalling" not in ask("probe", "harehedgehog", "63:1:0,8:0:0 1", "--data", tmp_path).out
    [row] = ask("stats", "harehedgehog", "--data", tmp_path, "--format", "json").json
    assert row["region"] == "carrots=2-cap=generous"
    assert 0 < row["stalling"] < row["states"]
    assert row["wins"] == row["losses"] == row["exact"] == row["open"] == 0
    assert ask("verify", "harehedgehog", "--data", tmp_path).code == 0


def test_no_move_is_worth_more_than_the_position(piglet_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of a position holds for its moves, too, even if less is known of what follows them."""

    class Lost(ForcedChances):
        """Knows that a position is lost, and nothing of what follows it."""

        def chances(self, state: State, passed: frozenset[State] = frozenset()) -> tuple[int, int]:
            return (0, UNIT) if state == self.game.start and not passed else (0, 0)

        def _stored(self, _state: State) -> None:
            return None

    game = load_rules("pig-die=2-target=2")
    assert isinstance(game, StochasticGame)
    monkeypatch.setattr(from_bounds, "ForcedChances", Lost)
    with closing(Lost(piglet_tables, game)) as known, closing(Prober(piglet_tables)) as prober:
        assert bounds_of(known.chances(game.moves(game.start)[0]), 0) == Bounds(0, 1)
        assert [move.value for move in prober.of(game).probe(game.start).moves] == [Bounds(0, 0)] * 2


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
    write = tier_kind.write_tier

    def wrong(path: Path, game: Any, tier: int, after: Any, codes: Any, *more: Any) -> Path:
        codes[codes == 4] = 6
        return write(path, game, tier, after, codes, *more)

    monkeypatch.setattr(tier_kind, "write_tier", wrong)
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
