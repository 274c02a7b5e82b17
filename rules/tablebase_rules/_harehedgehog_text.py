"""States of Hare & Hedgehog as text; the form is described in `tablebase_rules.harehedgehog`."""

from __future__ import annotations

import re
from typing import NoReturn

from tablebase.errors import NotationError, quoted
from tablebase.game.stochastic import State
from tablebase_rules._harehedgehog import (
    AGAIN,
    BOARD,
    CARDS,
    CARROTS,
    CHAINED,
    CHOICE,
    DRAW,
    DRAWN,
    EAT,
    GIVE,
    HELD,
    HOME,
    LETTUCES,
    MOVER,
    PAID,
    PAY,
    PHASE,
    RANK,
    READY,
    ROUND,
    SHARED,
    SQUARE,
    STAY,
    TAKE,
    TURN,
    UNIT,
    WAIT,
    Race,
    cost,
    out,
)

WAITING = ["", "m", "e", "p"]
PHASES = {"choice": CHOICE, "again": AGAIN}
_HARE = re.compile(r"([^:#]*):([^:#]*):([^:#a-z]*)([a-z]?)(?:#([^:#]*))?")
_DIGITS = re.compile(r"[0-9]{1,9}")


def write(game: Race, state: State) -> str:
    """A state as text."""
    hares = [
        f"{hare[SQUARE]}:{hare[CARROTS]}:{hare[HELD]}{WAITING[hare[WAIT]]}" + (f"#{hare[RANK]}" if hare[RANK] else "")
        for hare in game.hares(state)
    ]
    shared = state[game.shared :]
    words = [",".join(hares), str(shared[MOVER] + 1)]
    if shared[PHASE] == DRAW:
        words.append(f"draw:{shared[PAID]}")
    words += [word for word, phase in PHASES.items() if phase == shared[PHASE]]
    if shared[CHAINED]:
        words.append("chained")
    if shared[DRAWN]:
        words.append("drawn:" + "".join(str(out(shared[DRAWN], card)) for card in CARDS))
    if shared[ROUND]:
        words.append(f"round:{shared[ROUND]}")
    return " ".join(words)


def read(game: Race, text: str) -> State:
    """The state that a text describes.

    Raises
    ------
    NotationError
        If it is not a state of the game.
    """
    words = text.split() if isinstance(text, str) else []
    if len(words) < 2:
        form = (
            f"write square:carrots:lettuces of each player and the number of the player to move, as in {write(game, game.start)!r}"
        )
        raise NotationError(f"{quoted(str(text))} is not a state of {game.name}: {form}")
    hares = words[0].split(",")
    if len(hares) != game.players:
        raise NotationError(f"{game.name} has {game.players} players here, and {quoted(words[0])} describes {len(hares)}")
    numbers = [number for player, hare in enumerate(hares, start=1) for number in _read_hare(hare, player)]
    mover = read_number(words[1], "the number of the player to move", 1, game.players) - 1
    state = (*numbers, *_read_words(game, mover, words[2:]))
    for player, hare in enumerate(game.hares(state), start=1):
        _check_hare(game, hare, player)
    _check_together(game, state)
    _check_turn(game, state)
    return state


def in_words(code: int) -> str:
    """A move's code in words."""
    if code in (STAY, TAKE, GIVE):
        return {STAY: "stay", TAKE: "take 10 carrots", GIVE: "give 10 carrots"}[code]
    squares = "1 square" if abs(code) == 1 else f"{abs(code)} squares"
    return f"{squares} ahead" if code > 0 else f"{squares} back to the hedgehog"


def read_number(text: str, what: str, least: int, most: int = 10**9 - 1) -> int:
    """A whole number within bounds."""
    if not _DIGITS.fullmatch(text) or not least <= int(text) <= most:
        bounds = f"from {least} to {most}" if most < 10**9 - 1 else f"of {least} or more, of at most 9 digits"
        raise NotationError(f"{what} must be a whole number {bounds}, not {quoted(text)}")
    return int(text)


def _read_hare(text: str, player: int) -> State:
    """The numbers of a player."""
    fields = _HARE.fullmatch(text)
    if fields is None or fields[4] not in WAITING:
        form = "write square:carrots:lettuces, with m, e or p behind for waiting and #1 for a finishing rank"
        raise NotationError(f"{quoted(text)} does not describe player {player}: {form}")
    return (
        read_number(fields[1], f"the square of player {player}", 0, HOME),
        read_number(fields[2], f"the number of carrots of player {player}", 0),
        read_number(fields[3], f"the number of lettuces of player {player}", 0, LETTUCES),
        WAITING.index(fields[4]),
        0 if fields[5] is None else read_number(fields[5], f"the finishing rank of player {player}", 1),
    )


