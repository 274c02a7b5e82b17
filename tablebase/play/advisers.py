"""Advice of a player that looks ahead on a position: its best move and its remark, where no table has the value."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from tablebase.game.rules import Rules
from tablebase.play.match import Match
from tablebase.play.player import Player
from tablebase.play.players import find_player

ADVISERS = ("engine:nodes=30000", "computer")
"""Default advisers, in this order: each takes a fraction of a second."""


class Advice(NamedTuple):
    """Advice of a player on a position."""

    best: str
    remark: str


def adviser_of(rules: Rules[Any]) -> str | None:
    """The first of `ADVISERS` that can play a game; None if none can."""
    return next((name for name in ADVISERS if find_player(name).unsupported(rules) is None), None)


def advice(player: Player, match: Match[Any]) -> Advice:
    """Return the advice on the current position of a match that is not over; always the same."""
    best = player.choose(match, Random(0))
    assert best is not None, "no adviser resigns"
    return Advice(best, player.remark)
