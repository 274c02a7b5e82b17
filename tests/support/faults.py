"""Faults at a moment that a test chooses: damaged files, wrong solvers, and work that stops right after a checkpoint."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tablebase.game import Outcome
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.values import DRAW, Value


def damage_after_look(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, damage: Callable[[], object], look: int | None = 1
) -> None:
    """Do damage right after a function has looked at the files for the first or a later time; with None, after each look."""
    original, looks = getattr(owner, name), []

    def damaged_afterwards(*arguments: Any) -> Any:
        found = original(*arguments)
        looks.append(arguments)
        if look in (None, len(looks)):
            damage()
        return found

    monkeypatch.setattr(owner, name, damaged_afterwards)


def wrong_by(solve: Callable[..., Any], engine: str) -> Callable[..., Any]:
    def wrong(game: Any, material: Any, load: Any, chosen: str) -> Any:
        codes, *rest = solve(game, material, load, chosen)
        codes = [np.array(source) for source in codes]
        if chosen == engine:
            codes[-1][-1] ^= 1
        return codes, *rest

    return wrong


def wrong_about_one(solve: Callable[..., Any]) -> Callable[..., Any]:
    """`solve_material`, but one win in nine plies is called a draw."""

    def wrong(*arguments: Any, **options: Any) -> Any:
        codes, coding, solver = solve(*arguments, **options)
        codes[0][np.flatnonzero(codes[0] == coding.code(Value(Outcome.WIN, 9)))[0]] = DRAW
        return codes, coding, solver

    return wrong


class StoppedError(Exception):
    """In place of the end of a process."""


class EveryDistance(TableCheckpoint):
    """Saves at every distance; stops the work after a number of them, if one is given."""

    def __init__(self, table: Path, most: int | None = None, identity: str = "work") -> None:
        super().__init__(table, identity)
        self.most = most
        self.saves = 0

    def due(self) -> bool:
        """Always."""
        return True

    def save(self, numbers: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> None:
        """Save, and perhaps stop."""
        super().save(numbers, arrays)
        self.saves += 1
        if self.saves == self.most:
            raise StoppedError
