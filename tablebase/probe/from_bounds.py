"""Values of games of chance: bounds from the tables of layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError, CorruptTableError, TablebaseError
from tablebase.functions.chance.after_moves import UNDECIDED, moves_of_states, states_at
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.files import BOUNDS
from tablebase.functions.chance.forced_chances import ForcedChances, bounds_of
from tablebase.functions.chance.horizon import horizon
from tablebase.game.kernels import Int64, call_compiled
from tablebase.game.rules import CHANCE
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.values import AnyValue, Bounds
from tablebase.probe.answers import RatedDraw
from tablebase.probe.source import ProbeResults, Source
from tablebase.probe.stored import Numbers, Stored, StoredTable
from tablebase.system.compute import machine
from tablebase.tables.store import Store


class BoundsSource(Source[State]):
    """The tables of a game of chance; every question is a `MissingTableError` if there are none."""

    def __init__(self, store: Store, game: StochasticGame) -> None:
        super().__init__(game)
        self.game, self._store = game, store

    @cached_property
    def _known(self) -> ForcedChances:
        return ForcedChances(self._store.folder, self.game, self._store.chunks)

    def require(self) -> None:
        """Raise `MissingTableError` if no layer of the game has been built."""
        _ = self._known

    def close(self) -> None:
        """Close all files."""
        if "_known" in vars(self):
            self._known.close()

    def value(self, position: State, player: int) -> Bounds:
        """Return chances: one a player can force, one the other cannot prevent; one choice ahead where no table has the state."""
        return bounds_of(self._known.chances(position), player)

    def reached(self, child: State, player: int, before: AnyValue) -> Bounds:
        """The same after a move, without a choice ahead; at most what the position is worth, of which a table may know more."""
        found = bounds_of(self._known.after_move(child), player)
        most = before.upper if isinstance(before, Bounds) else 1.0
        return Bounds(found.lower, max(found.lower, min(found.upper, most)))

    def draws(self, position: State, player: int) -> tuple[RatedDraw, ...]:
        """List the draws, if chance moves."""
        if self.game.to_move(position) != CHANCE:
            return ()
        return tuple(
            RatedDraw(self.game, one.probability, one.label, one.state, bounds_of(self._known.after_move(one.state), player))
            for one in self.game.draws(position)
        )

    def stalling(self, position: State) -> float | None:
        """Return the chance left after all that the players could force if all that no table knows were good for them."""
        return self._known.stalling(position)

    def many(self, asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> BoundedAnswers:
        """With bounds as arrays; they are looked up one by one."""
        return BoundedAnswers(self, asked, strict=strict, turns=turns)

    def stored(self) -> Stored[State]:
        """All states of the layers, except those of generous regions, which hold no bounds of chances."""
        states = _States(self.game, self._known)
        if not states.tables:
            only = f"the tables of {self.game.name} in {self._store.folder} do not contain probabilities"
            raise TablebaseError(f"{only}: build a table with other limits")
        return states

    def within(self, position: State, turns: int) -> Bounds:
        """The chance that the player to move can force to win within a number of turns; errors are those of `horizon`."""
        return horizon(self.game, position, turns)


class BoundedAnswers(ProbeResults):
    """The answers for many positions of a game of chance; see `ProbeResults`."""

    @cached_property
    def lower(self) -> NDArray[np.float64]:
        """Lower bounds of the chance of the player to move, shape (positions,); NaN without an answer."""
        return np.array([np.nan if bounds is None else bounds.lower for bounds in self.values()])

    @cached_property
    def upper(self) -> NDArray[np.float64]:
        """Upper bounds, likewise."""
        return np.array([np.nan if bounds is None else bounds.upper for bounds in self.values()])


class _States(Stored[State]):
    """The states of all layers: the numbers of a region follow those of the region before it."""

    def __init__(self, game: StochasticGame, known: ForcedChances) -> None:
        self.rules, self._known, self._compiled, self._chunks = game, known, known.compiled, known.chunks
        self._regions = [(region, files) for region, files in known.regions if not region.generous]
        self._begins = np.cumsum([0, *(region.size for region, _ in self._regions)])
        self._files = [file for _, files in self._regions for file in files]
        self.tables = [
            StoredTable({"region": region.name, "layer": file.layer.name}, begin + file.layer.begin, begin + file.layer.end)
            for begin, (region, files) in zip(self._begins.tolist(), self._regions, strict=False)
            for file in files
        ]
        self._chances = lru_cache(maxsize=1)(self._read)

    def occupied(self, numbers: Numbers) -> Numbers:
        """The numbers of states in which a player is to move."""
        return numbers[self._states(numbers)[1]]

    def values(self, numbers: Numbers) -> dict[str, NDArray[Any]]:
        found = {name: np.zeros(len(numbers)) for name in BOUNDS}
        for table, file in zip(self.tables, self._files, strict=True):
            places = np.flatnonzero((numbers >= table.begin) & (numbers < table.end))
            for name, values in found.items():
                values[places] = file.cached_at(name, numbers[places] - table.begin, self._chunks)
            if not ((found["lower"] >= 0) & (found["lower"] <= found["upper"]) & (found["upper"] <= 1)).all():
                raise CorruptTableError("contains invalid probability bounds", file.path)
        return found

    def positions(self, numbers: Numbers) -> list[State]:
        """States as the plain functions have them."""
        states, listed = self._states(numbers)[0].tolist(), self._compiled.listed
        return [tuple(state) if listed is None else listed.states[state[0]] for state in states]

    def representative(self, position: State) -> State:
        """The state that the first table stores instead, as with the players exchanged."""
        row, (region, _) = self._compiled.row(position), self._regions[0]
        number = -1 if row is None else call_compiled(self._compiled.kernels.index, region.rules, row)[0]
        return position if number < 0 else self.positions(np.array([number]))[0]

    def moves(self, numbers: Numbers) -> list[list[tuple[str, AnyValue]]]:
        """Moves with bounds after them, which are at most those of the position, since a table may know more of it."""
        states, most = self._states(numbers)[0], self.values(numbers)["upper"]
        found: list[list[tuple[str, AnyValue]]] = [[] for _ in numbers]
        for region, places in self._by_region(numbers):
            rules, chances = self._regions[region][0].rules, self._chances(region)
            counts, codes, forced = moves_of_states(self._compiled.kernels, rules, states[places], chances)
            undecided, of_moves = np.flatnonzero((forced == UNDECIDED).any(axis=0)), numbers[places].repeat(counts)
            for move, state in zip(undecided.tolist(), self.positions(of_moves[undecided]), strict=True):
                after = self._known.after_move(self.rules.moves(state)[int(codes[move])])
                forced[:, move] = after if self.rules.to_move(state) == 0 else after[::-1]
            lower, upper = forced[0] / UNIT, 1 - forced[1] / UNIT
            upper = np.maximum(lower, np.minimum(upper, np.repeat(most[places], counts)))
            moves = zip(map(str, codes.tolist()), map(Bounds, lower.tolist(), upper.tolist()), strict=True)
            for place, count in zip(places.tolist(), counts.tolist(), strict=True):
                found[place] = list(islice(moves, count))
        return found

    def _by_region(self, numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
        regions = np.searchsorted(self._begins, numbers, "right") - 1
        return ((region, np.flatnonzero(regions == region)) for region in np.unique(regions).tolist())

    def _states(self, numbers: Numbers) -> tuple[Int64, NDArray[np.bool_]]:
        kernels = self._compiled.kernels
        states, there = np.zeros((len(numbers), kernels.fields), np.int64), np.zeros(len(numbers), np.bool_)
        for region, places in self._by_region(numbers):
            found = states_at(kernels, self._regions[region][0].rules, numbers[places] - self._begins[region])
            states[places], there[places] = found
        return states, there

    def _read(self, number: int) -> Int64:
        """The chances of all states of a region, in units; those of layers that have not been built are unknown."""
        region, files = self._regions[number]
        needed, allowed = 16 * region.size, machine.memory() // 2
        if needed > allowed:
            subject = f"reading the moves of the region {region.name} of {self.rules.name}"
            raise CapacityError(subject, "probe the positions one by one", needed=needed, allowed=allowed)
        chances = np.zeros((2, region.size), np.int64)
        for file in files:
            file.read(chances[:, file.layer.begin : file.layer.end])
        return chances
