"""Answers for many positions, asked one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from tablebase.errors import TablebaseError
from tablebase.game.game_arguments import as_asked
from tablebase.probe.answers import Probe, Unanswered

if TYPE_CHECKING:
    from tablebase.probe.source import Source


class Each(Sequence["Probe | Unanswered"]):
    """The answers for many positions, in the order in which they were asked; each is made when it is taken from the sequence.

    Parameters
    ----------
    source : Source
    asked : sequence
        Positions, or their texts.
    strict : bool
        Whether a position has no answer if one of its moves has no known value.
    turns : int, optional
        Also the chances within as many turns.

    Attributes
    ----------
    errors : dict of int to TablebaseError
        The reason for each position without an answer, by its place in the sequence, of the answers taken so far.
    missing : set of str
        Materials of missing tables that moves lead to, of the answers taken so far.
    """

    def __init__(self, source: Source[Any], asked: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> None:
        self._source, self._asked, self._strict, self._turns = source, asked, strict, turns
        self.errors: dict[int, TablebaseError] = {}
        self.missing: set[str] = set()

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
        """The answer at a place, or the error that is the reason why there is none."""
        position = as_asked(self._source.rules, self._asked[place])
        return self._source.probe(position, strict=self._strict, turns=self._turns)

    def unanswered(self, place: int, error: TablebaseError) -> Unanswered:
        """That there is no answer at a place, which is noted."""
        asked, self.errors[place] = self._asked[place], error
        return Unanswered(self._source.rules.name, asked if isinstance(asked, str) else repr(asked), error)

    def to_dicts(self, *, moves: bool = True) -> Iterator[dict[str, Any]]:
        """What `to_dict` of each answer gives; the field ``moves`` is left out if these are not wanted."""
        for answer in self:
            yield without_moves(answer.to_dict(), moves)


def without_moves(fields: dict[str, Any], moves: bool) -> dict[str, Any]:
    """The fields of an answer, without its moves unless these are wanted."""
    return fields if moves else {name: value for name, value in fields.items() if name != "moves"}
