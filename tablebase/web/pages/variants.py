"""Variants of a game that differ in the number of players."""

from __future__ import annotations

from typing import Any

from tablebase.errors import RulesError
from tablebase.game.installed import load_rules
from tablebase.game.rules import Rules

MOST = 6
OPTION = "players"


def by_players(rules: Rules[Any]) -> list[tuple[int, str]]:
    """The numbers of players that the game can have, each with the name of its variant; empty if there is but one."""
    base, *words = rules.name.split("-")
    kept = [word for word in words if not word.startswith(f"{OPTION}=")]
    found = []
    for number in range(2, MOST + 1):
        try:
            found.append((number, load_rules("-".join([base, *kept, f"{OPTION}={number}"])).name))
        except RulesError:
            continue
    return found if len(found) > 1 else []
