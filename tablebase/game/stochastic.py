"""Rules as functions: games with chance, or with more than two players.

A `tablebase.game.Game` is data about pieces on squares. Games that are not of that kind, such as races with cards and
dice games, are classes with a few small functions about one state. A state is a tuple of whole numbers, the same number
of them throughout a game. In a state either a player moves, or chance does, or the game is over; a move leads to one
state, and so does each outcome of chance. A turn may consist of several moves and outcomes.

Tables of more than some million states need the same functions compiled: see `tablebase.game.kernels`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from tablebase.errors import NotationError, quoted
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import CHANCE, OVER, Draw, Ending
from tablebase.game.values import BOUNDED

if TYPE_CHECKING:
    from tablebase.game.kernels import Kernels, Region, StateEvaluation

# ruff: noqa: ARG002 (the defaults use few of their arguments)

State = tuple[int, ...]
_CODE = re.compile("[+-]?[0-9]{1,9}")


class StochasticGame(FunctionGame[State]):
    """A game of chance, of several players, or both.

    Attributes
    ----------
    start : tuple of int
        The initial state.
    """

    can = frozenset({"chance", "lookahead"})
    parts: ClassVar[Mapping[str, str]] = {
        **FunctionGame.parts,
        "tables": "tablebase.building.layer_kind:LayerTables",
        "values": "tablebase.probe.from_bounds:BoundsSource",
        "checks": "tablebase.testing.functions:STATE_CHECKS",
        "lines": "tablebase.functions.chance.paths:LINES",
    }
    value_fields = BOUNDED
    best_fields = ("best", "best_is_certain")
    repetitions = None
    most_turns_each = 250
    start: State

    def result(self, state: State) -> Ending | None:
        """Return how the game has ended, by the places of the players; None while it goes on."""
        return Ending(self.places(state)) if self.to_move(state) == OVER else None

    def read_move(self, word: str) -> str:
        """A move's code, with or without a sign: ``+5`` is ``5``."""
        if not _CODE.fullmatch(word):
            raise NotationError(f"{quoted(word)} is not a move: write its code, as in 5")
        return word.removeprefix("+")

    def move_text(self, state: State, move: str) -> str:
        """A move in words, for people."""
        return self.code_text(int(move))

    @abstractmethod
    def draws(self, state: State) -> tuple[Draw, ...]:
        """The outcomes of a state in which chance moves."""

    @abstractmethod
    def places(self, state: State) -> tuple[int, ...]:
        """The place of each player in a state in which the game is over, from 1; players may share a place."""

    @abstractmethod
    def begins_turn(self, state: State) -> bool:
        """Return whether a turn begins here, or the game is over; false in the middle of a turn."""

    def code_text(self, code: int) -> str:
        """A move's code in words, for people."""
        return str(code)

    def describe(self, state: State) -> dict[str, Any]:
        """A state as JSON, for programs; by default, as text alone."""
        return {"text": self.format(state)}

    def text_of(self, description: Mapping[str, Any]) -> str:
        """The inverse of `describe`: a state as text, which may still be refused by `parse`.

        Raises
        ------
        NotationError
            If the description does not have the right form.
        """
        text = description.get("text")
        if not isinstance(text, str) or len(description) > 1:
            raise NotationError(f"a state of {self.name} is described by its text, as in {self.describe(self.start)}")
        return text

    def kernels(self) -> Kernels | None:
        """The rules as compiled functions; by default there are none, and tables list all states from the start."""
        return None

    def evaluation(self, weights: Mapping[str, float]) -> StateEvaluation | None:
        """Return state values for a program that looks ahead; only for games with kernels. By default nothing.

        Parameters
        ----------
        weights : mapping of str to float
            Factors of some of the parts in `weights`; those of the others are 1.
        """
        return None

    def region(self, limits: Mapping[str, int | str]) -> Region:
        """The part of the states that a table holds; only for games with kernels.

        Parameters
        ----------
        limits : mapping of str to int or str
            Values for some of `limits`; the others have their defaults.

        Raises
        ------
        RulesError
            If a limit is not one that the game knows, or out of range.
        """
        raise NotImplementedError

    def source_modules(self) -> set[str]:
        """The modules whose source defines the rules: those of the author's classes, and that of their kernels."""
        kernels = self.kernels()
        return super().source_modules() | (set() if kernels is None else {kernels.module})


__all__ = ["CHANCE", "OVER", "Draw", "State", "StochasticGame"]
