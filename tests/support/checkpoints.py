"""Checkpoints at every distance, and work that is stopped right after one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tablebase.tables.checkpoints import TableCheckpoint


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
