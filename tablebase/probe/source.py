"""Where the values of a game come from, and what every probe and line makes of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tablebase.errors import MissingTableError, RulesError
from tablebase.game.rules import Rules, legal
from tablebase.game.values import AnyValue, Bounds
from tablebase.probe.answers import Probe, RatedDraw, RatedMove, Within

if TYPE_CHECKING:
    from tablebase.probe.each import Each

P = TypeVar("P")
LONGEST_LINE = 1000
"""Positions of a line that does not end by itself."""


class Source(ABC, Generic[P]):
    """The values of a game's positions; safe to use from several threads.

    Values are always those of a named player, so that nothing depends on who moves after whom.
    """

    def __init__(self, rules: Rules[P]) -> None:
        self.rules = rules

    @abstractmethod
    def require(self) -> None:
        """Raise `TablebaseError` if nothing can be answered, since there are no tables."""

    @abstractmethod
    def value(self, position: P, player: int) -> AnyValue:
        """The value of a position for a player; `MissingTableError` if no table has it."""

    @abstractmethod
    def reached(self, child: P, player: int, before: AnyValue) -> AnyValue:
        """What a move into a position is worth to the player who makes it, given the value of the position before it."""

    def draws(self, position: P, player: int) -> tuple[RatedDraw, ...]:
        """What chance may do in a position, if it moves, and what that is worth to a player."""
        del position, player
        return ()

    def stalling(self, position: P) -> float | None:
        """The part of the chance to win that nobody can force, at least, if a table says so."""
        del position
        return None

    def close(self) -> None:
        """Give back what the source holds."""

    def within(self, position: P, turns: int) -> Bounds:
        """The chances within a number of turns; `RulesError` for games without chance."""
        del position, turns
        raise self.without_chance()

    def without_chance(self) -> RulesError:
        """Why there are no chances within a number of turns."""
        return RulesError(f"{self.rules.name} has no chance: leave out turns")

    def many(self, asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> Each:
        """An answer for each of many positions, given as text or itself, or the reason why it has none."""
        # A module of its own, which asks sources.
        from tablebase.probe.each import Each

        return Each(self, asked, strict=strict, turns=turns)

    def probe(self, position: P, *, strict: bool = False, turns: int | None = None) -> Probe:
        """Value and moves of a position; errors are those of `value`.

        Moves whose tables have not been built are of unknown value; if `strict`, they are errors, too. With `turns`, also the
        chances within as many turns.
        """
        player = self.rules.viewer(position)
        value = self.value(position, player)
        moves = self._rated(position, player, value, strict)
        within = None if turns is None else Within(turns, self.within(position, turns))
        return Probe(self.rules, position, value, moves, self.draws(position, player), self.stalling(position), within)

    def line(self, position: P, plies: int | None = None) -> Iterator[Probe]:
        """Probes along the best moves and the likeliest draws: of the position, and of each that they lead to.

        The line ends with the game, or before a move that wins at once; where repetitions count, as soon as a position repeats;
        elsewhere after `LONGEST_LINE` positions; or after `plies` plies.
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
            except MissingTableError as fault:
                missing[move] = fault
                rated.append(RatedMove(self.rules, position, move, child, None, fault.material))
            else:
                rated.append(RatedMove(self.rules, position, move, child, worth, draws=self.draws(child, player)))
        if strict and missing:
            raise missing[min(missing)]
        rated.sort(key=_natural)
        rated.sort(key=_merit, reverse=True)
        return tuple(rated)


def _natural(rated: RatedMove) -> tuple[int, str]:
    """Moves in the order of their text; those that are whole numbers by these."""
    number = rated.move.removeprefix("-")
    return (int(rated.move), "") if number.isdecimal() else (0, rated.move)


def _merit(rated: RatedMove) -> tuple[bool, Any]:
    """The best moves largest; those of unknown value are the smallest."""
    return (False, 0) if rated.value is None else (True, rated.value.merit)
