"""Answers for many positions, asked one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from tablebase.errors import TablebaseError
from tablebase.game.game_arguments import as_asked
from tablebase.game.rules import Rules
from tablebase.probe.answers import Probe, Unanswered
from tablebase.probe.source import Source


class Each(Sequence["Probe | Unanswered"]):
    """The answers for many positions, in the order in which they were asked; each is made when it is taken from the sequence.

    Parameters
    ----------
    rules : Rules
    opened : function
        Returns the tables of the game.
    asked : sequence of str
    turns : int, optional
        Also the chances within as many turns.

    Attributes
    ----------
    errors : dict of int to TablebaseError
        The reason for each position without an answer, by its place in the sequence, of the answers taken so far.
    missing : set of str
        Empty: there are tables for all moves, or for none.
    """

    def __init__(self, rules: Rules[Any], opened: Callable[[], Source[Any]], asked: Sequence[Any], turns: int | None) -> None:
        self._rules, self._opened, self._asked, self._turns = rules, opened, asked, turns
        self.errors: dict[int, TablebaseError] = {}
        self.missing: set[str] = set()

    @cached_property
    def _source(self) -> Source[Any]:
        return self._opened()

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
            position = as_asked(self._rules, self._asked[place])
            return self._source.probe(position, turns=self._turns)
        except TablebaseError as error:
            self.errors[place] = error
            return Unanswered(self._rules.name, str(self._asked[place]), error)

    def to_dicts(self, *, moves: bool = True) -> Iterator[dict[str, Any]]:
        """What `to_dict` of each answer gives; the field ``moves`` is left out if these are not wanted."""
        for answer in self:
            fields = answer.to_dict()
            yield fields if moves else {name: value for name, value in fields.items() if name != "moves"}