def _read_words(game: Race, mover: int, words: list[str]) -> list[int]:
    """The numbers that the players share."""
    shared = [0] * SHARED
    shared[MOVER] = mover
    seen = set()
    for word in words:
        key, colon, value = word.partition(":")
        subject = "turn" if key in {"draw", *PHASES} else key
        if subject in seen:
            raise NotationError(f"{quoted(word)} contradicts another word of the state: leave one of them out")
        seen.add(subject)
        if key == "draw" and colon:
            shared[PHASE], shared[PAID] = DRAW, read_number(value, "the number of carrots after draw:", 0)
        elif word in PHASES:
            shared[PHASE] = PHASES[word]
        elif word == "chained" and game.options["card_chain"] == "draw":
            shared[CHAINED] = 1
        elif key == "drawn" and colon and game.options["deck"] == "exhaust":
            shared[DRAWN] = _read_drawn(value)
        elif key == "round" and colon and game.rounds:
            shared[ROUND] = read_number(value, "the number of rounds", 0, game.rounds)
        else:
            raise NotationError(f"{quoted(word)} is not a word of a state of {game.name}: leave it out")
    return shared


def _read_drawn(text: str) -> int:
    """The cards that are out, all twelve of which are shuffled at once."""
    copies = "".join(map(str, CARDS.values()))
    if (
        len(text) != len(copies)
        or not text.isascii()
        or not text.isdigit()
        or text == copies
        or any(map(int.__gt__, map(int, text), CARDS.values()))
    ):
        form = f"write how many of each kind are out, at most {copies} and not all of them"
        raise NotationError(f"{quoted(text)} does not say which cards are out: {form}")
    return sum(int(number) << 2 * kind for kind, number in enumerate(text))


def _check_hare(game: Race, hare: State, player: int) -> None:
    """Raise `NotationError` if a player cannot be as described."""

    def fault(reason: str) -> NoReturn:
        raise NotationError(f"player {player} {reason}")

    square, carrots, lettuces, wait, rank = hare
    if (square == HOME) != (rank > 0):
        fault(
            f"has a finishing rank on square {square}"
            if rank
            else f"is on square {HOME} and needs a finishing rank, as in '{HOME}:0:0#1'"
        )
    if rank and (lettuces or wait or carrots > UNIT * rank):
        fault(f"has finished with rank {rank} and so has no lettuces, at most {UNIT * rank} carrots, and waits for nothing")
    if wait == EAT and BOARD[square] not in "LH":
        fault(f"cannot wait to eat on square {square}, which is neither a lettuce nor a hare square")
    if wait == EAT and BOARD[square] == "H" and (game.options["eat_card"] == "at_once" or game.options["cards"] == "none"):
        fault(f"cannot wait to eat on square {square}, because cards of this variant do not make anyone wait to eat")
    if wait == PAY and (game.options["lettuce_pay"] == "eating" or BOARD[square] not in "LH" or lettuces == LETTUCES):
        fault(
            "can wait to be paid only in the variant lettuce_pay=leaving, on a lettuce or a hare square, after giving up a lettuce"
        )


def _check_together(game: Race, state: State) -> None:
    """Raise `NotationError` if the players contradict each other."""
    hares = game.hares(state)
    squares = [hare[SQUARE] for hare in hares]
    shared = next((square for square in squares if 0 < square < HOME and squares.count(square) > 1), None)
    if shared is not None:
        raise NotationError(f"two players are on square {shared}: only squares 0 and {HOME} hold several")
    ranks = sorted(hare[RANK] for hare in hares if hare[RANK])
    if ranks != list(range(1, len(ranks) + 1)):
        raise NotationError(f"finishing ranks must be different and begin with 1, and they are {', '.join(map(str, ranks))}")
    most = 1 if game.options["end"] == "first" else game.players - 1
    if len(ranks) > most:
        raise NotationError(f"{len(ranks)} players have finished, and the game is over after {most}")


def _check_turn(game: Race, state: State) -> None:
    """Raise `NotationError` if the player to move cannot be in this phase of his turn."""
    mover, phase, paid, chained, *_ = state[game.shared :]
    hare = game.hares(state)[mover]
    if hare[RANK]:
        raise NotationError(f"player {mover + 1} has finished and cannot be the one to move")
    if chained and phase == TURN:
        raise NotationError("at the beginning of a turn no card has led to another: leave out 'chained'")
    if phase == TURN:
        return
    if BOARD[hare[SQUARE]] != "H" or hare[WAIT] != READY or game.options["cards"] == "none" or game.is_over(state):
        raise NotationError(
            f"player {mover + 1} cannot have drawn a card: he must be on a hare square and not wait, in a game with cards"
        )
    if phase == DRAW and not ((paid == 0 and chained) or paid in {cost(n) for n in range(1, hare[SQUARE] + 1)}):
        raise NotationError(f"nobody pays {paid} carrots to come to square {hare[SQUARE]}: write 1, 3, 6, 10 and so on after draw:")
