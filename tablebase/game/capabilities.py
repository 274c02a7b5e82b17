"""Capabilities: what the games of a kind support, as data that verbs, players and options name; and what else a kind delivers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tablebase.errors import RulesError

CAPABILITIES: Mapping[str, str] = {
    "chance": "outcomes of chance between moves, whose tables have bounds of the chance to win",
    "counting": "the number of all positions and games",
    "exact values": "an outcome and a distance for every position",
    "game graphs": "all positions of a game as a graph, for players that know what follows",
    "learning": "values of positions that a program learns by playing against itself",
    "lookahead": "a search of games with chance or several players, if the rules are compiled",
    "materials": "tables by material: the pieces on the board",
    "paired matches": "two games from each opening, with colours swapped, which tables may end",
    "patterns": "rules of thumb, found in the tables",
    "search": "alpha-beta and proof-number search, UCI",
    "squares": "moves between squares, which pictures mark",
}
"""The capabilities by name, each with its meaning."""
OWNED = {"chance": "chance moves", "exact values": "exact values", "materials": "tables by material", "squares": "squares"}
"""Capabilities that a game has, rather than supports, with their names in sentences."""


def missing(rules: Any, needed: str) -> str | None:
    """The predicate that refuses a game without a capability; None if the game has it, or none is needed."""
    if not needed or needed in rules.can:
        return None
    return f"has no {OWNED[needed]}" if needed in OWNED else f"does not support {needed}"


def refuse(rules: Any, needed: str, **given: object) -> None:
    """Raise `RulesError` for an argument that means nothing to a game without a capability."""
    lacks = missing(rules, needed)
    for name, value in given.items() if lacks else ():
        if value not in (None, False):
            raise RulesError(f"cannot use {name} with {rules.name}, which {lacks}: leave out {name}")


def part(rules: Any, name: str) -> Any:
    """Load the part that the kind of a game delivers for another room of the package."""
    module, _, attribute = rules.parts[name].partition(":")
    return getattr(import_module(module), attribute)
