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
    """The ending of a game, which consists of the rank of each player and the reason.

    Parameters
    ----------
    places : tuple of int
        The rank of each player, from 1; players may share a rank. In a draw between two players, both ranks are 1.
    why : str
        The reason in one or two words, such as ``goal`` or ``no move``.
    said : str
        The reason as a clause, such as ``the rat has reached d9``.
    """

    places: tuple[int, ...]
    why: str = "finished"
    said: str = ""

    @classmethod
    def of_two(cls, winner: int | None, why: str, said: str = "") -> Ending:
        """Return the ending of a two-player game, which is a draw if `winner` is None."""
        return cls((1, 1) if winner is None else (1 + winner, 2 - winner), why, said)

    @property
    def winner(self) -> int | None:
        """The only player in first place; None if several players share first place."""
        return self.places.index(1) if self.places.count(1) == 1 else None

    def outcome(self, player: int) -> Outcome:
        """Return the result for a player; a shared first place is a draw."""
        if self.places[player] != 1:
            return Outcome.LOSS
        return Outcome.DRAW if self.winner is None else Outcome.WIN


@dataclass(frozen=True)
class Draw:
    """An outcome of chance, such as a card or a die roll.

    Parameters
    ----------
    probability : Fraction
        Probability of the outcome, above 0; the probabilities of all outcomes in a position add up to 1.
    label : str
        The outcome in one word, such as the name of a card or the number on a die.
    state : position
        The next position.
    """

    probability: Fraction
    label: str
    state: Any


