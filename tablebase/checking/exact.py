"""The check of exact values of games by functions: each position once more, as the best of its moves by the rules alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.functions.exact.files import ExactFile
from tablebase.game.functions import FunctionGame
from tablebase.game.symmetry import canonical_error, has_symmetries
from tablebase.game.values import DRAWN, LOST, WON
from tablebase.system.compute.messages import reach
from tablebase.tables.values import STALEMATE

TICK = 1 << 12
"""Positions between two reports."""
SAMPLED = 2000
"""Positions of a table with symmetries for which it is checked that one after them is like the one that stands for it."""
REMEMBERED = 1 << 16
"""Positions whose canonical ones are kept."""


def verify_exact(file: ExactFile, tick: Callable[[], object] = lambda: None) -> None:
    """Compare each value with the values of the positions that the moves lead to.

    It knows nothing of the order in which they were found, and ends only when every position has been looked at; `tick` is called
    now and then. Raise `CorruptTableError` for bytes that cannot be read, and for the first position that is wrong.
    """
    check = _Check(file)
    step = 1 + file.positions // SAMPLED if has_symmetries(file.rules) else 0
    for number, position in enumerate(check.positions):
        if number % TICK == 0:
            reach("verifying", number, file.positions)
            tick()
        try:
            problem = check.error(position, number)
            if problem is None and step and number % step == 0:
                problem = check.error_of_symmetry(position, number)
        except Exception as error:
            problem = f"{position!r} cannot be checked, because {_said(error)}"
        if problem is not None:
            raise CorruptTableError(f"contains an error ({problem})", file.path)


class _Check:
    def __init__(self, file: ExactFile) -> None:
        keys, codes = file.read()
        self.rules: FunctionGame[Any] = file.rules
        if not bool((keys[1:] > keys[:-1]).all()):
            raise CorruptTableError("does not list its positions in ascending order", file.path)
        try:
            self.positions = [self.rules.parse(key.decode()) for key in keys]
            self.viewers = bytes(self.rules.viewer(position) for position in self.positions)
        except Exception as error:
            raise CorruptTableError(f"contains an unreadable position ({_said(error)})", file.path) from error
        # Many moves lead to the same position.
        self.canonical = lru_cache(REMEMBERED)(self.rules.canonical) if has_symmetries(self.rules) else lambda position: position
        self.numbers = {position: number for number, position in enumerate(self.positions)}
        self.codes = codes.tolist()
        self.values = {code: file.coding.value(code) for code in set(self.codes)}
        # Of a move, by whether its mover is the viewer of the position that it leads to, and by the code of that.
        self.worth = [
            {code: value.reversed.later.merit for code, value in self.values.items()},
            {code: value.later.merit for code, value in self.values.items()},
        ]
        if self.rules.canonical(self.rules.initial) not in self.numbers:
            raise CorruptTableError(f"does not contain the initial position of {self.rules.name}", file.path)

    def error(self, position: Any, number: int) -> str | None:
        """Return a position's error as a sentence."""
        said = self._error(position, number)
        return None if said is None else f"{self.rules.format(position)} {said}"

    def _error(self, position: Any, number: int) -> str | None:
        rules, numbers, code = self.rules, self.numbers, self.codes[number]
        value = self.values[code]
        if numbers[position] != number or self.canonical(position) != position:
            return "is stored, but is not a canonical position"
        ending = rules.result(position)
        if ending is not None:
            outcome = ending.outcome(self.viewers[number])
            right = next(one for one in (DRAWN, WON, LOST) if one.outcome is outcome)
            # A draw in which nobody can move has a code of its own.
            fits = value == right and (code == STALEMATE) == (right is DRAWN)
            return None if fits else f"is stored as a {value.said}, but the game is over: {right.said}"
        mover, viewers, worth, codes = self.viewers[number], self.viewers, self.worth, self.codes
        merits = []
        for child in rules.moves(position).values():
            after = numbers.get(self.canonical(child))
            if after is None:
                return f"leads to {rules.format(child)}, which is missing"
            merits.append(worth[viewers[after] == mover][codes[after]])
        if not merits:
            return "has neither moves nor a result"
        fits = max(merits) == value.merit and code != STALEMATE
        return None if fits else f"is stored as a {value.said}, which contradicts its moves and the values after them"

    def error_of_symmetry(self, position: Any, number: int) -> str | None:
        """Return why one of the positions after this one is not like the one that stands for it."""
        after = [child for child in self.rules.moves(position).values() if self.canonical(child) != child]
        return canonical_error(self.rules, after[number % len(after)]) if after else None


def _said(error: Exception) -> str:
    """An error in a line; those of rules, which are not guarded everywhere, also by their kind."""
    return str(error) if isinstance(error, TablebaseError) else " ".join(f"{type(error).__name__}: {error}".split())
