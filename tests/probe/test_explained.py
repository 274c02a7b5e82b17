"""Lines that explain: counts and other moves compared with the values of the positions after each move, and what stays open."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.games import random_games
from support.program import Ask

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Outcome, load_game
from tablebase.game.rules import Rules
from tablebase.game.values import AnyValue, Bounds, Value
from tablebase.probe.answers import Probe, RatedDraw, RatedMove
from tablebase.probe.lines import Line

PAWNS = load_game("hexapawn")
MOVES = ("a1a2", "b1b2", "c1c2")
WIN, DRAW, LOSS = Value(Outcome.WIN, 3), Value(Outcome.DRAW, None), Value(Outcome.LOSS, 4)


def after_each(tables: Tablebase, rules: Rules[Any], text: str) -> dict[str, tuple[str, int | None]]:
    """The mover's outcome and distance for each move, by the values of the positions after it."""
    found = {}
    for move, child in rules.moves(rules.parse(text)).items():
        value = tables.probe_value(rules, child)
        found[str(move)] = str(value.outcome.reversed), None if value.distance is None else value.distance + 1
    return found


@pytest.mark.parametrize(("name", "fixture"), [("foxhounds-4x4", "foxes"), ("hexapawn", "hexapawns")])
def test_each_ply_agrees_with_the_positions_after_its_moves(name: str, fixture: str, request: pytest.FixtureRequest) -> None:
    """Wins, losses, and moves that are alone in keeping a win."""
    rules, only, slow = load_game(name), 0, 0
    with tablebase.open(request.getfixturevalue(fixture)) as tables:
        for position in random_games(rules, 1, 8):
            for row in tables.line(rules, position).explained:
                if row["distance"] == 0:
                    assert (row["legal_moves"], row["is_only"], row["others"]) == (0, False, [])
                    continue
                worth = after_each(tables, rules, row["position"])
                value = (row["outcome"], row["distance"])
                kept = [move for move, one in worth.items() if one[0] == row["outcome"]]
                assert (row["legal_moves"], row["keeping_moves"]) == (len(worth), len(kept))
                assert row["best_moves"] == [*worth.values()].count(value)
                assert row["is_only"] is (len(kept) == 1 < len(worth) and row["outcome"] != "loss")
                others = {one["move"]: (one["outcome"], one["distance"]) for one in row["others"]}
                assert {row["best"]: value, **others} == worth
                only += row["is_only"]
                slow += row["outcome"] == "loss" and row["best_moves"] > 1
    assert only
    assert slow or name == "hexapawn"


@pytest.mark.parametrize(
    ("value", "moves", "keeping", "as_good", "only"),
    [
        (WIN, [WIN, LOSS, DRAW], 1, 1, True),
        (WIN, [WIN, Value(Outcome.WIN, 5), WIN], 3, 2, False),
        (DRAW, [DRAW, LOSS], 1, 1, True),
        (LOSS, [LOSS, Value(Outcome.LOSS, 2)], 2, 1, False),
        (WIN, [WIN], 1, 1, False),
        (DRAW, [], 0, 0, False),
        # A move of unknown value may win as well; two that do are enough to know that neither is alone.
        (WIN, [WIN, LOSS, None], None, None, None),
        (WIN, [WIN, WIN, None], None, None, False),
        # A chance is neither kept nor held, even if only one move has it.
        (Bounds(0.5, 0.5), [Bounds(0.5, 0.5 + 1e-12), Bounds(0.5, 0.5), Bounds(0.1, 0.2)], None, 2, False),
        (Bounds(0.5, 0.7), [Bounds(0.5, 0.7), Bounds(0.1, 0.4)], None, 1, False),
        (Bounds(0.5, 0.7), [Bounds(0.5, 0.7), Bounds(0.1, 0.6)], None, None, False),
        # Certain wins, and what may be one.
        (Bounds(1, 1), [Bounds(1, 1), Bounds(0.2, 0.9)], 1, 1, True),
        (Bounds(1, 1), [Bounds(1, 1), Bounds(0.2, 1)], None, None, None),
        (Bounds(1, 1), [Bounds(1, 1), Bounds(1, 1), Bounds(0, 1)], None, None, False),
        (Bounds(0.2, 1), [Bounds(0.2, 1), Bounds(0, 0.1)], None, 1, None),
        (Bounds(0, 0), [Bounds(0, 0), Bounds(0, 0)], 2, 2, False),
    ],
)
def test_what_values_and_bounds_leave_open(
    value: AnyValue, moves: list[AnyValue | None], keeping: int | None, as_good: int | None, only: bool | None
) -> None:
    """None is neither a number nor a mark."""
    rated = [RatedMove(PAWNS, PAWNS.initial, move, PAWNS.initial, one) for move, one in zip(MOVES, moves, strict=False)]
    probe = Probe(PAWNS, PAWNS.initial, value, tuple(rated))
    assert (probe.keeping, probe.as_good, probe.is_only) == (keeping, as_good, only)
    explained = Line([probe], 0).explained
    assert ("a1a2!" in str(explained)) is (only is True)
    assert [one["move"] for one in explained[0]["others"]] == [move.move for move in rated[1:]]


