"""Hare & Hedgehog as in the Software-Challenge 2025, a contest of programs: two players, and no chance.

Cards are chosen. A market sells one for ten carrots, and who comes to a hare square plays one that he holds. A card that
carries him to another hare square, or to a market, leads to another card in the same turn. There are five lettuces each, and
thirty rounds. The rules are those of the PyPI package `socha` 3.7.2; its server draws a new track for every game, and here
it is always the one of 1978, see `tablebase_rules._harehedgehog_challenge.TRACK`.

The codes of a move are the squares ahead; the squares back to a hedgehog, below 0; 1001 and 1002 to stay and take or give ten
carrots; 0 to eat a lettuce. Cards stand before the squares, which then have two digits: 1 to fall back behind the other
player, 2 to move up in front of him, 3 to eat a lettuce, 4 to swap carrots with him. So 2409 is nine squares ahead, then up,
then a swap.

The game ends as soon as a player is at home. It also ends after the last round, and where a player has no move, which is
where the package lists none; then the player in front is first, or on one square the one with more carrots.

As text, a state is ``square:carrots:lettuces`` for each player, separated by commas, and the number of the player to move:
``0:68:5,0:68:5 1``. A letter behind the lettuces says what the last move means for the next one: ``e`` that a lettuce must be
eaten, ``s`` that a card to swap was played or bought. The cards that a player holds follow behind a further colon, by the
first letters of their names: ``9:13:5s:fms``. A further word says how many rounds are over, if any: ``round:5``.
"""

from __future__ import annotations

import re

from tablebase.errors import NotationError, quoted
from tablebase.game.stochastic import State
from tablebase_rules._harehedgehog_challenge import (
    CARDS,
    CARROTS,
    EAT,
    GIVE,
    HAND,
    HELD,
    HOME,
    LAST,
    LETTUCES,
    PER_CARD,
    ROUNDS,
    SQUARE,
    SWAP_CARD,
    SWAPPED,
    TAKE,
    TO_EAT,
    TRACK,
    TURNS,
    UNIT,
    ChallengeRace,
)
from tablebase_rules._harehedgehog_text import in_words, read_number

MOST_CARDS = ROUNDS
"""Nobody can buy more than one in a turn."""
_LAST = ("", "e", "s")
_LETTERS = "".join(card[0] for card in CARDS)
_HARE = re.compile(r"([^:]*):([^:]*):([^:a-z]*)([a-z]?)(?::([^:]*))?")


class HareHedgehogChallenge(ChallengeRace):
    """The game with its texts."""

    name = "harehedgehog"
    title = "Hare & Hedgehog of the Software-Challenge 2025"

    def format(self, state: State) -> str:
        """A state as text."""
        rounds, mover = divmod(state[TURNS], 2)
        words = [",".join(map(_write_hare, self.hares(state))), str(mover + 1)]
        return " ".join(words + [f"round:{rounds}"] * (rounds > 0))

    def parse(self, text: str) -> State:
        """The state that a text describes; whether play can lead to it is not examined."""
        words = text.split() if isinstance(text, str) else []
        if len(words) not in (2, 3) or (words[2:] and not words[2].startswith("round:")):
            form = f"write both players and the number of the one to move, as in {self.format(self.start)!r}"
            raise NotationError(f"{quoted(str(text))} is not a state of {self.name}: {form}")
        hares = words[0].split(",")
        if len(hares) != self.players:
            raise NotationError(f"{self.name} has {self.players} players here, and {quoted(words[0])} describes {len(hares)}")
        numbers = [field for player, hare in enumerate(hares, start=1) for field in _read_hare(hare, player)]
        turn = read_number(words[1], "the number of the player to move", 1, self.players) - 1
        if words[2:]:
            turn += 2 * read_number(words[2].removeprefix("round:"), "the number of rounds", 0, ROUNDS)
        state = (*numbers, turn)
        self._check(state)
        return state

    def _check(self, state: State) -> None:
        """Raise `NotationError` if the numbers contradict each other."""
        if state[TURNS] > 2 * ROUNDS:
            raise NotationError(f"after {ROUNDS} rounds the game is over, with player 1 to move")
        squares = [hare[SQUARE] for hare in self.hares(state)]
        for player, hare in enumerate(self.hares(state), start=1):
            _check_hare(hare, player)
            if hare[SQUARE] == HOME and state[TURNS] % 2 == player - 1:
                raise NotationError(f"player {player} is at home and cannot be the one to move: the game is over")
        if squares[0] == squares[1] > 0:
            raise NotationError(f"both players are on square {squares[0]}: only square 0 holds two")

    def code_text(self, code: int) -> str:
        """A move's code in words."""
        cards, squares = divmod(code, PER_CARD)
        if code == EAT:
            return "eat a lettuce"
        if code <= HOME or code in (TAKE, GIVE):
            return in_words(code)
        return f"{in_words(squares)} with {', '.join(CARDS[int(digit) - 1] for digit in str(cards))}"


def _write_hare(hare: State) -> str:
    """A player as text."""
    cards = "".join(letter * count for letter, count in zip(_LETTERS, hare[HAND:], strict=True))
    return f"{hare[SQUARE]}:{hare[CARROTS]}:{hare[HELD]}{_LAST[hare[LAST]]}" + f":{cards}" * bool(cards)


def _read_hare(text: str, player: int) -> State:
    """The numbers of a player."""
    fields = _HARE.fullmatch(text)
    if fields is None or fields[4] not in _LAST:
        form = "write square:carrots:lettuces, with e or s behind for the last move and a colon before cards"
        raise NotationError(f"{quoted(text)} does not describe player {player}: {form}")
    cards = fields[5] or ""
    if set(cards) - set(_LETTERS) or len(cards) > MOST_CARDS or fields[5] == "":
        form = f"write at most {MOST_CARDS} of the letters {', '.join(_LETTERS)}, and no colon before none"
        raise NotationError(f"{quoted(cards)} are not the cards of player {player}: {form}")
    return (
        read_number(fields[1], f"the square of player {player}", 0, HOME),
        read_number(fields[2], f"the number of carrots of player {player}", 0),
        read_number(fields[3], f"the number of lettuces of player {player}", 0, LETTUCES),
        _LAST.index(fields[4]),
        *map(cards.count, _LETTERS),
    )


def _check_hare(hare: State, player: int) -> None:
    """Raise `NotationError` if a player cannot be as described."""
    kind = TRACK[hare[SQUARE]]
    if kind == "Z" and (hare[HELD] or hare[CARROTS] > UNIT):
        raise NotationError(f"player {player} is at home and so has no lettuces and at most {UNIT} carrots")
    if hare[LAST] == TO_EAT and (kind != "L" or hare[HELD] == 0):
        raise NotationError(f"player {player} can have to eat only on a lettuce square, with a lettuce")
    if hare[LAST] == SWAPPED and kind not in "HM":
        raise NotationError(f"player {player} can have played or bought a card to swap only on a hare square or a market")
    if hare[LAST] == SWAPPED and kind == "M" and hare[HAND + SWAP_CARD] == 0:
        raise NotationError(f"player {player} is on a market and has no card to swap, so he cannot just have bought one")
