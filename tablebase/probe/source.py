"""Sources of the values of a game, and the answers and lines made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game.capabilities import refuse
from tablebase.game.game_arguments import as_asked
from tablebase.game.rules import Rules, legal
from tablebase.game.values import AnyValue, Bounds, Value
from tablebase.probe.answers import Probe, RatedDraw, RatedMove, Unanswered, Within

if TYPE_CHECKING:
    from tablebase.probe.stored import Stored
    from tablebase.svg.sheets import Sheet
    from tablebase.svg.themes import Theme

P = TypeVar("P")
Kind = TypeVar("Kind")
OPEN = ("_source", "_slices")
"""Attributes of answers that hold open files."""
LONGEST_LINE = 1000
"""Positions of a line that does not end by itself."""


class Source(ABC, Generic[P]):
    """The values of a game's positions, read from tables; a source can be used from several threads.

    Methods with the argument `player` return values for this player.
    """

    takes_numbers = False
    """True if `many` accepts positions as an array of integers."""

    def __init__(self, rules: Rules[P]) -> None:
        self.rules = rules

    @abstractmethod
    def require(self) -> None:
        """Raise `TablebaseError` if a table that every probe needs is missing."""

    @abstractmethod
    def value(self, position: P, player: int) -> AnyValue:
        """Return the value of a position for a player; raise `MissingTableError` if its table is missing."""

    def reached(self, child: P, player: int, before: AnyValue) -> AnyValue:
        """Rate a move by the value of the next position, for the player who makes the move."""
        del before
        value = self.value(child, player)
        return value.later if isinstance(value, Value) else value

    def draws(self, position: P, player: int) -> tuple[RatedDraw, ...]:
        """Return the chance outcomes of a position, with their values for a player."""
        del position, player
        return ()

    def stalling(self, position: P) -> float | None:
        """Return a lower bound on 1 minus the sum of both players' guaranteed winning chances; None if unknown."""
        del position
        return None

    def close(self) -> None:
        """Close all files."""

    def within(self, position: P, turns: int) -> Bounds:
        """For games with chance, return bounds on the chance that the side to move wins within a number of turns."""
        raise NotImplementedError

    def values(self, positions: Sequence[P], players: Sequence[int]) -> Sequence[AnyValue | TablebaseError]:
        """Return the value of each position for the player at the same index of `players`, or the error of the position."""
        return [value_or_error(partial(self.value, *one)) for one in zip(positions, players, strict=True)]

    def stored(self) -> Stored[P]:
        """Return all stored positions of a game without pieces on squares; raise `MissingTableError` if the tables are missing."""
        raise NotImplementedError

    def many(self, asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> ProbeResults:
        """Probe many positions, given as text or objects."""
        return ProbeResults(self, asked, strict=strict, turns=turns)

    def probe(self, position: P, *, strict: bool = False, turns: int | None = None) -> Probe:
        """Return the value and the moves of a position; see `value` for errors.

        A move that leads to a missing table has an unknown value; with `strict`, the method raises an error instead. With
        `turns`, the result also contains bounds on the chance that the side to move wins within this number of turns.
        """
        refuse(self.rules, "chance", turns=turns)
        player = self.rules.viewer(position)
        value = self.value(position, player)
        moves = self._rated(position, player, value, strict)
        within = None if turns is None else Within(turns, self.within(position, turns))
        return Probe(self.rules, position, value, moves, self.draws(position, player), self.stalling(position), within)

    def line(self, position: P, plies: int | None = None) -> Iterator[Probe]:
        """Return a line of best play, with the most likely outcomes of chance.

        The line ends at the end of the game, at a position in which the next move wins, after `plies` plies, or at a
        repetition. In games without a repetition rule, repetitions do not end the line, and the default limit is `LONGEST_LINE`
        positions.
        """
        endless = self.rules.repetitions is None
        most = plies if plies is not None else LONGEST_LINE - 1 if endless else None
        seen: set[Any] = set()
        for ply in count():
            if (most is not None and ply > most) or (not endless and position in seen):
                return
            seen.add(position)
            answer = self.probe(position)
            if answer.moves and answer.best is None:
                # The best move is one of unknown value: this names its table.
                self.probe(position, strict=True)
            yield answer
            if answer.step is None or answer.distance == 1:
                return
            position = answer.step[1]

    def _rated(self, position: P, player: int, value: AnyValue, strict: bool) -> tuple[RatedMove, ...]:
        rated, missing = [], {}
        for move, child in legal(self.rules, position).items():
            try:
                worth = self.reached(child, player, value)
            except MissingTableError as error:
                missing[move] = error
                rated.append(RatedMove(self.rules, position, move, child, None, error.material))
            else:
                rated.append(RatedMove(self.rules, position, move, child, worth, draws=self.draws(child, player)))
        if strict and missing:
            raise missing[min(missing)]
        rated.sort(key=lambda one: natural(one.move))
        # Moves of unknown value come last.
        rated.sort(key=lambda one: (False, 0) if one.value is None else (True, one.value.merit), reverse=True)
        return tuple(rated)


def natural(move: str) -> tuple[int, str]:
    """Moves in the order of their text; those that are whole numbers by these."""
    return (int(move), "") if move.removeprefix("-").isdecimal() else (0, move)


def value_or_raise(found: Kind | TablebaseError) -> Kind:
    """A value; raise the error that stands in its place."""
    if isinstance(found, TablebaseError):
        raise found
    return found


def value_or_error(function: Callable[[], Kind]) -> Kind | TablebaseError:
    """The result of a function, or the error that it raises."""
    try:
        return function()
    except TablebaseError as error:
        return error


class ProbeResults(Sequence["Probe | Unanswered"]):
    """Sequence of probe results for many positions, in the order of the query; each result is computed when it is read.

    Parameters
    ----------
    source : Source
        Source that reads the values.
    asked : sequence
        Positions to probe, as objects or text.
    strict : bool
        Whether a move that leads to a missing table is an error.
    turns : int, optional
        Number of turns for `Probe.within`; by default, `Probe.within` is None.

    Attributes
    ----------
    errors : dict of int to TablebaseError
        Errors of the results computed so far, by index.
    missing : set of str
        Materials of missing tables that have been needed so far.
    """

    def __init__(self, source: Source[Any], asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> None:
        self._source, self._asked, self._strict, self._turns = source, asked, strict, turns
        # All answers, in a copy: open files are not copied.
        self._kept: list[Probe | Unanswered] | None = None
        self._name = source.rules.name
        self.errors: dict[int, TablebaseError] = {}
        self.missing: set[str] = set()

    def __repr__(self) -> str:
        without = f", {len(self.errors):,} without an answer" if self.errors else ""
        return f"{type(self).__name__}({self._name}, {len(self):,} positions{without})"

    def __getstate__(self) -> dict[str, Any]:
        kept = list(self)
        return {**{name: value for name, value in vars(self).items() if name not in OPEN}, "_kept": kept}

    def __len__(self) -> int:
        return len(self._asked)

    @overload
    def __getitem__(self, place: int) -> Probe | Unanswered: ...

    @overload
    def __getitem__(self, place: slice) -> list[Probe | Unanswered]: ...

    def __getitem__(self, place: int | slice) -> Probe | Unanswered | list[Probe | Unanswered]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        try:
            answer = self.answer(place)
        except TablebaseError as error:
            return self.unanswered(place, error)
        self.missing.update(move.missing for move in answer.moves if move.missing is not None)
        return answer

    def answer(self, place: int) -> Probe:
        """Return the result at an index; raise the error of the position, if any."""
        if self._kept is not None:
            if isinstance(kept := self._kept[place], Unanswered):
                raise kept.error
            return kept
        position = as_asked(self._source.rules, self._asked[place])
        return self._source.probe(position, strict=self._strict, turns=self._turns)

    def unanswered(self, place: int, error: TablebaseError) -> Unanswered:
        """Record the error of a position and return the error as the result."""
        asked, self.errors[place] = self._asked[place], error
        return Unanswered(self._name, asked if isinstance(asked, str) else repr(asked), error)

    @cached_property
    def _values(self) -> list[AnyValue | None]:
        if self._kept is not None:
            return [None if isinstance(one, Unanswered) else one.value for one in self._kept]
        rules = self._source.rules
        read = [value_or_error(partial(as_asked, rules, one)) for one in self._asked]
        places = [place for place, one in enumerate(read) if not isinstance(one, TablebaseError)]
        found = self._source.values([read[place] for place in places], [rules.viewer(read[place]) for place in places])
        answers = {**dict(enumerate(read)), **dict(zip(places, found, strict=True))}
        self.errors |= {place: one for place, one in answers.items() if isinstance(one, TablebaseError)}
        return [None if isinstance(one, TablebaseError) else one for one in answers.values()]

    def values(self) -> list[Any]:
        """Return the value of each position for the side to move; None for a position with an error."""
        return list(self._values)

    def sheet(self, page: str = "a4", theme: str | Theme = "light") -> Sheet:
        """Draw the positions with their values and best moves on printable ``a4`` or ``letter`` pages.

        Raises the first error of any position, or `RulesError` if the game has no pictures.
        """
        from tablebase.probe.sheets import probe_sheet

        return probe_sheet([self.answer(place) for place in range(len(self))], page, theme)

    def to_dicts(self, *, moves: bool = True) -> Iterator[dict[str, Any]]:
        """Yield a dict with the JSON fields of each result; ``moves=False`` omits the moves."""
        for answer in self:
            yield without_moves(answer.to_dict(), moves)


def without_moves(fields: dict[str, Any], moves: bool) -> dict[str, Any]:
    """The fields of an answer, without its moves unless these are wanted."""
    return fields if moves else {name: value for name, value in fields.items() if name != "moves"}
