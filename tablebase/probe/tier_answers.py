"""Answers for many positions of a game by compiled functions, which are looked up together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game.game_arguments import as_asked
from tablebase.game.native import WORDS, derived, read_texts, rules_of, stored, tier, to_move
from tablebase.game.values import AnyValue
from tablebase.probe.from_codes import ExactAnswers
from tablebase.probe.slice_values import by_code, value_of
from tablebase.probe.source import value_or_error
from tablebase.system.compute.jit import jit

Ints = NDArray[np.int64]
FINDS = types.int64(WORDS, WORDS, types.int64)
"""Types of `find`."""
UNKNOWN = np.iinfo(np.int16).min
"""Instead of a distance, where a value has to be looked up alone."""


class TierAnswers(ExactAnswers):
    """See `ExactAnswers`; an array of whole numbers is looked up without examining that each is a position of the game."""

    def __init__(self, source: Any, asked: Sequence[Any], *, strict: bool = False) -> None:
        self._numbers = np.asarray(asked, np.int64) if isinstance(asked, np.ndarray) else None
        super().__init__(source, asked if self._numbers is None else self._numbers.tolist(), strict=strict)

    @cached_property
    def _values(self) -> list[AnyValue | None]:
        if self._kept is not None:
            return super()._values
        numbers = self._read(self._source.rules) if self._numbers is None else self._numbers
        values: list[AnyValue | None] = []
        for place, pair in enumerate(zip(*(found.tolist() for found in look_up(self._source, numbers)), strict=True)):
            found = value_of(*pair) if pair[1] != UNKNOWN else value_or_error(partial(self._alone, place))
            if isinstance(found, TablebaseError):
                self.errors[place] = found
            values.append(None if isinstance(found, TablebaseError) else found)
        return values

    def _read(self, game: Any) -> Ints:
        """Return positions as numbers; -1 for those that are looked up alone, since they are wrong or too large."""
        numbers = read_texts(game, self._asked)
        for place in np.flatnonzero(numbers < 0).tolist():
            position: Any = value_or_error(partial(as_asked, game, self._asked[place]))
            if isinstance(position, int) and not position >> 63:
                numbers[place] = position
        return numbers

    def _alone(self, place: int) -> AnyValue:
        position = as_asked(self._source.rules, self._asked[place])
        return self._source.value(position, self._source.rules.viewer(position))


def look_up(source: Any, numbers: Ints) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Look up positions for their viewers: outcomes, and distances, `UNKNOWN` for positions that no built table has."""
    game, chunks = source.game, source.chunks
    outcomes, distances = np.zeros(len(numbers), np.int8), np.full(len(numbers), UNKNOWN, np.int16)
    tiers, players, ranks = np.empty((3, len(numbers)), np.int64)
    _find_all(derived(game, find, FINDS, boundscheck=True), rules_of(game), numbers, tiers, players, ranks)
    for number in np.unique(tiers[tiers >= 0]).tolist():
        try:
            file = source.file(number)
        except MissingTableError:
            continue
        here = np.flatnonzero(tiers == number)
        places = ranks[here]
        if not game.is_ranked:
            places = file.places_of(places, chunks)
        valid = (places >= 0) & (places < file.size)
        here, codes = here[valid], file.codes_at(places[valid], chunks)
        of_outcome, of_distance = by_code(file.coding)
        outcomes[here], distances[here] = of_outcome[codes], of_distance[codes]
        # Where the game is over, the viewer is the first player.
        outcomes[here[(players[here] == 1) & (of_distance[codes] == 0)]] *= -1
    return outcomes, distances


def find(rules: Any, noted: Any, position: int) -> int:
    """Note the tier of a position and its player; return its rank or, without ranks, the canonical position.

    The tier stays -1 if functions cannot read the position.
    """
    try:
        found, noted[1] = stored(rules, position), to_move(rules, position)
        noted[0] = tier(rules, position)
    except Exception:
        return -1
    return found


@jit
def _find_all(find: Any, rules: Ints, numbers: Ints, tiers: Ints, players: Ints, ranks: Ints) -> None:
    noted = np.zeros(2, np.int64)
    for place in range(len(numbers)):
        noted[0] = -1
        if numbers[place] >= 0:
            ranks[place] = find(rules, noted, numbers[place])
        tiers[place], players[place] = noted[0], noted[1]
