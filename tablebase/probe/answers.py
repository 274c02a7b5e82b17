"""The result of a probe: a position's value and its moves, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from tablebase.errors import TablebaseError
from tablebase.game.rules import CHANCE, Rules
from tablebase.game.types import Outcome
from tablebase.game.values import EQUAL, AnyValue, Bounds, Value, fields_of
from tablebase.system.compute.messages import brief, count_plies

if TYPE_CHECKING:
    from tablebase.svg.markup import Svg


@dataclass(frozen=True)
class RatedDraw:
    """An outcome of chance, with its value for one player.

    Parameters
    ----------
    game : Rules
        Game of the position.
    probability : Fraction
        Probability of the outcome.
    label : str
        Name of the outcome, such as a card or the face of a die.
    child : hashable
        The position after the outcome.
    value : Bounds
        Bounds on the chance of winning after the outcome, for the same player as the value of the probed position.
    """

    game: Rules[Any]
    probability: Fraction
    label: str
    child: Any
    value: Bounds

    def to_dict(self) -> dict[str, Any]:
        """Return a dict with the JSON fields of the outcome."""
        fields = {"probability": str(self.probability), "card": self.label, "position": self.position}
        return {**fields, "lower": self.value.lower, "upper": self.value.upper}

    @property
    def position(self) -> str:
        """The next position as text."""
        return self.game.format(self.child)


@dataclass(frozen=True)
class RatedMove:
    """A legal move and its value for the player who makes it.

    Parameters
    ----------
    game : Rules
        Game of the position.
    asked : hashable
        The position before the move.
    move : str
        Text of the move; on boards with squares, origin and target as in ``a1a2``.
    child : hashable
        The position after the move.
    value : Value, Bounds or None
        Value of the move for the player who makes it, with a distance that includes the move; None if unknown.
    missing : str or None
        Material of the missing table if the value is unknown.
    draws : tuple of RatedDraw
        Outcomes of chance after the move, if chance is to move next.
    """

    game: Rules[Any]
    asked: Any
    move: str
    child: Any
    value: AnyValue | None
    missing: str | None = None
    draws: tuple[RatedDraw, ...] = ()

    def __repr__(self) -> str:
        return f"RatedMove({self.move}, {said(self.value)})"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict with the JSON fields of the move."""
        fields = {"move": self.move, "position": self.position, **fields_of(self.value)}
        if self.missing is not None:
            fields["missing"] = self.missing
        return {**fields, "outcomes": [draw.to_dict() for draw in self.draws]} if self.draws else fields

    @property
    def position(self) -> str:
        """The next position as text."""
        return self.game.format(self.child)

    @property
    def bounds(self) -> Bounds:
        """Bounds on the mover's chance of winning; 0 and 1 if the value is unknown."""
        return self.value if isinstance(self.value, Bounds) else Bounds(0, 1)

    @property
    def meaning(self) -> str:
        """The move in words, such as ``rat takes elephant``."""
        return self.game.move_text(self.asked, self.move)


class Within(NamedTuple):
    """Bounds on the chance that the side to move wins within a number of turns."""

    turns: int  # of all players together
    bounds: Bounds  # for the player to move: of winning within them, and one minus that of the other

    def to_dict(self) -> dict[str, Any]:
        """Return a dict with the JSON fields of the chances."""
        return {"turns": self.turns, **self.bounds.fields}


