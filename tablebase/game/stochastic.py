"""Rules as functions: games with chance, or with more than two players.

A `tablebase.game.Game` is data about pieces on squares. Other games, such as races with cards and
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
    """A game with chance, with more than two players, or both.

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
        """Return the ending, with the rank of each player, or None if the game is not over."""
        return Ending(self.places(state)) if self.to_move(state) == OVER else None

    def read_move(self, word: str) -> str:
        """Return the code of a move that a user has typed, such as ``5`` for ``+5``."""
        if not _CODE.fullmatch(word):
            raise NotationError(f"{quoted(word)} is not a move: write the number of a move, such as 5")
        return word.removeprefix("+")

    def move_text(self, state: State, move: str) -> str:
        """Describe a move in words."""
        return self.code_text(int(move))

    @abstractmethod
    def draws(self, state: State) -> tuple[Draw, ...]:
        """Return the possible outcomes of chance in a state, such as dice rolls."""

    @abstractmethod
    def places(self, state: State) -> tuple[int, ...]:
        """Return the rank of each player in a final state, from 1; players may share a rank."""

    @abstractmethod
    def begins_turn(self, state: State) -> bool:
        """Return True if a turn begins in this state or the game is over, and False in the middle of a turn."""

    def code_text(self, code: int) -> str:
        """Describe in words the move with this code."""
        return str(code)

    def describe(self, state: State) -> dict[str, Any]:
        """Return a state as JSON data; by default, a dict that contains only its text."""
        return {"text": self.format(state)}

    def text_of(self, description: Mapping[str, Any]) -> str:
        """Convert JSON data from `describe` back to the text of a state; the text is not checked.

        Raises
        ------
        NotationError
            If the JSON data has the wrong structure.
        """
        text = description.get("text")
        if not isinstance(text, str) or len(description) > 1:
            raise NotationError(f"invalid state of {self.name}: expected an object such as {self.describe(self.start)}")
        return text

    def kernels(self) -> Kernels | None:
        """Return the rules as compiled functions, or None (the default); without them, tables list all reachable states."""
        return None

    def evaluation(self, weights: Mapping[str, float]) -> StateEvaluation | None:
        """Return an evaluation of states for players that search ahead, or None (the default); an evaluation requires kernels.

        Parameters
        ----------
        weights : mapping of str to float
            Factors for the terms listed in the attribute `weights`; missing factors are 1.
        """
        return None

    def region(self, limits: Mapping[str, int | str]) -> Region:
        """Return the region of states that a table stores; only for games with kernels.

        Parameters
        ----------
        limits : mapping of str to int or str
            Values of the options listed in the attribute `limits`; missing options have their default values.

        Raises
        ------
        RulesError
            If a limit is unknown or out of range.
        """
        raise NotImplementedError

    def source_modules(self) -> set[str]:
        """Return the names of the modules that define the rules and kernels; the rules' digest includes their source code."""
        kernels = self.kernels()
        return super().source_modules() | (set() if kernels is None else {kernels.module})


__all__ = ["CHANCE", "OVER", "Draw", "State", "StochasticGame"]
