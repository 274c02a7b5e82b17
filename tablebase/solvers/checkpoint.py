"""What lets a solver go on from where another process was stopped.

A solver that works distance by distance asks at its beginning whether there is something to go on from, and between two
distances whether it is time to save its arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Saved(Protocol):
    """What a checkpoint holds, whole and undamaged."""

    @property
    def numbers(self) -> dict[str, Any]:
        """What was saved beside the arrays."""

    def fill(self, arrays: Sequence[Array]) -> None:
        """Overwrite arrays with those that were saved, which have the same types and sizes."""


class Checkpoint(Protocol):
    """How far the work on one table has come, kept outside this process."""

    @property
    def log(self) -> Path:
        """Where a solver may keep a file that only grows, and that is removed with the checkpoint."""

    def of(self, *identity: str) -> Checkpoint:
        """A checkpoint in the same place that only goes on from work of just this identity."""

    def exists(self) -> bool:
        """Whether work of this identity has been saved, damaged or not."""

    def load(self) -> Saved | None:
        """What was saved; None if there is nothing, or nothing that can be used."""

    def due(self) -> bool:
        """Whether it is time to save; if so, it is not again for a while."""

    def save(self, numbers: dict[str, Any], arrays: Sequence[Array]) -> None:
        """Replace what was saved, if there is room; `numbers` is all that JSON can hold, and each array is in one piece."""


class NoCheckpoint:
    """Keeps nothing."""

    log = Path()

    def of(self, *_identity: str) -> NoCheckpoint:
        """Itself."""
        return self

    def exists(self) -> bool:
        """Never."""
        return False

    def load(self) -> None:
        """Nothing."""

    def due(self) -> bool:
        """Never."""
        return False

    def save(self, numbers: dict[str, Any], arrays: Sequence[Array]) -> None:
        """Do nothing."""


NO_CHECKPOINT: Checkpoint = NoCheckpoint()


def arrays_of(states: Iterable[tuple[Any, ...]]) -> list[Array]:
    """The arrays among the fields of named tuples."""
    return [field for state in states for field in state if isinstance(field, np.ndarray)]
