"""A player that is a program of its own and speaks UCI."""

from __future__ import annotations

from random import Random

from tablebase.errors import ForfeitError, quoted
from tablebase.game.moves import Position
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.protocol.client import PATIENCE, Budget, UciClient


class UciPlayer(Player):
    """Asks an engine for its moves; after a failure, the engine is started anew for the next match.

    It has the budget for a move, and `patience` seconds more for each answer.
    """

    def __init__(self, seat: Seat, command: str, budget: Budget, patience: float = PATIENCE) -> None:
        super().__init__(f"the engine {command} plays")
        self._game, self._command, self._budget, self._patience = seat.rules, command, budget, patience
        self._client: UciClient | None = UciClient(command, seat.rules.name, patience)
        self._match: Match[Position] | None = None

    def choose(self, match: Match[Position], random: Random) -> str:
        """The engine's move; `ForfeitError` if it has ended, does not answer, or its move is not legal."""
        del random
        if self._client is None or not self._client.alive:
            self.close()
            self._client = UciClient(self._command, self._game.name, self._patience)
        if match is not self._match:
            self._match = match
            self._client.new_game()
        made = [event.text for event in match.events]
        text = self._client.best_move(self._game.format(match.start), made, self._budget)
        if text not in match.legal():
            raise ForfeitError(f"the engine {quoted(self._command)} has played {quoted(text)}, which is not a legal move")
        return text

    def close(self) -> None:
        """End the process."""
        super().close()
        if self._client is not None:
            self._client.close()
            self._client = None