def test_the_command_writes_what_python_returns(ask: Ask, hexapawns: Path) -> None:
    """JSON has the rows, CSV the others as a text, and a table is a sentence for each ply; boards stand above theirs."""
    with tablebase.open(hexapawns) as tables:
        explained = tables.line("hexapawn").explained
    given = ["line", "hexapawn", "--data", hexapawns, "--explain"]
    assert ask(*given, "--format", "json").json == explained
    assert [row["others"] for row in ask(*given, "--format", "csv").csv][3:] == ["c3b2: loss in 2", "", "b3a2: loss in 2", ""]
    sentences = ask(*given).out.splitlines()
    assert sentences == explained.sentences
    assert sentences[1] == (
        "1. Black: a3b2, win in 5 (2 of 4 moves win, 2 of them in 5). Others: c3b2: win in 5; a3a2, c3c2: loss in 2"
    )
    assert sentences[3] == "3. Black: c3c2!, win in 3 (the only one of 2 moves that wins). Others: c3b2: loss in 2"
    assert sentences[4:] == [
        "4. White: a1a2, loss in 2 (the only legal move)",
        "5. Black: c2c1!, win in 1 (the only one of 2 moves that wins). Others: b3a2: loss in 2",
        "6. the game is over: Black won",
    ]
    boards = ask(*given, "--boards").out
    assert [line.strip() for line in boards.splitlines() if line.strip() in sentences] == sentences
    assert "cannot use --explain with --replay: leave out --explain or --replay" in ask(*given, "--replay", "games").err
    assert len(repr(explained)) <= 400


def test_games_with_chance_are_explained(piglet_tables: Path) -> None:
    """Each outcome of the die has what it is worth to the player who has rolled; numbers of moves have their meaning."""
    with tablebase.open(piglet_tables) as tables:
        line = tables.line("pig-die=2-target=3", plies=1)
    explained = line.explained
    [other] = explained[1]["others"]
    assert {other["card"], explained[1]["best"]} == {"heads", "tails"}
    assert explained[1]["legal_moves"] == 0
    assert explained.sentences[0].startswith("0. player 1: 1 (roll), a chance of ")
    assert ". Others: 0 (hold): a chance of " in explained.sentences[0]
    assert explained.sentences[1].startswith("1. chance, for player 1: ")
    assert f". Others: {other['card']} (probability 1/2): a chance of " in explained.sentences[1]


@pytest.mark.parametrize(
    ("draws", "taken"),
    [
        # The likeliest one; of equally likely ones that nearest to the average, here 0.5; of equal ones the middle one.
        ([("1/4", 0.5), ("1/2", 0.4), ("1/4", 0.7)], 1),
        ([("1/4", 0.0), ("1/4", 1.0), ("1/4", 0.55), ("1/4", 0.45)], 3),
        ([("1/3", 0.1), ("1/3", 0.6), ("1/3", 0.8)], 1),
        ([("1/5", 0.3)] * 5, 2),
        ([("1/2", 0.2), ("1/2", 0.8)], 1),
    ],
)
def test_a_line_continues_with_an_average_draw(draws: list[tuple[str, float]], taken: int) -> None:
    """It does not repeat the first of equally likely draws."""
    given = [
        RatedDraw(PAWNS, Fraction(chance), str(number), number, Bounds(value, value))
        for number, (chance, value) in enumerate(draws)
    ]
    assert Probe(PAWNS, PAWNS.initial, Bounds(0, 1), (), tuple(given)).step == (str(taken), taken)
