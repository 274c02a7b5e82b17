"""Pig, the dice game, for two to six players; with a coin instead of the die, it is Piglet.

Players take turns. In a turn a player rolls the die as often as he likes. A 1 ends the turn, and its total is lost; every
other face is added to the total. Holding ends the turn, too, and adds its total to the player's score. A player wins by
holding with a score and a total that reach the target together; he must hold then. Holding before the first roll is
allowed, as it is to Neller and Presser, "Optimal Play of the Dice Game Pig" (2004). The coin's tails is the 1, and its
heads adds 1.

As text, a state is the scores, separated by commas, the number of the player to move, and the total of his turn:
``37,52 1 14``. While the die is being rolled, a further word says so: ``37,52 1 14 roll``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game.stochastic import CHANCE, OVER, Draw, State, StochasticGame

if TYPE_CHECKING:
    from tablebase.game.kernels import Kernels, Region

DIE, TARGET, PLAYERS = (2, 100), (1, 1000), (2, 6)
"""The least and the largest value of each option."""
HOLD, ROLL = 0, 1
"""The codes of moves."""
COIN = {"tails": 0, "heads": 1}
"""What each side of the coin adds to the turn's total; 0 loses it."""


@cache
def game(die: int = 6, target: int = 100, players: int = 2) -> Pig:
    """The game with a die of so many faces, up to so many points.

    Raises
    ------
    RulesError
        If one of the numbers is too small or too large.
    """
    for name, value, (least, most) in (("die", die, DIE), ("target", target, TARGET), ("players", players, PLAYERS)):
        if not least <= value <= most:
            raise RulesError(f"{name} of pig must be a number from {least} to {most}, not {value}")
    return Pig(die, target, players)


class Pig(StochasticGame):
    """A state is the score of each player, the player to move, the total of his turn, and whether the die is being rolled."""

    name = "pig"
    title = "Pig"

    def __init__(self, die: int, target: int, players: int) -> None:
        self.target = target
        self.players = players
        self.options = {"die": die, "target": target, "players": players}
        self.faces = COIN if die == 2 else {"1": 0, **{str(face): face for face in range(2, die + 1)}}
        self.start = (*[0] * players, 0, 0, 0)

    def to_move(self, state: State) -> int:
        """Nobody if a score has reached the target."""
        *scores, player, _, rolling = state
        if max(scores) >= self.target:
            return OVER
        return CHANCE if rolling else player

    def moves(self, state: State) -> dict[int, State]:
        """Holding, and rolling unless the target is reached."""
        *scores, player, total, _ = state
        if self.to_move(state) < 0:
            return {}
        scores[player] += total
        held = {HOLD: (*scores, self._after(player), 0, 0)}
        return held if scores[player] >= self.target else {**held, ROLL: (*state[:-1], 1)}

    def draws(self, state: State) -> tuple[Draw, ...]:
        """The faces of the die."""
        *scores, player, total, _ = state
        lost = (*scores, self._after(player), 0, 0)
        return tuple(
            Draw(Fraction(1, len(self.faces)), face, (*scores, player, total + points, 0) if points else lost)
            for face, points in self.faces.items()
        )

    def places(self, state: State) -> tuple[int, ...]:
        """The winner is first; all others share the second place."""
        return tuple(1 if score >= self.target else 2 for score in state[: self.players])

    def begins_turn(self, state: State) -> bool:
        """A turn begins without a total; nothing else does, since every face but the 1 adds to it."""
        _, total, rolling = state[-3:]
        return total == rolling == 0

    def code_text(self, code: int) -> str:
        """The move in a word."""
        return {HOLD: "hold", ROLL: "roll"}[code]

    def format(self, state: State) -> str:
        """As described above."""
        *scores, player, total, rolling = state
        return f"{','.join(map(str, scores))} {player + 1} {total}{' roll' * rolling}"

    def parse(self, text: str) -> State:
        """Read a state; whether its numbers can all come about by rolling is not examined."""
        words = text.split() if isinstance(text, str) else []
        if len(words) not in (3, 4) or words[3:] not in ([], ["roll"]):
            form = f"write the scores, the player to move and the total of his turn, as in {self.format(self.start)!r}"
            raise NotationError(f"{quoted(str(text))} is not a state of pig: {form}")
        scores = [_number(word, "score") for word in words[0].split(",")]
        player, total, rolling = _number(words[1], "number of a player") - 1, _number(words[2], "total"), len(words) - 3
        if len(scores) != self.players:
            raise NotationError(f"{quoted(words[0])} has {len(scores)} scores, but there are {self.players} players")
        if not 0 <= player < self.players:
            raise NotationError(f"the player to move is a number from 1 to {self.players}, not {quoted(words[1])}")
        state = (*scores, player, total, rolling)
        self._check(state)
        return state

    def _check(self, state: State) -> None:
        """Raise `NotationError` if the numbers contradict each other."""
        *scores, player, total, rolling = state
        most = self.target - 1 + max(self.faces.values())
        if max(scores) > most:
            raise NotationError(f"no score can be above {most}, because a player holds when he reaches {self.target}")
        winners = [number for number, score in enumerate(scores) if score >= self.target]
        if winners and (len(winners) > 1 or self._after(winners[0]) != player or total or rolling):
            raise NotationError(f"once a player has {self.target}, the game is over with the next player to move, without a total")
        if scores[player] + total > most:
            raise NotationError(f"no score and total together can be above {most}, because a player must hold at {self.target}")
        if rolling and scores[player] + total >= self.target:
            raise NotationError(f"with score and total at {self.target} or more, a player must hold and cannot roll")

    def kernels(self) -> Kernels | None:
        """For two players; tables for more list all states."""
        if self.players != 2:
            return None
        from tablebase_rules.pig_kernels import kernels

        return kernels(self.target, self.faces)

    def region(self, limits: Mapping[str, int | str]) -> Region:
        """All states; there are no limits."""
        from tablebase_rules.pig_kernels import region

        if limits:
            raise RulesError(f"pig has no limit {quoted(next(iter(limits)))}: its tables hold all states")
        return region(self.target, self.faces)

    def _after(self, player: int) -> int:
        return (player + 1) % self.players


def _number(word: str, meaning: str) -> int:
    """A number of a state as text; few digits, since Python refuses to read thousands."""
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise NotationError(f"{quoted(word)} is not a {meaning}: write a whole number")
    return int(word)
