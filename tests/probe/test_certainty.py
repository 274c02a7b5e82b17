"""Best moves of bounds: one is named only if no other move can be better, in text, in JSON and in lines."""

import pytest
from support.program import Ask

from tablebase.game.installed import load_rules
from tablebase.game.values import Bounds
from tablebase.probe.answers import Probe, RatedMove
from tablebase.probe.lines import Line

PIG = load_rules("pig-die=2-target=2")
START = PIG.initial


def probe(*bounds: tuple[float, float] | None) -> Probe:
    """A position whose moves have these bounds; they are named by their number."""
    moves = [RatedMove(PIG, START, str(number), START, one and Bounds(*one)) for number, one in enumerate(bounds)]
    return Probe(PIG, START, Bounds(0, 1), tuple(moves))


@pytest.mark.parametrize(
    ("bounds", "certain", "said"),
    [
        ([(0, 1)], True, ", best move 0"),
        ([(0.5, 0.75), (0.25, 0.5)], True, ", best move 0"),
        ([(0.5, 0.5), (0.5, 0.5)], True, ", best move 0"),
        # Tables are exact to a billionth.
        ([(0.5, 0.5), (0.2, 0.5 + 1e-12)], True, ", best move 0"),
        ([(0.5, 0.75), (0.25, 0.51)], False, "; 2 of 2 moves may be best"),
        ([(0.5, 0.75), (0.25, 0.51), (0, 0.4), (0, 0)], False, "; 2 of 4 moves may be best"),
        ([(0, 1)] * 36, False, "; 36 of 36 moves may be best"),
        ([(0.5, 0.75), None], False, "; 2 of 2 moves may be best"),
    ],
)
def test_a_move_is_best_if_no_other_can_be_better(bounds: list[tuple[float, float] | None], certain: bool, said: str) -> None:
    """JSON keeps the first move, and tells whether it is certain; sentences name it only then."""
    found = probe(*bounds)
    assert found.verdict == f"player 1 to move: wins with a chance of at least 0 and at most 1{said}"
    fields = found.to_dict()
    assert (fields["best"], fields["best_is_certain"]) == ("0", certain)
    assert ("best 0" in repr(found)) is certain
    line = Line([found], 0)
    assert line.is_certain is certain
    assert line.to_dict()[0]["best_is_certain"] is certain


def test_without_a_move_nothing_is_certain() -> None:
    assert probe().to_dict()["best_is_certain"] is None
    assert Line([probe()], 0).is_certain


def test_the_program_claims_no_best_move_that_bounds_do_not_show(ask: Ask, race_tables: object) -> None:
    """A step ahead or back: nobody knows of the first, and the second loses; then of moves of which nothing is known."""
    game, data = "harehedgehog-cards=none", ["--data", race_tables]
    start = load_rules(game).format(load_rules(game).initial)
    [found] = ask("probe", game, start, *data, "--format", "json").json
    assert (found["lower"], found["upper"], found["best_is_certain"]) == (0, 1, False)
    number = len(found["moves"])
    assert found["best"] == found["moves"][0]["move"]
    assert f"at least 0 and at most 1; {number} of {number} moves may be best\n" in ask("probe", game, start, *data).out
    assert ask("probe", game, start, *data, "--format", "csv").csv[0]["best_is_certain"] == "false"
    rows = ask("line", game, start, "--plies", 1, *data, "--format", "json").json
    assert [row["best_is_certain"] for row in rows] == [False, False]
    shown = ask("line", game, start, "--plies", 1, *data)
    assert shown.out.count(" (perhaps)") == 2
    boards = ask("line", game, start, "--plies", 1, "--boards", *data).out
    assert f"at least 0 and at most 1, {rows[0]['best']} (perhaps)\n" in boards
