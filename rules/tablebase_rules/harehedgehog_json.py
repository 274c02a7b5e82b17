"""States of Hare & Hedgehog as JSON, in the terms of the article's server: the hares, and the one to move.

A hare of the article has a square, carrots, lettuces, and a mark that it misses its next turn. Read alone, the mark means eating
on a lettuce square and missing a turn elsewhere. What it leaves open is told by further fields, which may be left out: `waits`
(``miss``, ``eat`` or ``pay``), `rank` of a hare that has finished, and `words`, those that the text of a state ends with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from tablebase.errors import NotationError, quoted
from tablebase.game.stochastic import State
from tablebase_rules._harehedgehog import BOARD, HOME, MOVER, READY, Race
from tablebase_rules._harehedgehog_text import WAITING, write

WAITS = ["", "miss", "eat", "pay"]
NUMBERS = ("square", "carrots", "lettuces")
MOST = 10**9 - 1
"""Longer numbers are not read."""


def describe(game: Race, state: State) -> dict[str, Any]:
    """A state as JSON: square, carrots and lettuces of each hare, and whether it waits; and the one to move, from 1."""
    hares = []
    for square, carrots, lettuces, wait, rank in game.hares(state):
        hare: dict[str, Any] = {"square": square, "carrots": carrots, "lettuces": lettuces, "misses_turn": wait != READY}
        hares.append(hare | ({"waits": WAITS[wait]} if wait else {}) | ({"rank": rank} if rank else {}))
    words = write(game, state).split()[2:]
    return {"hares": hares, "to_move": state[game.shared + MOVER] + 1} | ({"words": words} if words else {})


def text_of(game: Race, description: Mapping[str, Any]) -> str:
    """The text of a state that is described like this; whether there is such a state is not examined.

    Raises
    ------
    NotationError
        If a field is missing, unknown or not of its type.
    """
    _check_fields(description, "the position", {"hares", "to_move"}, {"words"})
    hares, words = description["hares"], description.get("words", [])
    if not isinstance(hares, list) or not all(isinstance(hare, dict) for hare in hares):
        _refuse(f"'hares' must be a list of {game.players} objects")
    if not isinstance(words, list) or not all(isinstance(word, str) and word.split() == [word] for word in words):
        _refuse("'words' must be a list of words")
    texts = [_text_of_hare(hare, number) for number, hare in enumerate(hares, start=1)]
    return " ".join([",".join(texts), _number(description["to_move"], "'to_move'"), *words])


def _text_of_hare(hare: Mapping[str, Any], number: int) -> str:
    """The text of a player."""
    _check_fields(hare, f"hare {number}", {*NUMBERS, "misses_turn"}, {"waits", "rank"})
    square, carrots, lettuces = (_number(hare[name], f"'{name}' of hare {number}") for name in NUMBERS)
    if not isinstance(hare["misses_turn"], bool):
        _refuse(f"'misses_turn' of hare {number} must be true or false")
    on_lettuce = int(square) <= HOME and BOARD[int(square)] == "L"
    waits = hare.get("waits", ("eat" if on_lettuce else "miss") if hare["misses_turn"] else "")
    if not isinstance(waits, str) or waits not in WAITS or bool(waits) != hare["misses_turn"]:
        _refuse(f"'waits' of hare {number} must be miss, eat or pay if it misses a turn, and is otherwise left out")
    rank = "#" + _number(hare["rank"], f"'rank' of hare {number}") if "rank" in hare else ""
    return f"{square}:{carrots}:{lettuces}{WAITING[WAITS.index(waits)]}{rank}"


def _check_fields(given: Mapping[str, Any], subject: str, needed: set[str], allowed: set[str]) -> None:
    """Raise `NotationError` unless an object has all fields that it needs, and no others than are allowed."""
    missing = sorted(needed - given.keys())
    unknown = sorted(str(name) for name in given.keys() - needed - allowed)
    if missing or unknown:
        _refuse(f"{subject} lacks '{missing[0]}'" if missing else f"{subject} has an unknown field {quoted(unknown[0])}")


def _number(value: Any, what: str) -> str:
    """A whole number as text; numbers of JSON that are truth values are none."""
    if type(value) is not int or not 0 <= value <= MOST:
        _refuse(f"{what} must be a whole number from 0 to {MOST}")
    return str(value)


def _refuse(fault: str) -> NoReturn:
    example = '{"hares": [{"square": 0, "carrots": 68, "lettuces": 3, "misses_turn": false}, …], "to_move": 1}'
    raise NotationError(f"{fault}: describe a position as in {example}")
