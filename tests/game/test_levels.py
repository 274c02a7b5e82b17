"""How far a square lies on the way of a piece that never comes back, and which kinds may be divided by that."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from support import toys
from twins import naive

from tablebase.errors import RulesError
from tablebase.game import Board, Game, Kind, Step, load_game

FOX = load_game("foxhounds")
GAMES = [
    toys.tiered(toys.hunt(), "H"),
    toys.tiered(toys.twins(), "Pp"),
    toys.ladder(),
    toys.herd("open"),
    toys.marathon(30, 1),
    FOX,
]
STANDER = Kind("a", "stander", 1, tuple(range(5)), ())


def line(steps: str) -> Kind:
    """A kind on a line of five squares, its steps written as ``01 12``; one that wins has a ``!`` behind it."""
    ways = tuple(Step(int(word[0]), int(word[1]), wins=word.endswith("!")) for word in steps.split())
    return Kind("A", "runner", 0, tuple(range(5)), ways)


def runners(steps: str = "01 12 23 34", **changes: Any) -> Game:
    """A game on a line of five squares with such a tiered runner against one that stands, but for the changes."""
    kinds = (replace(line(steps), tiered=True), STANDER)
    fields = {"name": "runners", "board": Board.full(5, 1), "kinds": kinds, "start": "A3a w", "max_pieces": 2}
    return toys.small(**fields | changes)


@pytest.mark.parametrize(
    ("steps", "levels"),
    [
        ("01 12 23 34", [0, 1, 2, 3, 4]),
        ("43 32 21 10", [4, 3, 2, 1, 0]),
        ("02 01 12 24", [0, 1, 2, 0, 3]),
        ("04 03 34 23", [0, 0, 0, 1, 2]),
        ("", [0, 0, 0, 0, 0]),
        ("01 12 20! 34!", [0, 1, 2, 0, 0]),
    ],
)
def test_levels_by_hand(steps: str, levels: list[int]) -> None:
    """The longest way to a square counts, not the shortest, and a step that wins leads nowhere."""
    assert line(steps).levels == dict(enumerate(levels))


@pytest.mark.parametrize("steps", ["01 10", "01 12 20", "01 12 23 34 42", "00"])
def test_who_can_come_back_has_no_levels(steps: str) -> None:
    """A cycle of any length anywhere leaves no levels, and no tiers."""
    assert line(steps).levels is None
    with pytest.raises(RulesError, match="runner cannot be tiered"):
        runners(steps)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_levels_are_the_naive_ones(game: Game) -> None:
    found = {number: kind.levels for number, kind in enumerate(game.kinds) if kind.tiered}
    assert found
    for number, levels in found.items():
        assert levels == {square: naive.level(game, number, square) for square in game.kinds[number].squares}


def test_a_game_with_colour_swap_has_no_tiers() -> None:
    runner = replace(line("01 12 23 34"), tiered=True)
    twin = Kind("a", "runner", 1, tuple(range(5)), tuple(Step(s, s - 1) for s in range(1, 5)), tiered=True)
    assert runners(kinds=(runner, twin)).swap is None
    with pytest.raises(RulesError, match="a game with colour swap cannot have tiered kinds"):
        runners(kinds=(runner, twin), swap=(4, 3, 2, 1, 0))


def test_tiers_change_the_digest() -> None:
    """Tables are divided otherwise, so games that differ only in which kinds are tiered have different digests."""
    runner, stander = runners().kinds
    kinds = [(replace(runner, tiered=a), replace(stander, tiered=b)) for a in (False, True) for b in (False, True)]
    assert len({runners(kinds=pair).digest for pair in kinds}) == 4


def test_the_digest_of_a_game_without_tiers_says_nothing_of_them() -> None:
    """It is the SHA-256 of the rules as they were written before there were tiers and escapes, so that old tables stay good."""
    runner, stander = runners("01 12!").kinds
    rules = {
        "cells": [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]],
        "kinds": [
            ["A", 0, 1, [0, 1, 2, 3, 4], [[0, 1, [], True, "", False], [1, 2, [], True, "", True]]],
            ["a", 1, 1, [0, 1, 2, 3, 4], []],
        ],
        "mirror": None,
        "name": "runners",
        "no_move": "draw",
        "sides": ["w", "b"],
        "swap": None,
    }
    text = json.dumps(rules, sort_keys=True, separators=(",", ":"))
    assert runners(kinds=(replace(runner, tiered=False), stander)).digest == hashlib.sha256(text.encode()).hexdigest()
