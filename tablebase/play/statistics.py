"""Statistics of recorded games: their length, the number of moves to choose from, their endings.

Games are added one by one, and only counts are kept (by length, by square and so on), so memory does not grow with the number of
games. Standard deviations are those of the given numbers (divided by n, not by n - 1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tablebase.game.installed import load_rules
from tablebase.game.notation import read_move
from tablebase.game.rules import CHANCE
from tablebase.play.records import Moment, Record, label_of, replayed

MOST_ENDINGS = 100
"""Number of endings that are counted separately: each failure of an external engine has a sentence of its own."""
OTHERS = "others"
Values = tuple[Any, ...]
"""A row without `GAME`, in the order of `ROWS`."""


def spread(counts: Mapping[int, int]) -> Values:
    """Return mean, standard deviation, minimum, median and maximum of numbers that occur so often; None without numbers."""
    total = sum(counts.values())
    if not total:
        return (None,) * 5
    weighed = sum(number * count for number, count in counts.items())
    squared = sum(number * number * count for number, count in counts.items())
    # Whole numbers up to the root, so that nothing cancels.
    deviation = math.sqrt(total * squared - weighed * weighed) / total
    middle = (_at(counts, (total - 1) // 2) + _at(counts, total // 2)) / 2
    return weighed / total, deviation, min(counts), middle, max(counts)


def _at(counts: Mapping[int, int], place: int) -> int:
    for number in sorted(counts):
        place -= counts[number]
        if place < 0:
            return number
    raise IndexError(place)


ROWS: Mapping[str, tuple[str, ...]] = {
    "game": (
        *("games", "drawn", "opening"),
        *(f"{of}{part}" for of in ("plies", "turns", "choices") for part in ("", "_sd", "_min", "_median", "_max")),
        *("chance", "captures", "pieces_left"),
    ),
    "seat": ("seat", "side", "games", "wins", "shared", "win_share", "place"),
    "ending": ("ending", "games", "share"),
    "chance": ("label", "meaning", "times", "share"),
    "square": ("square", "moves", "share", "captures"),
    "piece": ("piece", "name", "moves", "share", "captures", "captured"),
}
"""Fields of a row by its subject, after `GAME`."""
GAME = ("game", "players")
"""Fields of every row."""


class GameStatistics:
    """Statistics of the games of one kind."""

    def __init__(self, rules: Any, *, with_opening: bool = False) -> None:
        self.rules, self._with_opening, self._on_squares = rules, with_opening, "squares" in rules.can
        self._games = self._drawn = self._opening = 0
        self._plies, self._turns, self._choices = Counter[int](), Counter[int](), Counter[int]()
        self._endings, self._labels = Counter[str](), Counter[str]()
        self._wins, self._shared, self._places = ([0] * rules.players for _ in range(3))
        # Of moves of pieces, by square and by kind of piece.
        self._to, self._captures_on = Counter[int](), Counter[int]()
        self._moved, self._captures_by, self._captured = Counter[int](), Counter[int](), Counter[int]()
        self._left = 0

    def add(self, record: Record) -> None:
        """Count a game; errors are those of `replayed`."""
        plies = turns = begun = 0
        for moment in replayed(self.rules, record):
            if moment.turn < record.opening and not self._with_opening:
                begun = moment.turn + 1
                self._opening += moment.event is not None and moment.mover != CHANCE
                continue
            turns = moment.turn - begun
            plies += self._count(moment)
        self._games += 1
        self._drawn += record.winner is None
        self._plies[plies] += 1
        self._turns[turns] += 1
        known = record.ending in self._endings or len(self._endings) < MOST_ENDINGS
        self._endings[record.ending if known else OTHERS] += 1
        for seat, place in enumerate(record.places):
            self._wins[seat] += record.winner == seat
            self._shared[seat] += place == 1 and record.winner is None
            self._places[seat] += place
        if self._on_squares:
            self._left += len(moment.position.pieces)

    def _count(self, moment: Moment[Any]) -> bool:
        if moment.event is None:
            return False
        if moment.mover == CHANCE:
            self._labels[label_of(moment.event) or ""] += 1
            return False
        self._choices[moment.choices] += 1
        if self._on_squares:
            origin, target = read_move(self.rules, moment.event)
            occupant = {square: kind for kind, square in moment.position.pieces}
            self._to[target] += 1
            self._moved[occupant[origin]] += 1
            if target in occupant:
                self._captures_on[target] += 1
                self._captures_by[occupant[origin]] += 1
                self._captured[occupant[target]] += 1
        return True

    def by_game(self) -> Iterator[Values]:
        """Yield one row for all games."""
        measured = [number for counts in (self._plies, self._turns, self._choices) for number in spread(counts)]
        totals = [self._opening, self._labels.total(), self._captured.total(), self._left]
        opening, chance, *of_board = (total / self._games for total in totals)
        yield self._games, self._drawn, opening, *measured, chance, *(of_board if self._on_squares else (None, None))

    def by_seat(self) -> Iterator[Values]:
        """Yield a row for each player, in the order of sides."""
        for seat, side in enumerate(self.rules.sides):
            wins, shared, places = self._wins[seat], self._shared[seat], self._places[seat]
            share, place = wins / self._games, places / self._games
            yield seat + 1, side.name, self._games, wins, shared, share, place

    def by_ending(self) -> Iterator[Values]:
        """Yield a row for each ending, the most frequent one first."""
        for ending, games in self._endings.most_common():
            yield ending, games, games / self._games

    def by_chance(self) -> Iterator[Values]:
        """Yield a row for each outcome of chance that has occurred, the most frequent one first."""
        total = self._labels.total()
        for label, times in self._labels.most_common():
            yield label, self.rules.draw_text(label), times, times / total

    def by_square(self) -> Iterator[Values]:
        """Yield a row for each square, first the one that most moves lead to; no row without a board."""
        names, total = self.rules.board.names if self._on_squares else (), max(self._to.total(), 1)
        for square, name in sorted(enumerate(names), key=lambda one: -self._to[one[0]]):
            moves = self._to[square]
            yield name, moves, moves / total, self._captures_on[square]

    def by_piece(self) -> Iterator[Values]:
        """Yield a row for each kind of piece, first the one that moves most; no row without a board."""
        kinds, total = self.rules.kinds, max(self._moved.total(), 1)
        for number, kind in sorted(enumerate(kinds), key=lambda one: -self._moved[one[0]]):
            moves, name = self._moved[number], f"{self.rules.sides[kind.side].name} {kind.name}"
            captures, captured = self._captures_by[number], self._captured[number]
            yield kind.symbol, name, moves, moves / total, captures, captured


class MatchStatistics:
    """Statistics of games by kind; `with_opening` also counts the random moves of openings like others."""

    def __init__(self, *, with_opening: bool = False) -> None:
        self._with_opening = with_opening
        self.of_games: dict[str, GameStatistics] = {}

    def add(self, record: Record) -> None:
        """Count a game; raise `TablebaseError` if its rules are not installed, or as `replayed` does."""
        if record.game not in self.of_games:
            self.of_games[record.game] = GameStatistics(load_rules(record.game), with_opening=self._with_opening)
        self.of_games[record.game].add(record)

    def rows(self, by: str) -> list[dict[str, Any]]:
        """Return the rows of a subject in `ROWS`; kinds of games are in the order in which they were added."""
        return [
            dict(zip((*GAME, *ROWS[by]), (one.rules.name, one.rules.players, *values), strict=True))
            for one in self.of_games.values()
            for values in getattr(one, f"by_{by}")()
        ]
