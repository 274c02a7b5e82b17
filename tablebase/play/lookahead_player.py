"""The player ``computer`` of games whose rules are functions: it looks ahead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tablebase.errors import TablebaseError, quoted
from tablebase.game.kernels import POINT
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.player_records import read_yes
from tablebase.search.choices import Cards, Foresight, Objective
from tablebase.search.lookahead import Lookahead, load_tables

LEAST_DEPTH = 4
"""The depth if none is set, unless more are needed to see one's own next turn."""
SEED_BITS = 63


@dataclass(frozen=True)
class Chosen:
    """The settings of the player."""

    foresight: Foresight
    tables: bool = True  # whether it uses tables
    weights: Mapping[str, float] = field(default_factory=dict)  # of the game's evaluation


class LookaheadPlayer(Player):
    """Makes the move that a search finds best; the folder of tables need not exist."""

    def __init__(self, seat: Seat, chosen: Chosen) -> None:
        super().__init__(f"the computer at depth {chosen.foresight.depth} plays")
        game = seat.rules
        # For more players there are no tables.
        tables = load_tables(seat.folder, game) if chosen.tables and game.players == 2 else None
        self._lookahead = Lookahead(game, chosen.foresight, tables, chosen.weights)

    def choose(self, match: Match[State], random: Random) -> str:
        """The best move; errors are those of `Lookahead.search`."""
        found = self._lookahead.search(match.position, random.getrandbits(SEED_BITS))
        values = ", ".join(f"{value / POINT:,.1f}" for value in found.values)
        self.remark = f"the computer expects {values} points after {' '.join(found.line)}"
        return str(found.best)


def parse_settings(game: StochasticGame, settings: Mapping[str, str]) -> Chosen:
    """The settings that texts stand for; `TablebaseError` if one of them is out of range, or not a word that it may be."""
    read = {name: reader(name, settings[name]) for name, reader in _READERS.items() if name in settings}
    weights: dict[str, float] = {}
    for name in filter(settings.__contains__, game.weights):
        try:
            weights[name] = float(settings[name])
        except ValueError:
            raise TablebaseError(f"the weight of {name} must be a number, not {quoted(settings[name])}") from None
    tables, stop = read.pop("tables", True), read.pop("stop", True)
    given = {name.replace("-", "_"): value for name, value in read.items()}
    depth = max(LEAST_DEPTH, game.players + 1)
    return Chosen(Foresight(stop_at_finisher=stop, **{"depth": depth, **given}), tables, weights)


def _read_depth(_name: str, text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise TablebaseError(f"the depth must be {WHOLE_NUMBER}, not {quoted(text)}")
    return number


def _read_word(name: str, text: str) -> Objective | Cards:
    words = Objective if name == "objective" else Cards
    if text not in list(words):
        raise TablebaseError(f"unknown {name} {quoted(text)}: choose {' or '.join(words)}")
    return words(text)


def _read_cuts(_name: str, text: str) -> tuple[int, ...]:
    numbers = [whole_number(word) for word in text.split("/")]
    cuts = tuple(number for number in numbers if number is not None)
    if len(cuts) < len(numbers):
        raise TablebaseError(f"the cuts must be numbers of moves separated by slashes, as in 0/0/8/8/4, not {quoted(text)}")
    return cuts


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    "depth": _read_depth,
    "cuts": _read_cuts,
    **dict.fromkeys(("objective", "cards"), _read_word),
    **dict.fromkeys(("stop", "alpha-beta", "sort", "tables"), read_yes),
}


def make(seat: Seat, **settings: str) -> LookaheadPlayer:
    """The player ``computer``."""
    return LookaheadPlayer(seat, parse_settings(seat.rules, settings))
