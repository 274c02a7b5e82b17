"""Answers for many positions of a game by compiled functions, which are looked up together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game.game_arguments import as_asked
from tablebase.game.native import canonical, derived, rank, rules_of, tier
from tablebase.game.values import Value
from tablebase.probe.from_codes import ExactAnswers
from tablebase.probe.slice_values import SIGNS, by_code
from tablebase.probe.source import value_or_error

Ints = NDArray[np.int64]
UNKNOWN = np.iinfo(np.int16).min
"""Instead of a distance, where a value has to be looked up alone."""


class TierAnswers(ExactAnswers):
    """See `ExactAnswers`; an array of whole numbers is looked up without examining that each is a position of the game."""

    def __init__(self, source: Any, asked: Sequence[Any], *, strict: bool = False) -> None:
        self._numbers = np.asarray(asked, np.int64) if isinstance(asked, np.ndarray) else None
        super().__init__(source, asked if self._numbers is None else self._numbers.tolist(), strict=strict)

    @cached_property
    def _found(self) -> tuple[NDArray[np.int8], NDArray[np.int16], dict[int, Value]]:
        """Outcomes and distances, and the values of positions that had to be looked up alone; errors are noted."""
        places, numbers, rules = np.arange(len(self._asked)), self._numbers, self._source.rules
        if numbers is None:
            read = [value_or_error(partial(as_asked, rules, one)) for one in self._asked]
            self.errors |= {place: one for place, one in enumerate(read) if isinstance(one, TablebaseError)}
            places = np.array([place for place in range(len(read)) if place not in self.errors], np.int64)
            numbers = np.array([read[place] for place in places], np.int64)
        outcomes, distances = np.zeros(len(self._asked), np.int8), np.full(len(self._asked), -1, np.int16)
        outcomes[places], distances[places] = look_up(self._source, numbers)
        alone = dict[int, Value]()
        for place in np.flatnonzero(distances == UNKNOWN).tolist():
            value = value_or_error(partial(self._alone, place))
            distances[place] = -1
            if isinstance(value, TablebaseError):
                self.errors[place] = value
            else:
                alone[place] = value
                outcomes[place] = SIGNS[value.outcome]
                distances[place] = -1 if value.distance is None else value.distance
        return outcomes, distances, alone

    def _alone(self, place: int) -> Value:
        rules = self._source.rules
        position = as_asked(rules, self._asked[place])
        value: Value = self._source.value(position, rules.viewer(position))
        return value

    @cached_property
    def outcomes(self) -> NDArray[np.int8]:
        """An attribute, see above."""
        return self._found[0]

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """An attribute, see above."""
        return self._found[1]


def look_up(source: Any, numbers: Ints) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """Look up positions for their players to move: outcomes, and distances, `UNKNOWN` where a position is looked up alone.

    Those are positions that no built table has, and those in which the game is over.
    """
    game, chunks = source.game, source.chunks
    outcomes, distances = np.zeros(len(numbers), np.int8), np.full(len(numbers), UNKNOWN, np.int16)
    tiers, ranks = np.empty((2, len(numbers)), np.int64)
    _find_all(derived(game, find_rank if game.is_ranked else find_key, boundscheck=True), rules_of(game), numbers, tiers, ranks)
    for number in np.unique(tiers[tiers >= 0]).tolist():
        try:
            file = source.file(number)
        except MissingTableError:
            continue
        here = np.flatnonzero(tiers == number)
        places = ranks[here]
        if not game.is_ranked:
            order = np.argsort(places)
            here, places = here[order], file.places_of(places[order], chunks)
        valid = (places >= 0) & (places < file.size)
        here, codes = here[valid], file.codes_at(places[valid], chunks)
        of_outcome, of_distance = by_code(file.coding)
        # Where the game is over, a value may be that of another player.
        goes_on = (codes != 1) & (of_distance[codes] != 0)
        here, codes = here[goes_on], codes[goes_on]
        outcomes[here], distances[here] = of_outcome[codes], of_distance[codes]
    return outcomes, distances


def find_rank(rules: Any, found: Any, position: int) -> int:
    """Note the tier of a position, and return its rank; -1 for a number that functions cannot read. See `derived`."""
    found[0] = -1
    try:
        index = rank(rules, position)
        found[0] = tier(rules, position)
    except Exception:
        return -1
    return index


def find_key(rules: Any, found: Any, position: int) -> int:
    """Do the same without ranks; return the canonical position."""
    found[0] = -1
    try:
        key = canonical(rules, position)
        found[0] = tier(rules, position)
    except Exception:
        return -1
    return key


@jit
def _find_all(find: Any, rules: Ints, numbers: Ints, tiers: Ints, ranks: Ints) -> None:
    found = np.empty(1, np.int64)
    for place in range(len(numbers)):
        ranks[place] = find(rules, found, numbers[place])
        tiers[place] = found[0]