@brief
@dataclass(frozen=True)
class Probe:
    """Probe result of one position.

    Parameters
    ----------
    game : Rules
        Game of the position.
    asked : hashable
        The probed position.
    value : Value or Bounds
        Value for the side to move, or for the first player if no player is to move.
    moves : tuple of RatedMove
        All legal moves, best first. Wins are sorted by ascending distance, losses by descending distance, and moves in games with
        chance by descending lower bound. Moves of unknown value come last; moves of equal value are sorted by text or number.
    draws : tuple of RatedDraw
        Outcomes of chance, if chance is to move.
    stalling : float or None
        Lower bound on 1 minus the sum of both players' guaranteed winning chances; None if unknown. If this bound is above 0,
        both players can prolong the game forever.
    within : Within or None
        Bounds on the chance that the side to move wins within the requested number of turns; None if not requested.
    """

    game: Rules[Any]
    asked: Any
    value: AnyValue
    moves: tuple[RatedMove, ...]
    draws: tuple[RatedDraw, ...] = ()
    stalling: float | None = None
    within: Within | None = None

    def __repr__(self) -> str:
        best = f", best {self.best}" if self.is_best_certain else ""
        return f"Probe({self.game.name}, {self.position!r}, {self.value.said}{best})"

    def _repr_html_(self) -> str:
        from tablebase.probe.html import titled_table
        from tablebase.svg.pictures import has_pictures

        pictures = [self.picture()] if has_pictures(self.game) else []
        return titled_table(f"{self.position}: {self.value.said}", pictures, [move.to_dict() for move in self.moves])

    def picture(self, **options: Any) -> Svg:
        """Return a picture of the position, with an arrow for the best move if known; for options, see `tablebase.svg.board`."""
        # Pictures are loaded when one is drawn.
        from tablebase.svg.pictures import moved

        return moved(self.game, self.asked, None, self.best, **options)

    def features(self) -> dict[str, Any]:
        """Return the values of the game's features for the position; see `features_of`."""
        return features_of(self.game, self.asked)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict with the JSON fields of `tablebase probe --format json`."""
        fields = {"game": self.game.name, "position": self.position, "side": self.side, **self.value.fields}
        if isinstance(self.value, Bounds):
            fields["stalling"] = self.stalling
        fields |= {**self.best_fields, "moves": [move.to_dict() for move in self.moves]}
        if self.winner is not None:
            fields["winner"] = self.winner
        if self.draws:
            fields["outcomes"] = [draw.to_dict() for draw in self.draws]
        if self.within is not None:
            fields["within"] = self.within.to_dict()
        return fields

    @property
    def position(self) -> str:
        """The position as text."""
        return self.game.format(self.asked)

    @property
    def side(self) -> str:
        """Letter or number of the side to move; ``chance`` if chance is to move, or empty if a game with chance is over."""
        return self.game.side(self.asked)

    @property
    def winner(self) -> str | None:
        """Letter of the winner; None if the game is drawn or not over."""
        if self.distance != 0:
            return None
        player = self.game.viewer(self.asked)
        return self.game.sides[player if self.outcome is Outcome.WIN else 1 - player].letter

    @property
    def outcome(self) -> Outcome | None:
        """Outcome for the side to move; None if the bounds do not determine the outcome."""
        return self.value.outcome

    @property
    def distance(self) -> int | None:
        """Number of plies to the end of the game under best play; None for a draw and in games with chance."""
        return self.value.distance

    @property
    def best(self) -> str | None:
        """The best move, or None if unknown; in games with chance, the move with the highest lower bound."""
        if not self.moves:
            return None
        # Bounds of a position may be narrower than those of each move; a value is that of a move.
        return self.moves[0].move if isinstance(self.value, Bounds) or self.moves[0].value == self.value else None

    @property
    def candidates(self) -> int:
        """Number of moves that may be best according to their bounds."""
        return sum(move.bounds.upper - self.moves[0].bounds.lower > -EQUAL for move in self.moves)

    @property
    def is_best_certain(self) -> bool:
        """True if the best move is certain."""
        if self.best is None or isinstance(self.value, Value):
            return self.best is not None
        first, *others = (move.bounds for move in self.moves)
        return all(other.upper - first.lower < EQUAL for other in others)

    @property
    def is_open(self) -> bool:
        """True if, according to the bounds, more than one move may be best."""
        return self.best is not None and not self.is_best_certain

    @property
    def keeping(self) -> int | None:
        """Number of moves that keep the outcome; None if the number depends on a move of unknown value."""
        return None if self.outcome is None else _total([_has(move.value, self.outcome) for move in self.moves])

    @property
    def as_good(self) -> int | None:
        """Number of moves as good as the best move, including the best move; None if unknown."""
        others = _total([_is_same(move.value, self.moves[0].value) for move in self.moves[1:]])
        return None if others is None else others + len(self.moves[:1])

    @property
    def is_only(self) -> bool | None:
        """True if only one of several moves keeps a win or a draw; None if unknown."""
        outcome = self.outcome or Outcome.WIN
        if len(self.moves) < 2 or outcome is Outcome.LOSS or _has(self.value, outcome) is False:
            return False
        keep = [_has(move.value, outcome) for move in self.moves]
        if keep.count(True) > 1:
            return False
        return None if None in keep else True in keep

    @property
    def best_fields(self) -> dict[str, Any]:
        """Return a dict with the field ``best`` and, in games with chance, ``best_is_certain`` (null without a legal move)."""
        certain = {"best_is_certain": self.is_best_certain if self.moves else None} if isinstance(self.value, Bounds) else {}
        return {"best": self.best, **certain}

    @property
    def step(self) -> tuple[str, Any] | None:
        """The best move, or the most likely outcome of chance, with the next position; None at the end of the game.

        Among equally likely outcomes, the outcome with the value nearest to the average is chosen; if several are equally near,
        the middle one.
        """
        if self.draws:
            most = max(draw.probability for draw in self.draws)
            average = sum(float(draw.probability) * draw.value.middle for draw in self.draws)
            apart = [(abs(draw.value.middle - average), draw) for draw in self.draws if draw.probability == most]
            least = min(distance for distance, _ in apart)
            nearest = [draw for distance, draw in apart if distance - least < EQUAL]
            draw = nearest[len(nearest) // 2]
            return draw.label, draw.child
        return (self.best, self.moves[0].child) if self.best is not None else None

    @property
    def verdict(self) -> str:
        """The value as a sentence, with the best move or the number of moves that may be best."""
        if self.best is None:
            return self.said
        if self.is_best_certain:
            return f"{self.said}, best move {self.best}"
        return f"{self.said}; {self.candidates} of {len(self.moves)} moves may be best"

    @property
    def said(self) -> str:
        """The value as a sentence that names the side to move."""
        game, name = self.game, self.game.sides[self.game.viewer(self.asked)].name
        if self.winner is not None:
            return f"the game is over: {next(side.name for side in game.sides if side.letter == self.winner)} won"
        if isinstance(self.value, Value):
            if self.side == "":
                return "the game is over: it is a draw"
            if self.distance is None:
                return f"{name} to move: draw{'' if self.moves else ', no legal move'}"
            return f"{name} to move: {self.outcome} in {count_plies(self.distance)}"
        if (ending := game.result(self.asked)) is not None:
            return f"the game is over; places of the players: {', '.join(map(str, ending.places))}"
        who = f"a draw is next; {name}" if game.to_move(self.asked) == CHANCE else f"{name} to move"
        return f"{who}: {'' if self.outcome is not None else 'wins with '}{self.value.said}"


@brief
@dataclass(frozen=True)
class Unanswered:
    """Error for one position in a batch probe.

    Parameters
    ----------
    game : str
        Name of the game.
    position : str
        The position, as given in the query.
    error : TablebaseError
        Reason why the position has no result.
    """

    game: str
    position: str
    error: TablebaseError

    def to_dict(self) -> dict[str, Any]:
        """Return a dict with the JSON fields of `tablebase probe --format json` for a position with an error."""
        return {"game": self.game, "position": self.position, "error": {"code": self.error.code, "message": str(self.error)}}


def said(value: AnyValue | None) -> str:
    """A value in words; None as ``unknown``."""
    return "unknown" if value is None else value.said


def _total(flags: Sequence[bool | None]) -> int | None:
    return None if None in flags else sum(map(bool, flags))


def _has(value: AnyValue | None, outcome: Outcome) -> bool | None:
    """True if a value has an outcome; None if it may."""
    if value is None:
        return None
    if value.outcome is not None or isinstance(value, Value):
        return value.outcome is outcome
    return None if (1 - value.upper if outcome is Outcome.WIN else value.lower) < EQUAL else False


def _is_same(value: AnyValue | None, best: AnyValue | None) -> bool | None:
    if value is None or best is None:
        return None
    if not isinstance(value, Bounds) or not isinstance(best, Bounds):
        return value == best
    if best.lower - value.upper >= EQUAL:
        return False
    return True if max(value.upper, best.upper) - min(value.lower, best.lower) < EQUAL else None


def features_of(game: Rules[Any], position: Any) -> dict[str, Any]:
    """The game's own features of a position as a whole, by name."""
    # Most probes are not asked for them.
    from tablebase.positions.shown_features import features_at

    return {feature.name: value for feature, value in features_at(game, position)}
