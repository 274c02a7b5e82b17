"""Features: facts about a position other than its value, as vectorised functions of piece squares.

A rules module lists its features in `Game.features`; users add their own in a Python file. A feature describes the
position as a whole, each piece, or each pair of pieces. Pieces are numbered from 1 in the order of the material, so
`distance` becomes the columns ``distance_1_2``, ``distance_1_3``, ….
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.system.compute.messages import brief
from tablebase.system.compute.modules import docstring
from tablebase.system.files.inputs import check_regular

Values = NDArray[Any]
Measure = Callable[..., Any]
"""Returns `Values`, or a list of them."""
KINDS = {"bool": np.bool_, "int": np.int16, "float": np.float64, "text": np.int16}
"""The dtype of each kind of value; the values of ``text`` are indices of its words."""


class PositionList(list[Any]):
    """Positions of a game by functions, as features receive them, with their `game`."""

    def __init__(self, game: Any, positions: Iterable[Any]) -> None:
        super().__init__(positions)
        self.game = game


@brief
@dataclass(frozen=True)
class Feature:
    """A computed property of positions; the decorator `feature` creates a feature from a function.

    The first argument of the function is a `tablebase.features.Positions` object or, in games defined by functions, a
    `PositionList`. The remaining arguments are piece indices; `pieces` is their number. The function returns one value for each
    position.
    """

    name: str
    pieces: int  # 0 if it describes the position, 1 for each piece, 2 for each pair of pieces
    kind: str  # ``bool``, ``int``, ``float`` or ``text``
    words: tuple[str, ...]  # for the values 0, 1, … of a text
    function: Measure
    about: str  # the fact that it measures, in one sentence

    def __reduce__(self) -> tuple[Callable[[str, str], Feature], tuple[str, str]]:
        # The function cannot be pickled, because its name now refers to the feature.
        return _named, (self.function.__module__, self.function.__qualname__)

    def columns(self, count: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each column of this feature for positions with `count` pieces: its name and the indices of its pieces."""
        for places in combinations(range(count), self.pieces):
            yield "_".join([self.name, *(str(place + 1) for place in places)]), places

    def values(self, positions: Sized, places: tuple[int, ...]) -> Values:
        """Return the values of one column for all positions, as an array with the dtype listed in `KINDS`.

        Raises
        ------
        TablebaseError
            If the feature function fails or returns values of the wrong shape or type.
        """
        try:
            values = np.broadcast_to(np.asarray(self.function(positions, *places)), len(positions))
            if values.dtype.kind not in "biuf":
                raise ValueError(f"the function must return values of kind {self.kind}")
            with np.errstate(invalid="ignore"):
                converted: Values = values.astype(KINDS[self.kind])
            if self.kind != "float" and (converted != values).any():
                raise ValueError(f"the function must return values of kind {self.kind}")
            if self.kind == "text" and len(converted) and not 0 <= converted.min() <= converted.max() < len(self.words):
                raise ValueError(f"the function must return indices into 'words', from 0 to {len(self.words) - 1}")
            return converted
        except (Exception, SystemExit) as error:
            raise TablebaseError(f"error in the feature {self.name}: {type(error).__name__}: {error}") from error


def feature(pieces: int = 0, kind: str = "int", words: tuple[str, ...] = ()) -> Callable[[Measure], Feature]:
    """Turn a function into a feature, named after the function and described by the first line of its docstring.

    Parameters
    ----------
    pieces : int
        Number of pieces that the feature describes (0 for the whole position, 1 for each piece, 2 for each pair of pieces).
    kind : str
        Type of the values, ``bool``, ``int`` or ``float``.
    words : tuple of str
        Possible values of a text feature; the function returns indices into this tuple.

    Raises
    ------
    TablebaseError
        If an argument is invalid or the docstring is missing.

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
        raise TablebaseError("the decorator @feature needs parentheses: write @feature() or @feature(pieces=1)")
    if pieces not in (0, 1, 2) or kind not in ("bool", "int", "float"):
        raise TablebaseError(f"invalid @feature(pieces={pieces!r}, kind={kind!r}): use 0 to 2 pieces and kind bool, int or float")

    def make(function: Measure) -> Feature:
        about = docstring(function).partition("\n")[0]
        name = getattr(function, "__name__", "")
        if not about:
            raise TablebaseError(f"the feature {name} has no docstring: add a docstring that describes the feature in one line")
        return Feature(name, pieces, "text" if words else kind, words, function, about)

    return make


def _named(module: str, name: str) -> Feature:
    named: Feature = getattr(import_module(module), name)
    return named


def load_features(path: Path) -> tuple[Feature, ...]:
    """Run a Python file and return the features that it defines.

    Raises
    ------
    TablebaseError
        If the file cannot be run or does not define a feature.
    """
    check_regular(path, "use a Python file that defines features")
    if not path.exists():
        raise TablebaseError(f"the file {path} does not exist: give the path of a Python file that defines features")
    try:
        features = tuple(value for value in runpy.run_path(str(path)).values() if isinstance(value, Feature))
    except TablebaseError:
        raise
    except (Exception, SystemExit) as error:
        raise TablebaseError(f"the features in {path} cannot be loaded: {type(error).__name__}: {error}") from error
    if not features:
        raise TablebaseError(f"{path} defines no features: add functions with the decorator @tablebase.features.feature()")
    return features
