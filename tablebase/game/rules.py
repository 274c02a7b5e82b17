"""The contract of a game: a position is a plain value, and the rules hold every function of it.

Programs that play, probe or list need no more than this. Three kinds of rules fulfil it: `tablebase.game.Game` by data about pieces
on squares, `tablebase.game.functions.FunctionGame` and `tablebase.game.stochastic.StochasticGame` by their author's functions.
No program asks for the kind: `can` has what a game supports, and `parts` names what its kind delivers for other rooms.
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
    """Ending of a game.

    Parameters
    ----------
    places : tuple of int
        The place of each player, from 1; players may share a place. In a draw of two players both are first.
    why : str
        One word or two, such as ``goal`` or ``no move``.
    said : str
        The same as a clause for people: ``the rat has reached d9``.
    """

    places: tuple[int, ...]
    why: str = "finished"
    said: str = ""

    @classmethod
    def of_two(cls, winner: int | None, why: str, said: str = "") -> Ending:
        """The end of a game of two players; a draw without a winner."""
        return cls((1, 1) if winner is None else (1 + winner, 2 - winner), why, said)

    @property
    def winner(self) -> int | None:
        """The player who is first alone; None in a draw."""
        return self.places.index(1) if self.places.count(1) == 1 else None

    def outcome(self, player: int) -> Outcome:
        """The result for a player: a draw for those who share the first place."""
        if self.places[player] != 1:
            return Outcome.LOSS
        return Outcome.DRAW if self.winner is None else Outcome.WIN


@dataclass(frozen=True)
class Draw:
    """One outcome of chance.

    Parameters
    ----------
    probability : Fraction
        Above 0; those of a position add up to 1.
    label : str
        The card or the face of the die, one word.
    state : position
        The position that it leads to, a state.
    """

    probability: Fraction
    label: str
    state: Any


class Rules(ABC, Generic[P]):
    """Rules of a game; equal positions have the same future.

    Attributes
    ----------
    name : str
        The name on the command line, with its variant; also the folder of its tables.
    title : str
        The name for people.
    players : int
        Two or more, numbered from 0.
    sides : sequence of Side
        Letter and name of each player.
    can : frozenset of str
        Capabilities: what the game supports, of `tablebase.game.capabilities.CAPABILITIES`.
    parts : mapping of str to str
        Module and name of what the kind of game delivers for other rooms of the package, loaded when it is used.
    value_fields : tuple of str
        The fields of its values: outcome and distance; with chance, also bounds of the chance to win.
    best_fields : tuple of str
        The fields of a best move: the move; with chance, also whether it is certain to be best.
    repetitions : int or None
        Occurrences of a position with which a game is a draw; None if they mean nothing.
    most_turns_each : int or None
        Turns of each player after which a game is broken off; None if it goes on.
    kinds : sequence of Kind
        The kinds of pieces; empty if there are none.
    limits : mapping of str to int or str
        What bounds a table's region, with the defaults; by default nothing does.
    weights : mapping of str to str
        The parts of the game's evaluation that can be weighed, each with what it means; by default none.
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
        """Facts about a position other than its value; by default none."""
        return ()

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the rules."""

    @property
    @abstractmethod
    def initial(self) -> P:
        """The position that a game begins with."""

    @abstractmethod
    def parse(self, text: str) -> P:
        """The position that a text describes, even one in which the game is over; `NotationError` if there is none."""

    @abstractmethod
    def format(self, position: P) -> str:
        """A position as one line of text."""

    @abstractmethod
    def to_move(self, position: P) -> int:
        """The player who moves; `CHANCE` or `OVER` if nobody does."""

    @abstractmethod
    def moves(self, position: P) -> Mapping[Any, P]:
        """The position that each legal move leads to; the text of a move is `str` of it, one word."""

    @abstractmethod
    def result(self, position: P) -> Ending | None:
        """Return the ending of the game; None if and only if the game is not over."""

    def draws(self, position: P) -> Sequence[Draw]:
        """List the draws of a position in which chance moves."""
        return ()

    def begins_turn(self, position: P) -> bool:
        """Return whether a turn begins here, or the game is over; false in the middle of a turn of several moves and draws."""
        return True

    def given(self, position: Any) -> P:
        """A position that a caller has made, with whatever mark belongs to it; `NotationError` if there are only texts."""
        raise NotationError(
            f"a position of {self.name} is a text such as {self.format(self.initial)!r}, not of type {type(position).__name__}"
        )

    def renamed(self, name: str) -> Self:
        """The same rules under another name, that of a variant."""
        renamed = copy(self)
        renamed.name = name
        return renamed

    def check_parts(self) -> None:
        """Raise `RulesError` if a part of what an author describes is missing, or is not what it should be."""

    def check(self, position: P) -> None:
        """Raise `NotationError` where no table can have a position, unless the game is over."""

    def viewer(self, position: P) -> int:
        """The player whose value a position has, if nobody is named: who moves, else the first one."""
        return max(self.to_move(position), 0)

    def side(self, position: P) -> str:
        """Return who moves, for programs: the letter of a side, ``chance``, or nothing after the end."""
        mover = self.to_move(position)
        return "chance" if mover == CHANCE else "" if mover == OVER else self.sides[mover].letter

    def standing(self, position: P) -> tuple[int, ...]:
        """The place of each player if play were broken off here; by default, nobody is ahead before the end."""
        ending = self.result(position)
        return (1,) * self.players if ending is None else ending.places

    def is_deadlock(self, position: P) -> bool:
        """Return whether play is over because no player can ever move again, though no position is an end."""
        return False

    def read_move(self, word: str) -> str:
        """A move as it is written, from what a person types; `NotationError` for what does not look like a move."""
        return word

    def move_text(self, position: P, move: str) -> str:
        """A move in words, for people."""
        return move

    def words(self, position: P, move: str) -> str:
        """A move for people: its text, and its meaning unless the text alone says it."""
        meaning = self.move_text(position, move)
        return move if meaning == move else f"{move} ({meaning})"

    def made_by(self, position: P, move: str) -> Sequence[str]:
        """Remarkable features of a move, such as ``capture``; by default none."""
        return ()

    @property
    def pictures(self) -> Pictures | None:
        """Position pictures by a module beside the rules, see `tablebase.game.pictures`; None without one."""
        return None

    def shown(self, position: P, last: Any = None, arrows: Sequence[Any] = (), theme: Any = "light") -> Any:
        """A position drawn, as the root of an SVG picture, with the last move and arrows where the kind of game marks them."""
        return part(self, "picture")(self, position, last, arrows, theme)

    def svg(self, position: P) -> str | None:
        """A picture of a position as SVG, by default that of the module of pictures; None without one."""
        return None if self.pictures is None else self.pictures.svg(self, position, "light")

    def drawn(self, position: P) -> str | None:
        """A position drawn with characters, on several lines, for terminals; None if there is no more to see than its text."""
        return None if self.pictures is None else self.pictures.drawn(self, position)

    def legend(self) -> str:
        """Explain the characters of a drawing; empty if there is nothing to explain."""
        return "" if self.pictures is None else self.pictures.legend

    def described(self, position: P) -> str:
        """A position in words, for those who do not see its picture; by default its text."""
        return f"The position {self.format(position)}." if self.pictures is None else self.pictures.described(self, position)

    def draw_text(self, label: str) -> str:
        """An outcome of chance in words, for people."""
        return label


def legal(rules: Rules[P], position: P) -> dict[str, P]:
    """Map each legal move's text to the next position."""
    return {str(move): after for move, after in rules.moves(position).items()}


__all__ = ["CHANCE", "OVER", "Draw", "Ending", "Rules", "legal"]
