"""The contract of a game: a position is a plain value, and the rules hold every function of it.

Programs that play, probe or list need no more than this. Three kinds of rules fulfil it: `tablebase.game.Game` by data about pieces
on squares, `tablebase.game.functions.FunctionGame` and `tablebase.game.stochastic.StochasticGame` by their author's functions.
No program depends on the kind: `can` has what a game supports, and `parts` names what its kind delivers for other rooms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from tablebase.errors import NotationError
from tablebase.game.capabilities import part
from tablebase.game.types import CHANCE, OVER, Kind, Outcome, Side

if TYPE_CHECKING:
    from tablebase.game.features import Feature
    from tablebase.game.pictures import Pictures

# ruff: noqa: ARG002 (the defaults use few of their arguments)

P = TypeVar("P", bound=Hashable)


class Ending(NamedTuple):
    """The end of a game.

    Parameters
    ----------
    places : tuple of int
        The rank of each player, from 1; players may share a rank. In a draw of two players, both ranks are 1.
    why : str
        The reason in one or two words, such as ``goal`` or ``no move``.
    said : str
        The reason as a clause: ``the rat has reached d9``.
    """

    places: tuple[int, ...]
    why: str = "finished"
    said: str = ""

    @classmethod
    def of_two(cls, winner: int | None, why: str, said: str = "") -> Ending:
        """Return the ending of a two-player game, a draw if `winner` is None."""
        return cls((1, 1) if winner is None else (1 + winner, 2 - winner), why, said)

    @property
    def winner(self) -> int | None:
        """The player who is alone in first place; None in a draw."""
        return self.places.index(1) if self.places.count(1) == 1 else None

    def outcome(self, player: int) -> Outcome:
        """Return the result for a player; players who share the first place have drawn."""
        if self.places[player] != 1:
            return Outcome.LOSS
        return Outcome.DRAW if self.winner is None else Outcome.WIN


@dataclass(frozen=True)
class Draw:
    """An outcome of chance, such as a card or a roll of the die.

    Parameters
    ----------
    probability : Fraction
        Above 0; the probabilities of all draws in a position add up to 1.
    label : str
        One word for the card or the face of the die.
    state : position
        The next position.
    """

    probability: Fraction
    label: str
    state: Any


class Rules(ABC, Generic[P]):
    """The rules of a game; equal positions have the same future.

    Attributes
    ----------
    name : str
        The name on the command line, with its variant; also the folder of its tables.
    title : str
        A readable name.
    players : int
        Number of players, two or more; players are numbered from 0.
    sides : sequence of Side
        Letter and name of each player.
    can : frozenset of str
        Supported capabilities, from `tablebase.game.capabilities.CAPABILITIES`.
    parts : mapping of str to str
        Functions and classes for this kind of game in other packages, as ``module:name``; they are loaded when used.
    value_fields : tuple of str
        Fields of a value: outcome and distance; with chance, also bounds of the chance to win.
    best_fields : tuple of str
        Fields of a best move: the move; with chance, also whether it is certain to be best.
    repetitions : int or None
        A game is a draw when a position has occurred this often; None without this rule.
    most_turns_each : int or None
        Maximum number of turns of each player in a match; None without a limit.
    kinds : sequence of Kind
        The kinds of pieces; empty if there are none.
    limits : mapping of str to int or str
        Options that limit a table to a region of states, with their defaults; by default none.
    weights : mapping of str to str
        Terms of the evaluation that can be weighted, with their meanings; by default none.
    """

    # No more than names: a dataclass would take an inherited value for the default of its own field.
    name: str
    title: str
    players: int
    sides: Sequence[Side]
    can: frozenset[str] = frozenset()
    parts: ClassVar[Mapping[str, str]] = {
        "counts": "tablebase.functions.exact.paths:count_games",
        "lines": "tablebase.functions.exact.paths:LINES",
        "picture": "tablebase.svg.pictures:of_rules",
        "terminal": "tablebase.commands.drawings:write_text",
        "page": "tablebase.web.pages.pictures:of_rules",
    }
    value_fields: tuple[str, ...]
    best_fields: tuple[str, ...] = ("best",)
    repetitions: int | None
    most_turns_each: int | None
    kinds: Sequence[Kind]
    limits: ClassVar[Mapping[str, int | str]] = {}
    weights: ClassVar[Mapping[str, str]] = {}

    @property
    def features(self) -> tuple[Feature, ...]:
        """Properties of a position other than its value; by default none."""
        return ()

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the rules."""

    @property
    @abstractmethod
    def initial(self) -> P:
        """The initial position."""

    @abstractmethod
    def parse(self, text: str) -> P:
        """Return the position described by a text, which may be the end of a game; `NotationError` for an invalid text."""

    @abstractmethod
    def format(self, position: P) -> str:
        """Return a position as one line of text."""

    @abstractmethod
    def to_move(self, position: P) -> int:
        """Return the player to move, `CHANCE` if chance moves, or `OVER` after the end."""

    @abstractmethod
    def moves(self, position: P) -> Mapping[Any, P]:
        """Return the next position for each legal move; `str` of a move is its text, one word."""

    @abstractmethod
    def result(self, position: P) -> Ending | None:
        """Return the end of the game, or None if the game is not over."""

    def draws(self, position: P) -> Sequence[Draw]:
        """Return the outcomes of chance; empty if chance does not move."""
        return ()

    def begins_turn(self, position: P) -> bool:
        """Return whether a turn begins in this position, or the game is over; false within a turn of several moves and draws."""
        return True

    def given(self, position: Any) -> P:
        """Return a position given as an object instead of a text; `NotationError` if the game only accepts texts."""
        raise NotationError(
            f"invalid {self.name} position of type {type(position).__name__}: expected a text such as {self.format(self.initial)!r}"
        )

    def renamed(self, name: str) -> Self:
        """Return the same rules under the name of a variant."""
        renamed = copy(self)
        renamed.name = name
        return renamed

    def check_parts(self) -> None:
        """Raise `RulesError` if an attribute that the author must define is missing or invalid."""

    def check(self, position: P) -> None:
        """Raise `NotationError` for a position that no table can contain, unless the game is over."""

    def viewer(self, position: P) -> int:
        """Return the player for whom a position is valued by default: the player to move, else the first player."""
        return max(self.to_move(position), 0)

    def side(self, position: P) -> str:
        """Return the letter of the side to move, ``chance`` if chance moves, or an empty text after the end."""
        mover = self.to_move(position)
        return "chance" if mover == CHANCE else "" if mover == OVER else self.sides[mover].letter

    def standing(self, position: P) -> tuple[int, ...]:
        """Return the rank of each player if play stopped here; by default, all ranks are 1 before the end."""
        ending = self.result(position)
        return (1,) * self.players if ending is None else ending.places

    def is_deadlock(self, position: P) -> bool:
        """Return whether no player can ever move again, although the rules do not define the position as an end."""
        return False

    def read_move(self, word: str) -> str:
        """Return the standard text of a move that a user has typed; `NotationError` if it does not look like a move."""
        return word

    def move_text(self, position: P, move: str) -> str:
        """Describe a move in words; by default by its text."""
        return move

    def words(self, position: P, move: str) -> str:
        """Return a move's text, with its description unless both are equal."""
        meaning = self.move_text(position, move)
        return move if meaning == move else f"{move} ({meaning})"

    def made_by(self, position: P, move: str) -> Sequence[str]:
        """Return notable properties of a move, such as ``capture``; by default none."""
        return ()

    @property
    def pictures(self) -> Pictures | None:
        """The module of pictures next to the rules, see `tablebase.game.pictures`; None without one."""
        return None

    def shown(self, position: P, last: Any = None, arrows: Sequence[Any] = (), theme: Any = "light") -> Any:
        """Draw a position as the root of an SVG picture; games on squares also show the last move and arrows."""
        return part(self, "picture")(self, position, last, arrows, theme)

    def svg(self, position: P) -> str | None:
        """Return a picture of a position as SVG, by default from the module of pictures; None without one."""
        return None if self.pictures is None else self.pictures.svg(self, position, "light")

    def drawn(self, position: P) -> str | None:
        """Return a position as several lines of text for terminals; None without such a drawing."""
        return None if self.pictures is None else self.pictures.drawn(self, position)

    def legend(self) -> str:
        """Explain the characters of a drawing; empty if no explanation is needed."""
        return "" if self.pictures is None else self.pictures.legend

    def described(self, position: P) -> str:
        """Describe a position in words, for readers who cannot see its picture; by default by its text."""
        return f"The position {self.format(position)}." if self.pictures is None else self.pictures.described(self, position)

    def draw_text(self, label: str) -> str:
        """Describe an outcome of chance in words; by default by its label."""
        return label


def legal(rules: Rules[P], position: P) -> dict[str, P]:
    """Map each legal move's text to the next position."""
    return {str(move): after for move, after in rules.moves(position).items()}


__all__ = ["CHANCE", "OVER", "Draw", "Ending", "Rules", "legal"]
