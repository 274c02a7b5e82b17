"""A game as it is played, of any kind: what has happened in it, who is to move, and when and why it is over.

Nothing here chooses a move, and nothing does input or output: see `tablebase.play.players` and `tablebase.commands.playing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random, SystemRandom
from typing import Generic, NamedTuple

from tablebase.errors import RulesError, TablebaseError, quoted
from tablebase.game.guards import contradiction
from tablebase.game.rules import CHANCE, OVER, Ending, P, Rules, legal

REPEATED, RESIGNED, DEADLOCK, BROKEN_OFF = "repeated", "resigned", "deadlock", "broken off"
"""Reason why a match is over though its position is not an end."""
TIMES = {2: "twice", 3: "three times"}


class Event(NamedTuple, Generic[P]):
    """Something that has happened in a game."""

    player: int  # who has moved; of a draw, who has moved before it
    text: str  # the move, or the label of the draw
    drawn: bool  # whether it is a draw
    position: P  # what it has led to


class Match(Generic[P]):
    """A game played from a position, whose moves can be taken back; draws are made as they come up.

    The source of draws is by default chance itself. After `most_turns` of all players together, by default as many as the rules
    say, the match is broken off. It begins with the moves and draws that have `happened`, by their text; draws that are not among
    them are made. `RulesError` if one of them is not possible.

    The attribute `events` has all that has happened and was not taken back; `player` is to move, or `OVER` if the position ends the
    game; `turns` have ended, and `plies` were made.
    """

    def __init__(
        self, rules: Rules[P], start: P, random: Random | None = None, most_turns: int | None = None, happened: Sequence[str] = ()
    ) -> None:
        self.rules, self.start = rules, start
        self.random = SystemRandom() if random is None else random
        if most_turns is None and rules.most_turns_each is not None:
            most_turns = rules.most_turns_each * rules.players
        self.most_turns = most_turns
        self.events: list[Event[P]] = []
        self.turns = self.plies = 0
        self._legal: dict[str, P] | None = None
        self._ending: Ending | None
        self._to_repeat = list(reversed(happened))
        self._draw(0)
        while self._to_repeat:
            self.play(self._to_repeat.pop())

    @property
    def position(self) -> P:
        """The current position, in which a player is to move unless the game is over."""
        return self.events[-1].position if self.events else self.start

    @property
    def positions(self) -> list[P]:
        """All positions, the start first."""
        return [self.start, *(event.position for event in self.events)]

    def legal(self) -> dict[str, P]:
        """Position after each legal move; empty once the game is over."""
        if self._legal is None:
            self._legal = {} if self._ending is not None else legal(self.rules, self.position)
            if self._ending is None and not self._legal:
                raise contradiction(self.rules, self.position, "the game is not over, but no player has a move")
        return self._legal

    def play(self, move: str) -> list[Event[P]]:
        """Make a move, and all draws that follow it; return what has happened. `RulesError` if it is not legal."""
        choice = self.legal()
        if move not in choice:
            hint = f"choose one of {', '.join(choice)}" if choice else "begin a new game"
            raise RulesError(f"the move {quoted(move)} is not legal in {self.rules.format(self.position)}: {hint}")
        before, player = len(self.events), self.player
        self._add(Event(player, move, False, choice[move]))
        self._draw(player)
        return self.events[before:]

    def resign(self) -> None:
        """Give the game up for the player to move."""
        places = tuple(1 + (player == self.player) for player in range(self.rules.players))
        self._ending, self._legal = Ending(places, RESIGNED, f"{self.rules.sides[self.player].name} resigns"), None

    def undo(self, player: int) -> bool:
        """Take back the last move of a player and all that came after it; return False if he has not moved."""
        own = [place for place, event in enumerate(self.events) if event.player == player and not event.drawn]
        if not own:
            return False
        del self.events[own[-1] :]
        self.turns = self.plies = 0
        for event in self.events:
            self._count(event)
        self._stand(player)
        return True

    def ending(self) -> Ending | None:
        """Return how the game has ended; None while it goes on."""
        return self._ending

    def _draw(self, player: int) -> None:
        """Make the draws that follow a move of a player; those to be repeated come first."""
        rules = self.rules
        while (mover := rules.to_move(self.position)) == CHANCE:
            draws = rules.draws(self.position)
            if self._to_repeat:
                label, choice = self._to_repeat.pop(), {draw.label: draw for draw in draws}
                if label not in choice:
                    before = rules.format(self.position)
                    raise RulesError(f"the chance outcome {quoted(label)} is impossible in {before}: choose {', '.join(choice)}")
                drawn = choice[label]
            else:
                drawn = self.random.choices(draws, [float(draw.probability) for draw in draws])[0]
            self._add(Event(player, drawn.label, True, drawn.state))
        self._stand(mover)

    def _add(self, event: Event[P]) -> None:
        self.events.append(event)
        self._count(event)

    def _count(self, event: Event[P]) -> None:
        self.turns += self.rules.begins_turn(event.position)
        self.plies += not event.drawn

    def _stand(self, mover: int) -> None:
        """Take note of who is to move, or whether the game is over: rules take their time for that, so it is done once."""
        self.player = mover
        self._ending, self._legal = self._found_ending(), None

    def _found_ending(self) -> Ending | None:
        rules, position = self.rules, self.position
        if self.player == OVER:
            ending = rules.result(position)
            if ending is None:
                raise contradiction(rules, position, "to_move is OVER, but result is None")
            return ending
        if self.player not in range(rules.players):
            raise contradiction(rules, position, f"to_move is {self.player}, but there are {rules.players} players")
        if rules.is_deadlock(position):
            return Ending(rules.standing(position), DEADLOCK, "no player can move again")
        if rules.repetitions is not None and self.positions.count(position) >= rules.repetitions:
            often = TIMES.get(rules.repetitions, f"{rules.repetitions} times")
            return Ending((1,) * rules.players, REPEATED, f"the same position has occurred {often}")
        if self.most_turns is not None and self.turns >= self.most_turns:
            return Ending(rules.standing(position), BROKEN_OFF, "the game is too long and is broken off")
        return None


def side_number(rules: Rules[P], letter: str) -> int:
    """The player with this letter, or number from 1, counted from 0; `TablebaseError` if there is none."""
    letters = [side.letter for side in rules.sides]
    if letter not in letters:
        raise TablebaseError(f"the side to play must be {' or '.join(map(repr, letters))}, not {quoted(letter)}")
    return letters.index(letter)
