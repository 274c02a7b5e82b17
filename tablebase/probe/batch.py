"""Answers for many positions: each has a value and rated moves, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game import Game
from tablebase.game.game_arguments import as_asked
from tablebase.game.moves import GOAL, Position
from tablebase.game.values import LOST, Value
from tablebase.positions.position_arrays import Int8, Mixed, Rows, joined, mixed
from tablebase.positions.texts import read_texts, write_texts
from tablebase.probe.answers import Probe
from tablebase.probe.slice_values import KNOWN, OUTCOMES, SIGNS, Int16, Slices, value_of
from tablebase.probe.source import ProbeResults, Source, without_moves

if TYPE_CHECKING:
    from tablebase.probe.scored_moves import Rated

NOWHERE = -1
BLOCK = 1 << 17
"""Positions whose moves are looked up together."""
FEW = 1 << 12
"""Positions whose answers are in memory together, as dictionaries."""


class Answers(ProbeResults):
    """Probe results for many positions of a game with pieces on squares; see `ProbeResults`.

    All values are looked up in advance, but the moves of a position are only probed when its result is read. With ``strict``, a
    position with a move that leads to a missing table gets an error instead of a result.

    Attributes
    ----------
    outcomes : ndarray of int8, shape (positions,)
        1 for a win of the side to move, -1 for a loss, and 0 for a draw or an error.
    distances : ndarray of int16, shape (positions,)
        Distance in plies; -1 for a draw or an error.
    """

    def __init__(self, source: Source[Position], slices: Slices, asked: Sequence[str | Position], *, strict: bool = False) -> None:
        super().__init__(source, asked, strict=strict)
        self._game, self._slices = slices.game, slices
        self.outcomes: Int8 = np.zeros(len(asked), dtype=np.int8)
        self.distances: Int16 = np.full(len(asked), -1, dtype=np.int16)
        self._over: dict[int, Position] = {}
        self._positions, places = self._read()
        values = self._slices.values(self._positions)
        self.outcomes[places], self.distances[places] = values.outcomes, values.distances
        for row in np.flatnonzero(values.reasons != KNOWN).tolist():
            self.errors[int(places[row])] = values.errors[values.reasons[row]]
        self._rows: Rows = np.full(len(asked), NOWHERE)
        self._rows[places] = np.arange(len(places))

    def _read(self) -> tuple[Mixed, Rows]:
        """The positions in which the game is not over, and the place of each among those that were asked."""
        texts = [position if isinstance(position, str) else "" for position in self._asked]
        read, places = read_texts(self._game, texts)
        proper = np.flatnonzero(self._slices.proper(read))
        read, places = read.take(proper), places[proper]
        left = np.ones(len(texts), dtype=bool)
        left[places] = False
        others: dict[int, Position] = {}
        for place in np.flatnonzero(left).tolist():
            try:
                position = as_asked(self._game, self._asked[place])
            except TablebaseError as error:
                self.errors[place] = error
                continue
            if position.won:
                self._over[place] = position
                self.outcomes[place], self.distances[place] = SIGNS[LOST.outcome], 0
            else:
                others[place] = position
        return joined([read, mixed(list(others.values()))]), np.append(places, np.array(list(others), dtype=np.int64))

    def answer(self, place: int) -> Probe:
        """Return the result at an index; raise the error of the position, if any."""
        if self._kept is None and place in self._over:
            return self._ended(place)
        if place in self.errors:
            raise self.errors[place]
        return super().answer(place)

    def values(self) -> list[Value | None]:
        """Return the value of each position for the side to move; None for a position with an error."""
        values: list[Value | None] = [value_of(*one) for one in zip(self.outcomes.tolist(), self.distances.tolist(), strict=True)]
        for place in self.errors:
            values[place] = None
        return values

    def to_dicts(self, *, moves: bool = True) -> Iterator[dict[str, Any]]:
        """Yield a dict with the JSON fields of each result; faster than `to_dict`. ``moves=False`` omits the moves."""
        if self._kept is not None:
            yield from super().to_dicts(moves=moves)
            return
        for begin in range(0, len(self), BLOCK):
            places = range(begin, min(begin + BLOCK, len(self)))
            asked = [
                place for place in places if self._rows[place] != NOWHERE and self.distances[place] and place not in self.errors
            ]
            found = dict(zip(asked, self._answered(np.array(asked, dtype=np.int64), moves), strict=True))
            for place in places:
                if place in found:
                    yield found[place]
                elif place in self.errors:
                    yield self.unanswered(place, self.errors[place]).to_dict()
                else:
                    yield without_moves(self._ended(place).to_dict(), moves)

    def _ended(self, place: int) -> Probe:
        position = self._over[place] if place in self._over else self._positions.position(int(self._rows[place]))
        return Probe(self._game, position, value_of(int(self.outcomes[place]), 0), ())

    def _answered(self, places: Rows, with_moves: bool) -> Iterator[dict[str, Any]]:
        positions = self._positions.take(self._rows[places])
        # Those who ask for values alone list no moves.
        from tablebase.probe.scored_moves import rated_moves

        rated = rated_moves(self._slices, positions)
        sure = rated.best(self.outcomes[places], self.distances[places])
        unanswered = self._unanswered_moves(rated)
        for begin in range(0, len(places), FEW):
            some = slice(begin, begin + FEW)
            fields = self._fields(places[some], positions.take(some), rated.take(some), sure[some].tolist(), with_moves)
            for number, one in enumerate(fields, start=begin):
                error = unanswered.get(number)
                yield one if error is None else self.unanswered(int(places[number]), error).to_dict()

    def _fields(
        self, places: Rows, positions: Mixed, rated: Rated, sure: Sequence[bool], with_moves: bool
    ) -> Iterator[dict[str, Any]]:
        """Yield `Probe.to_dict` of these positions; the first move is named as the best where that is sure."""
        game, squares = self._game, self._game.board.names
        steps = zip(rated.moves.origins.tolist(), rated.moves.targets.tolist(), strict=True)
        names = [squares[origin] + squares[target] for origin, target in steps]
        moves = _move_fields(names, rated, _child_texts(game, rated)) if with_moves else []
        values = zip(self.outcomes[places].tolist(), self.distances[places].tolist(), strict=True)
        ends = pairwise(rated.begin.tolist())
        rows = zip(write_texts(game, positions), positions.sides.tolist(), values, ends, sure, strict=True)
        for text, side, value, (first, last), is_sure in rows:
            yield {
                "game": game.name,
                "position": text,
                "side": game.sides[side].letter,
                **value_of(*value).fields,
                "best": names[first] if is_sure else None,
                **({"moves": moves[first:last]} if with_moves else {}),
            }

    def _unanswered_moves(self, rated: Rated) -> dict[int, TablebaseError]:
        """Return why positions have no answer although their own value is known, by number."""
        found: dict[int, TablebaseError] = {}
        for move in np.flatnonzero(rated.values.reasons != KNOWN).tolist():
            error = rated.values.errors[rated.values.reasons[move]]
            if self._strict or not isinstance(error, MissingTableError):
                found.setdefault(int(rated.moves.rows[move]), error)
            elif error.material is not None:
                self.missing.add(error.material)
        return found


def _child_texts(game: Game, rated: Rated) -> list[str]:
    """The positions after the moves as text; the text of a won one may need the mark of its last move."""
    texts = write_texts(game, rated.children)
    for move in np.flatnonzero(rated.moves.wins).tolist() if _hides_wins(game) else ():
        texts[move] = game.format(rated.children.position(move)._replace(won=GOAL))
    return texts


@cache
def _hides_wins(game: Game) -> bool:
    """Return whether a step wins on a square where its piece may also stand in play, so that the board does not show the win."""
    return any(step.wins and step.target in kind.homes for kind in game.kinds for step in kind.steps)


def _move_fields(names: Sequence[str], rated: Rated, children: Sequence[str]) -> list[dict[str, Any]]:
    outcomes = np.array([str(OUTCOMES[outcome]) for outcome in (0, 1, -1)], dtype=object)[rated.values.outcomes].tolist()
    distances = [plies if plies >= 0 else None for plies in rated.values.distances.tolist()]
    rows = zip(names, children, outcomes, distances, strict=True)
    fields = [{"move": move, "position": child, "outcome": outcome, "distance": plies} for move, child, outcome, plies in rows]
    for move in np.flatnonzero(rated.values.reasons != KNOWN).tolist():
        error = rated.values.errors[rated.values.reasons[move]]
        fields[move] |= {"outcome": None, "distance": None, "missing": getattr(error, "material", None)}
    return fields
