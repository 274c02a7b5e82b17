"""Games with chance on the command line."""

from contextlib import closing
from pathlib import Path

import pytest
from support.program import Ask

from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.forced_chances import ForcedChances, bounds_of
from tablebase.game.installed import load_rules
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import Bounds
from tablebase.probe import from_bounds
from tablebase.probe.prober import Prober

PIGLET = ["--variant", "die=2", "--variant", "target=2"]
RACE = "harehedgehog-cards=none"


def test_estimates_are_at_least_what_is_built(piglet_tables: Path, ask: Ask) -> None:
    game = "pig-die=2-target=3"
    assert "\nupper bounds: states, disk\n" in ask("estimate", game).out
    [line] = ask("estimate", game, "--format", "json").json
    [row] = [row for row in ask("stats", game, "--data", piglet_tables, "--format", "json").json if row["layer"] == line["layer"]]
    assert line["states"] >= row["states"] > 0


def test_perft_counts_turns(ask: Ask) -> None:
    found = ask("perft", "pig", *PIGLET, "--depth", 3, "--format", "json").json
    assert [list(row) for row in found] == [["depth", "leaves", "seconds"]] * 3
    # By hand, in tests/functions/chance/test_paths.py.
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
    texts = ["0,0 2 0 roll", "2,0 2 0", "0,2 1 0"]
    rolling, won, lost = ask("probe", "pig", *texts, *PIGLET, "--data", piglet_tables, "--format", "json").json
    assert (rolling["side"], rolling["best"], rolling["moves"]) == ("chance", None, [])
    assert [one["card"] for one in rolling["outcomes"]] == ["tails", "heads"]
    assert rolling["lower"] <= 3 / 7 <= rolling["upper"]
    assert [(one["side"], one["outcome"], one["lower"]) for one in (won, lost)] == [("", "win", 1), ("", "loss", 0)]
    shown = ask("probe", "pig", "0,2 1 0", *PIGLET, "--data", piglet_tables).out
    assert "the game is over; places of the players: 2, 1" in shown


def test_probe_within_turns(ask: Ask, piglet_tables: Path) -> None:
    """As in tests/functions/chance/test_chances.py: a quarter, and 13/16."""
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
    rows = ask("line", "pig", "0,1 1 2", *PIGLET, "--data", piglet_tables, "--format", "json").json
    fields = ["ply", "side", "outcome", "distance", "lower", "upper", "best", "best_is_certain", "position"]
    assert [list(row) for row in rows] == [fields] * 2
    assert [(row["side"], row["best"], row["position"]) for row in rows] == [("1", "0", "0,1 1 2"), ("", "", "2,1 2 0")]
    assert [(row["ply"], row["outcome"], row["lower"]) for row in rows] == [(0, "win", 1), (1, "win", 1)]
    short = ask("line", "pig", *PIGLET, "--plies", 3, "--data", piglet_tables, "--format", "json").json
    assert [row["best"] for row in short] == ["1", "heads", "1", "heads"]
    assert [row["side"] for row in short] == ["1", "chance", "1", "chance"]


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
    said = "at least 0 and at most 1, best move 0\nstalling: neither player can force the remaining probability of at least 1\n"
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
