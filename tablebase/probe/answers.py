"""The result of a probe: a position's value and its moves, best first; and a line, which consists of such results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position
from tablebase.game.notation import render, render_move
from tablebase.tables.values import Value

if TYPE_CHECKING:
    from tablebase.svg.markup import Svg

FEW = 4
"""Moves of a line that its `repr` shows."""
SHOWN = 30
"""Positions of a line that a notebook shows as pictures."""
SMALL = 240
"""Size of these pictures, in pixels."""
LOST = Value(Outcome.LOSS, 0)
"""The value of a position after a move that wins."""


@dataclass(frozen=True)
class RatedMove:
    """A legal move and its value for the side that makes it.

    Parameters
    ----------
    game : Game
    legal_move : Move
    child : Position
        The position after the move.
    value : Value or None
        The mover's outcome, and the plies to it, including this move; None if it is unknown.
    missing : str or None
        The material whose table would have the value, if that has not been built.
    """

    game: Game
    legal_move: Move
    child: Position
    value: Value | None
    missing: str | None = None

    def __repr__(self) -> str:
        return f"RatedMove({self.move}, {in_words(self.value)})"

    def to_dict(self) -> dict[str, Any]:
        """The move, and the position after it with the mover's value; its fields are stable."""
        fields = {"move": self.move, "position": self.position, **value_fields(self.value)}
        return fields if self.missing is None else {**fields, "missing": self.missing}

    @property
    def move(self) -> str:
        """The move as its origin and target, ``a1a2``."""
        return render_move(self.game, self.legal_move)

    @property
    def position(self) -> str:
        """The position after the move, as text."""
        return render(self.game, self.child)


@dataclass(frozen=True)
class Probe:
    """The result for one position.

    Parameters
    ----------
    game : Game
    asked : Position
        The probed position.
    value : Value
        Outcome and distance for the side to move.
    moves : tuple of RatedMove
        All legal moves, best first: wins by ascending distance, draws, losses by descending distance, then those of
        unknown value; moves of equal value by their text.
    """

    game: Game
    asked: Position
    value: Value
    moves: tuple[RatedMove, ...]

    def __repr__(self) -> str:
        best = f", best {self.best}" if self.moves else ""
        return f"Probe({self.game.name}, {self.position!r}, {in_words(self.value)}{best})"

    def _repr_html_(self) -> str:
        from tablebase.probe.html import titled_table

        return titled_table(f"{self.position}: {in_words(self.value)}", [self.picture()], [move.to_dict() for move in self.moves])

    def picture(self, **options: Any) -> Svg:
        """The position with an arrow for the best move; options are those of `tablebase.svg.board`."""
        # Pictures are loaded when one is drawn.
        from tablebase.svg.pictures import board

        return board(self.game, self.asked, **{"arrows": [self.best] if self.best else [], **options})

    def to_dict(self) -> dict[str, Any]:
        """What `tablebase probe --format json` writes of a position; its fields are stable."""
        return {
            "game": self.game.name,
            "position": self.position,
            "side": self.side,
            **value_fields(self.value),
            "best": self.best,
            "moves": [move.to_dict() for move in self.moves],
            **({} if self.winner is None else {"winner": self.winner}),
        }

    @property
    def position(self) -> str:
        """The position as text."""
        return render(self.game, self.asked)

    @property
    def side(self) -> str:
        """Letter of the side to move, to which the outcome refers."""
        return self.game.sides[self.asked.side].letter

    @property
    def winner(self) -> str | None:
        """Letter of the side that has won, if the game is over; else None."""
        if self.distance != 0:
            return None
        return self.game.sides[self.asked.side if self.outcome is Outcome.WIN else 1 - self.asked.side].letter

    @property
    def outcome(self) -> Outcome:
        """Win, loss or draw for the side to move."""
        return self.value.outcome

    @property
    def distance(self) -> int | None:
        """Plies to the result under best play; None for a draw."""
        return self.value.distance

    @property
    def best(self) -> str | None:
        """The first of the moves; None if there is no legal move, or a move of unknown value may be better."""
        return self.moves[0].move if self.moves and self.moves[0].value == self.value else None


@dataclass(frozen=True)
class Unanswered:
    """A position without an answer.

    Parameters
    ----------
    game : str
    position : str
        As it was asked.
    error : TablebaseError
        The reason.
    """

    game: str
    position: str
    error: TablebaseError

    def to_dict(self) -> dict[str, Any]:
        """What `tablebase probe --format json` writes instead of an answer; its fields are stable."""
        return {"game": self.game, "position": self.position, "error": {"code": self.error.code, "message": str(self.error)}}


class Line(list[Probe]):
    """An optimal line: a list of the probes of its positions.

    Parameters
    ----------
    probes : iterable of Probe
    plies : int, optional
        The length at which it was cut.
    """

    def __init__(self, probes: Iterable[Probe], plies: int | None = None) -> None:
        super().__init__(probes)
        self.plies = plies

    def __repr__(self) -> str:
        first, moves = self[0], [str(probe.best) for probe in self if probe.moves]
        shown = " ".join([*moves[:FEW], *(["…"] if len(moves) > FEW else [])])
        return f"Line({first.game.name}, {first.position!r}, {in_words(first.value)}: {shown})"

    def _repr_html_(self) -> str:
        from tablebase.probe.html import titled_table

        first, rows = self[0], self.to_dict()
        return titled_table(f"{first.position}: {in_words(first.value)}", list(islice(self._drawn({"size": SMALL}), SHOWN)), rows)

    def pictures(self, **options: Any) -> list[Svg]:
        """A picture for each row of `to_dict`, with its last and its best move; options are those of `tablebase.svg.board`."""
        return list(self._drawn(options))

    def _drawn(self, options: Mapping[str, Any]) -> Iterator[Svg]:
        from tablebase.svg.pictures import board

        last = None
        for row in self.to_dict():
            best = row["best"]
            yield board(self[0].game, row["position"], **{"last_move": last, "arrows": [best] if best else [], **options})
            last = best

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tablebase line --format json` writes: a row for each position, and one for the end of the game if it is reached."""
        rows = [
            {"ply": ply, "side": probe.side, **value_fields(probe.value), "best": probe.best, "position": probe.position}
            for ply, probe in enumerate(self)
        ]
        last = self[-1]
        if last.distance == 1 and (self.plies is None or len(rows) <= self.plies):
            loser, end = last.game.sides[1 - last.asked.side].letter, last.moves[0].position
            rows.append({"ply": len(rows), "side": loser, **value_fields(LOST), "best": None, "position": end})
        return rows


def in_words(value: Value | None) -> str:
    """A value as ``win in 21`` or ``draw``; None as ``unknown``."""
    if value is None:
        return "unknown"
    return str(value.outcome) if value.distance is None else f"{value.outcome} in {value.distance}"


def value_fields(value: Value | None) -> dict[str, Any]:
    """A value as the fields ``outcome`` and ``distance``, which are None if it is unknown."""
    return {"outcome": None, "distance": None} if value is None else {"outcome": str(value.outcome), "distance": value.distance}