class Rules(ABC, Generic[P]):
    """The rules of a game; a position must contain everything that affects further play.

    Attributes
    ----------
    name : str
        Name of the game and variant, used on the command line and for the folder of its tables.
    title : str
        Name of the game as shown to users.
    players : int
        Number of players, two or more; players are numbered from 0.
    sides : sequence of Side
        Letter and name of each player.
    can : frozenset of str
        Capabilities of the game, such as ``chance``, from `tablebase.game.capabilities.CAPABILITIES`.
    parts : mapping of str to str
        Functions and classes that implement commands for the game, as ``module:name``; they are imported on first use.
    value_fields : tuple of str
        JSON fields of a value (outcome and distance; in games with chance, also bounds on the chance of winning).
    best_fields : tuple of str
        JSON fields of the best move (the move; in games with chance, also a flag that is true if the move is certain to be best).
    repetitions : int or None
        Number of times that a position must occur for a draw by repetition; None if repetitions are not a draw.
    most_turns_each : int or None
        Maximum number of turns for each player in a match; None for no limit.
    kinds : sequence of Kind
        The kinds of pieces; empty for games without pieces.
    limits : mapping of str to int or str
        Options that restrict a table to some of the states, each with its default value; empty by default.
    weights : mapping of str to str
        Terms of the evaluation that can be weighted, each with its description; empty by default.
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
        """Features (computed properties) of positions; by default, none."""
        return ()

    @property
    @abstractmethod
    def digest(self) -> str:
        """Hexadecimal SHA-256 digest of the rules."""

    @property
    @abstractmethod
    def initial(self) -> P:
        """The initial position."""

    @abstractmethod
    def parse(self, text: str) -> P:
        """Parse a position text, which may describe the end of a game; raise `NotationError` if the text is invalid."""

    @abstractmethod
    def format(self, position: P) -> str:
        """Return a position as one line of text."""

    @abstractmethod
    def to_move(self, position: P) -> int:
        """Return the player to move, `CHANCE` if chance is to move, or `OVER` if the game is over."""

    @abstractmethod
    def moves(self, position: P) -> Mapping[Any, P]:
        """Return a dict from each legal move to the next position; ``str(move)``, the text of the move, is one word."""

    @abstractmethod
    def result(self, position: P) -> Ending | None:
        """Return the ending of the game, or None if the game is not over."""

    def draws(self, position: P) -> Sequence[Draw]:
        """Return the possible outcomes of chance, such as dice rolls; the result is empty unless chance is to move."""
        return ()

    def begins_turn(self, position: P) -> bool:
        """Return True if a turn begins in this position or the game is over, and False in the middle of a turn."""
        return True

    def given(self, position: Any) -> P:
        """Check a position object and return it; raise `NotationError` if the game accepts only position texts."""
        kind, example = type(position).__name__, self.format(self.initial)
        raise NotationError(f"invalid {self.name} position of type {kind}: expected a string such as {example!r}")

    def renamed(self, name: str) -> Self:
        """Return a copy of the game with a different name, for a variant."""
        renamed = copy(self)
        renamed.name = name
        return renamed

    def check_parts(self) -> None:
        """Raise `RulesError` if a required attribute is missing or invalid."""

    def check(self, position: P) -> None:
        """Raise `NotationError` if the game is not over and no table can contain the position."""

    def viewer(self, position: P) -> int:
        """Return the player to move, or player 0 if no player is to move; by default, values are for this player."""
        return max(self.to_move(position), 0)

    def side(self, position: P) -> str:
        """Return the letter of the side to move, ``chance`` if chance is to move, or an empty string if the game is over."""
        mover = self.to_move(position)
        return "chance" if mover == CHANCE else "" if mover == OVER else self.sides[mover].letter

    def standing(self, position: P) -> tuple[int, ...]:
        """Return the rank that each player would have if the game stopped now; by default, rank 1 for every player."""
        ending = self.result(position)
        return (1,) * self.players if ending is None else ending.places

    def is_deadlock(self, position: P) -> bool:
        """Return True if no player can ever move again, but the rules do not end the game."""
        return False

    def read_move(self, word: str) -> str:
        """Return the standard text of a move that a user has typed; raise `NotationError` if the text cannot be a move."""
        return word

    def move_text(self, position: P, move: str) -> str:
        """Describe a move in words; by default, return its text."""
        return move

    def words(self, position: P, move: str) -> str:
        """Return the text of a move, followed by its description in parentheses if the description differs."""
        meaning = self.move_text(position, move)
        return move if meaning == move else f"{move} ({meaning})"

    def made_by(self, position: P, move: str) -> Sequence[str]:
        """Return properties of a move, such as ``capture``; by default, none."""
        return ()

    @property
    def pictures(self) -> Pictures | None:
        """Drawing functions from the module ``NAME_pictures`` in the rules' folder, or None; see `tablebase.game.pictures`."""
        return None

    def shown(self, position: P, last: Any = None, arrows: Sequence[Any] = (), theme: Any = "light") -> Any:
        """Return the root element of an SVG picture of a position; the last move and arrows need a board with squares."""
        return part(self, "picture")(self, position, last, arrows, theme)

    def svg(self, position: P) -> str | None:
        """Return a picture of a position as SVG text, drawn by `pictures`; None if the game has no pictures."""
        return None if self.pictures is None else self.pictures.svg(self, position, "light")

    def drawn(self, position: P) -> str | None:
        """Return a drawing of a position for terminals, as lines of text; None if the game has no such drawing."""
        return None if self.pictures is None else self.pictures.drawn(self, position)

    def legend(self) -> str:
        """Return an explanation of the characters in a text drawing, or an empty string."""
        return "" if self.pictures is None else self.pictures.legend

    def described(self, position: P) -> str:
        """Describe a position in words, for the alt text of its picture; the default includes the position's text."""
        return f"The position {self.format(position)}." if self.pictures is None else self.pictures.described(self, position)

    def draw_text(self, label: str) -> str:
        """Describe an outcome of chance in words; by default, return its label."""
        return label


def legal(rules: Rules[P], position: P) -> dict[str, P]:
    """Return a dict from the text of each legal move to the next position."""
    return {str(move): after for move, after in rules.moves(position).items()}


__all__ = ["CHANCE", "OVER", "Draw", "Ending", "Rules", "legal"]
