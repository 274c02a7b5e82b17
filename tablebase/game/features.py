"""Features: what can be said of a position beside its value, as vectorised functions over piece squares.

A rules module lists its features in `Game.features`; users bring their own in a Python file. A feature is of the
position as a whole, of each piece, or of each pair of pieces; pieces are numbered from 1 in the order of the
material, so `distance` becomes the columns ``distance_1_2``, ``distance_1_3``, ….
"""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import TablebaseError

Values = NDArray[Any]
KINDS = {"bool": np.bool_, "int": np.int16, "float": np.float64, "text": np.int16}
"""What a feature's values can be; those of ``text`` are numbers of its words."""


@dataclass(frozen=True)
class Feature:
    """A feature; made by `feature`.

    Parameters
    ----------
    name : str
    pieces : int
        0 for one of the position, 1 of each piece, 2 of each pair of pieces.
    kind : str
        ``bool``, ``int``, ``float`` or ``text``.
    words : tuple of str
        What the values 0, 1, … of a text are called.
    function : callable
        Of `tablebase.features.Positions` and as many places of pieces, from 0; gives an array with a value for each position.
    about : str
        What it tells, in a sentence.
    """

    name: str
    pieces: int
    kind: str
    words: tuple[str, ...]
    function: Callable[..., Values]
    about: str

    def __reduce__(self) -> tuple[Callable[[str, str], Feature], tuple[str, str]]:
        # Its function cannot be pickled, for the feature has taken the name.
        return _named, (self.function.__module__, self.function.__qualname__)

    def columns(self, count: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Names of its columns in a slice of so many pieces, and the places of the pieces that each is about."""
        for places in combinations(range(count), self.pieces):
            yield "_".join([self.name, *(str(place + 1) for place in places)]), places

    def values(self, positions: Sized, places: tuple[int, ...]) -> Values:
        """The values of one column for `tablebase.features.Positions`, of the type that `KINDS` names.

        Raises
        ------
        TablebaseError
            If the function fails, or gives something else than a fitting value for each position.
        """
        try:
            found = np.broadcast_to(np.asarray(self.function(positions, *places)), len(positions))
            if found.dtype.kind not in "biuf":
                raise ValueError(f"a value is no {self.kind}")
            with np.errstate(invalid="ignore"):
                fitting: Values = found.astype(KINDS[self.kind])
            if self.kind != "float" and (fitting != found).any():
                raise ValueError(f"a value is no {self.kind}")
            if self.kind == "text" and len(fitting) and not 0 <= fitting.min() <= fitting.max() < len(self.words):
                raise ValueError(f"a value is no number of one of {len(self.words)} words")
        except (Exception, SystemExit) as fault:
            raise TablebaseError(f"the feature {self.name} fails: {type(fault).__name__}: {fault}") from fault
        return fitting


def feature(pieces: int = 0, kind: str = "int", words: tuple[str, ...] = ()) -> Callable[[Callable[..., Values]], Feature]:
    """Make a feature of a function; its name and the first line of its docstring are the feature's.

    Parameters
    ----------
    pieces : int
        0, 1 or 2: whether it is of the position, of each piece, or of each pair.
    kind : str
        ``bool``, ``int`` or ``float``.
    words : tuple of str
        Makes it a text: the function gives numbers of these words, from 0.

    Raises
    ------
    TablebaseError
        If it is described wrongly.

    Examples
    --------
    >>> @feature(pieces=1, kind="bool")
    ... def first_rank(positions, piece):
    ...     '''Whether the piece stands on the first rank.'''
    ...     return positions.squares[:, piece] < positions.game.board.width
    >>> [name for name, _ in first_rank.columns(3)]
    ['first_rank_1', 'first_rank_2', 'first_rank_3']
    """
    if callable(pieces):
        raise TablebaseError("a feature is made with brackets: write @feature(), or @feature(pieces=1)")
    if pieces not in (0, 1, 2) or kind not in ("bool", "int", "float"):
        raise TablebaseError(f"a feature is of 0, 1 or 2 pieces, and bool, int or float; not of {pieces}, and {kind}")

    def make(function: Callable[..., Values]) -> Feature:
        about = (inspect.getdoc(function) or "").partition("\n")[0]
        name = getattr(function, "__name__", "")
        if not about:
            raise TablebaseError(f"the feature {name} needs a docstring that says what it tells")
        return Feature(name, pieces, "text" if words else kind, words, function, about)

    return make


def _named(module: str, name: str) -> Feature:
    found: Feature = getattr(import_module(module), name)
    return found


def load_features(path: Path) -> tuple[Feature, ...]:
    """The features that a Python file defines; the file is run.

    Raises
    ------
    TablebaseError
        If the file cannot be run, or defines none.
    """
    if not path.is_file():
        raise TablebaseError(f"there is no file {path}: name a Python file with features")
    try:
        found = tuple(value for value in runpy.run_path(str(path)).values() if isinstance(value, Feature))
    except TablebaseError:
        raise
    except (Exception, SystemExit) as fault:
        raise TablebaseError(f"{path} cannot be run: {type(fault).__name__}: {fault}") from fault
    if not found:
        raise TablebaseError(f"{path} defines no feature: decorate functions with tablebase.features.feature")
    return found
