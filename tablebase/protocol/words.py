"""The lines that an engine is sent, taken apart; nothing here searches or answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tablebase.errors import TablebaseError, quoted
from tablebase.game.notation import DIGITS, whole_number

COMMANDS = frozenset(
    ("debug", "go", "isready", "ponderhit", "position", "quit", "register", "setoption", "stop", "uci", "ucinewgame")
)
"""The words that a line may begin with."""
NUMBERS = frozenset(("binc", "btime", "depth", "mate", "movestogo", "movetime", "nodes", "winc", "wtime"))
"""The words of ``go`` that a number follows."""
MOST = 15
"""Digits of the largest numbers."""


@dataclass(frozen=True)
class Placement:
    """What ``position`` says.

    Parameters
    ----------
    fen : str or None
        The text of a position; None for the start of the game.
    moves : tuple of str
        Those made since.
    """

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Go:
    """What ``go`` says; None where it says nothing. Times are in milliseconds.

    Parameters
    ----------
    depth, nodes, movetime, movestogo : int or None
    time, increment : (int or None, int or None)
        On the clocks of side 0 and side 1.
    infinite : bool
        Whether there is to be no answer before ``stop``.
    unknown : tuple of str
        The words that mean nothing here.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    movestogo: int | None = None
    time: tuple[int | None, int | None] = (None, None)
    increment: tuple[int | None, int | None] = (None, None)
    infinite: bool = False
    unknown: tuple[str, ...] = ()


def split(line: str) -> tuple[str, list[str]]:
    """The command of a line and the words after it; unknown words before it do not count. An empty command if there is none."""
    words = line.split()
    for number, word in enumerate(words):
        if word in COMMANDS:
            return word, words[number + 1 :]
    return "", words


def read_placement(words: Sequence[str]) -> Placement:
    """What follows ``position``.

    Raises
    ------
    TablebaseError
        If it is neither ``startpos`` nor ``fen`` with a position. What chess has after the side to move, such as ``- - 0 1``,
        may stand there, too.
    """
    given, after = list(words), list[str]()
    if "moves" in given:
        place = given.index("moves")
        given, after = given[:place], given[place + 1 :]
    if given == ["startpos"]:
        return Placement(None, tuple(after))
    if len(given) >= 3 and given[0] == "fen" and all(word == "-" or whole_number(word) is not None for word in given[3:]):
        return Placement(f"{given[1]} {given[2]}", tuple(after))
    raise TablebaseError(f"{quoted(' '.join(words))} is not a position: write startpos, or fen with rows and the side to move")


def read_go(words: Sequence[str]) -> Go:
    """What follows ``go``; words that are not known are collected.

    Raises
    ------
    TablebaseError
        If a number does not follow where one should, or one that a limit cannot be.
    """
    found: dict[str, int] = {}
    infinite, unknown = False, []
    rest = iter(words)
    for word in rest:
        if word in NUMBERS:
            found[word] = _number(word, next(rest, ""))
        elif word == "infinite":
            infinite = True
        else:
            unknown.append(word)
    if "mate" in found:
        unknown.append("mate")
    for limit in ("depth", "nodes", "movestogo"):
        if found.get(limit) == 0:
            raise TablebaseError(f"{limit} must be at least 1")
    return Go(
        depth=found.get("depth"),
        nodes=found.get("nodes"),
        movetime=found.get("movetime"),
        movestogo=found.get("movestogo"),
        time=(found.get("wtime"), found.get("btime")),
        increment=(found.get("winc"), found.get("binc")),
        infinite=infinite,
        unknown=tuple(unknown),
    )


def _number(name: str, text: str) -> int:
    """The number after a word of ``go``; a clock that has run out may be below 0, and counts as 0."""
    digits = text.removeprefix("-")
    if not DIGITS.issuperset(digits) or not 1 <= len(digits) <= MOST or (text != digits and name not in ("wtime", "btime")):
        raise TablebaseError(f"{name} needs a whole number of at most {MOST} digits, not {quoted(text)}")
    return int(text) if text == digits else 0


def read_option(words: Sequence[str]) -> tuple[str, str]:
    """Name and value after ``setoption``; both may have several words, and the value may be empty.

    Raises
    ------
    TablebaseError
        If there is no name.
    """
    given = list(words)
    if given[:1] != ["name"] or given[1:2] in ([], ["value"]):
        raise TablebaseError(f"{quoted(' '.join(words))} sets no option: write name, the option, value and its value")
    place = given.index("value") if "value" in given else len(given)
    return " ".join(given[1:place]), " ".join(given[place + 1 :])
