"""The lines that an engine is sent, taken apart, and the time that they give it; nothing here searches or answers."""

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
MOST = 10**15
"""The largest number; larger ones count as this one."""
MOVES = 30
"""Moves that the time left has to last for, if nothing is said about that."""
SHARE = 0.75
"""The part of the increment that is spent at once."""
LEAST = 0.001
"""Seconds that a move is given in any case."""


@dataclass(frozen=True)
class Go:
    """Arguments of ``go``; None where it has none. Times are in milliseconds."""

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None  # moves within which to find a win
    movetime: int | None = None
    movestogo: int | None = None
    wtime: int | None = None  # on the clock of side 0
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    infinite: bool = False  # whether there is to be no answer before ``stop``
    searchmoves: tuple[str, ...] = ()  # the only moves to search; empty for all of them
    unknown: tuple[str, ...] = ()  # the words that mean nothing here

    @property
    def plies(self) -> int | None:
        """The depth of the search, which for ``mate`` includes the winner's last move; None if nothing limits it."""
        depths = [self.depth, None if self.mate is None else 2 * self.mate - 1]
        return min((depth for depth in depths if depth is not None), default=None)

    def is_held(self, side: int) -> bool:
        """Return whether there is to be no answer before ``stop``, as nothing else limits the search of a side."""
        limits = (self.depth, self.nodes, self.mate, self.movetime, (self.wtime, self.btime)[side])
        return self.infinite or all(limit is None for limit in limits)

    def seconds(self, side: int, overhead: int) -> float | None:
        """Return the time for a move of a side; None without a limit. For `overhead` see `seconds_for_move`."""
        if self.movetime is not None:
            return self.movetime / 1000
        left, increment = ((self.wtime, self.winc), (self.btime, self.binc))[side]
        return None if left is None else seconds_for_move(left, increment or 0, self.movestogo, overhead)


def split(line: str) -> tuple[str, list[str]]:
    """The command of a line and the words after it; unknown words before it do not count. An empty command if there is none."""
    words = line.split()
    for number, word in enumerate(words):
        if word in COMMANDS:
            return word, words[number + 1 :]
    return "", words


def read_placement(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the position after ``position``, None for the start of the game, and the moves made since.

    Further fields of chess, such as ``- - 0 1``, are ignored. `TablebaseError` without ``startpos`` or ``fen`` and a position.
    """
    given, after = list(words), list[str]()
    if "moves" in given:
        place = given.index("moves")
        given, after = given[:place], given[place + 1 :]
    if given == ["startpos"]:
        return None, after
    if len(given) >= 3 and given[0] == "fen" and all(word == "-" or whole_number(word) is not None for word in given[3:]):
        return f"{given[1]} {given[2]}", after
    raise TablebaseError(f"{quoted(' '.join(words))} is not a position: write 'startpos', or 'fen' and a position")


def read_go(words: Sequence[str]) -> Go:
    """Read the words after ``go``, with the nearest number for one out of range; `TablebaseError` if a number is missing."""
    found: dict[str, int | None] = {}
    infinite, searchmoves, unknown = False, list[str](), list[str]()
    # Where words that are none of the protocol's belong.
    others = unknown
    rest = iter(words)
    for word in rest:
        if word in NUMBERS:
            found[word] = _number(word, next(rest, ""))
        elif word == "infinite":
            infinite = True
        elif word == "searchmoves":
            others = searchmoves
            continue
        else:
            others.append(word)
            continue
        others = unknown
    # No move until the next time control: there is none.
    found["movestogo"] = found.get("movestogo") or None
    return Go(**found, infinite=infinite, searchmoves=tuple(searchmoves), unknown=tuple(unknown))


def _number(name: str, text: str) -> int:
    """Read the number after a word of ``go``: at least 1 for a limit, else at least 0, since a clock may have run out."""
    digits = text.removeprefix("-")
    if not digits or not DIGITS.issuperset(digits):
        raise TablebaseError(f"the value of {name} must be a whole number, not {quoted(text)}")
    least = 1 if name in ("depth", "mate", "movetime", "nodes") else 0
    # Python refuses to read numbers of thousands of digits.
    return max(least, min(int(text[:1_000]), MOST))


def read_option(words: Sequence[str]) -> tuple[str, str]:
    """Return name and value after ``setoption``, of several words each; `TablebaseError` without a name."""
    given = list(words)
    if given[:1] != ["name"] or given[1:2] in ([], ["value"]):
        raise TablebaseError(f"invalid option {quoted(' '.join(words))}: write 'setoption name NAME value VALUE'")
    place = given.index("value") if "value" in given else len(given)
    return " ".join(given[1:place]), " ".join(given[place + 1 :])


def seconds_for_move(left: int, increment: int, moves: int | None, overhead: int) -> float:
    """Return the time for a move: an even share of the time left, and most of the increment, at most `left` without `overhead`.

    Arguments are in milliseconds; `moves` is the number of moves until the next time control, None without one.
    """
    share = left / min(moves or MOVES, MOVES) + SHARE * increment
    return max(LEAST, min(share, left - overhead) / 1000)
