"""What tables of Hare & Hedgehog hold: the numbers that the kernels of the game read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import RulesError
from tablebase_rules._harehedgehog import BOARD, CARDS, HOME, LETTUCES, PAYING, Race, ahead, behind

if TYPE_CHECKING:
    from tablebase.game.kernels import Kernels, Region

CAPS = {"merged": 20, "strict": 1, "generous": 1}
"""The kinds of cap, each with the fewest carrots that it can be put at; see the kernels."""
MOST_CARROTS = 250
SECOND_VALUES = {
    "lettuce_pay": "leaving",
    "hedgehog": "nearest_free",
    "stuck": "restart",
    "deck": "exhaust",
    "eat_card": "at_once",
    "again": "may",
    "carrot_card": "nearest_free",
    "card_chain": "draw",
    "fall_on_hedgehog": "no",
    "end": "first",
    "cards": "none",
}
"""The options that are words, in the order of the kernels."""


class TabledRace(Race):
    """The race with compiled rules and tables."""

    limits: ClassVar[Mapping[str, int | str]] = {"lettuces": 0, "carrots": 60, "cap": "merged"}

    def kernels(self) -> Kernels:
        """The compiled rules, for any number of players."""
        from tablebase.game.kernels import Kernels
        from tablebase_rules import harehedgehog_kernels as compiled

        return Kernels(
            rules=self._rules(),
            expand=compiled.expand,
            index=compiled.index,
            state_at=compiled.state_at,
            fields=len(self.start),
            widest=MOST_CARROTS + 2,
            deepest=self._deepest(),
            labels=tuple(CARDS),
            module=compiled.__name__,
            alike=compiled.alike,
        )

    def _deepest(self) -> int:
        """Most states in a turn, and what may follow before the next choice.

        Each move ahead in the same turn leads to a further hare square, but for one card that may lead back.
        """
        moves = BOARD.count("H") * (2 if self.options["card_chain"] == "draw" else 1)
        return 4 * (moves + 2)

    def region(self, limits: Mapping[str, int | str]) -> Region:
        """The states at which a player has a choice, with no more lettuces and carrots than the limits say.

        Errors are those of `StochasticGame.region`.
        """
        from tablebase.game.kernels import Layer, Region
        from tablebase_rules import harehedgehog_kernels as at

        chosen = {**self.limits, **limits}
        self._check(chosen)
        rules = self._rules(chosen)
        block = (rules[at.CAP] + 1 + rules[at.MERGED]) ** 2
        ranges: dict[str, tuple[int, int]] = {}
        for mine, others in _layouts(chosen):
            begin = rules[at.BASES + 4 * mine + others]
            end = begin + rules[at.PLACEMENTS + (others > 0)] * block
            layer = f"{max(mine, others)}-{min(mine, others)}"
            ranges[layer] = (ranges.get(layer, (int(begin),))[0], int(end))
        name = f"carrots={chosen['carrots']}-cap={chosen['cap']}"
        layers = tuple(Layer(layer, *numbers) for layer, numbers in ranges.items())
        return Region(name, chosen, rules, layers, int(block), generous=chosen["cap"] == "generous")

    def _check(self, limits: Mapping[str, int | str]) -> None:
        """Raise `RulesError` unless there are tables with these limits."""
        unknown = next((name for name in limits if name not in self.limits), None)
        if unknown is not None:
            raise RulesError(f"{self.name} has no limit {unknown}: choose among {', '.join(self.limits)}")
        if self.players != 2 or self.options["deck"] != "replace" or self.rounds:
            raise RulesError(f"{self.name} has no tables: they are for two players, deck=replace and no limit of rounds")
        if limits["cap"] not in CAPS:
            raise RulesError(f"{self.name} has no cap={limits['cap']}: choose one of {', '.join(CAPS)}")
        bounds = {"lettuces": (0, LETTUCES), "carrots": (CAPS[str(limits["cap"])], MOST_CARROTS)}
        for name, (least, most) in bounds.items():
            if not isinstance(limits[name], int) or not least <= int(limits[name]) <= most:
                where = f" under a {limits['cap']} cap" if name == "carrots" else ""
                raise RulesError(f"tables of {self.name} have {name} limited to {least} to {most}{where}, not {limits[name]}")

    def _rules(self, limits: Mapping[str, int | str] | None = None) -> NDArray[np.int64]:
        """The array that the kernels read, with the numbers of states if there are limits."""
        from tablebase_rules import harehedgehog_kernels as at

        rules = np.full(2 * at.PLACES - at.NUMBERS if limits else at.BASES, -1, np.int64)
        rules[[at.PLAYERS, at.FIRST_CARROTS, at.ROUNDS]] = self.players, self.first_carrots, self.rounds
        rules[at.LEAVING : at.NO_CARDS + 1] = [self.options[name] == second for name, second in SECOND_VALUES.items()]
        rules[[at.MERGED, at.GENEROUS, at.LAYOUTS]] = 0
        kinds = {"C": at.CARROT, "L": at.LETTUCE, "I": at.HEDGEHOG, "H": at.HARE}
        for square, kind in enumerate(BOARD):
            rules[at.KINDS + square] = kinds.get(kind, at.PLAIN)
            rules[at.PAYS + square] = sum(1 << place for place in PAYING.get(kind, ()))
            rules[at.HEDGEHOGS + square] = next(iter(behind(square, "I")), -1)
            rules[at.NEXT_CARROTS + square] = next(iter(ahead(square, "C")), -1)
            rules[at.LAST_CARROTS + square] = next(iter(behind(square, "C")), -1)
        rules[at.COPIES : at.COPIES + len(CARDS)] = list(CARDS.values())
        if limits:
            self._number(rules, limits)
        return rules

    def _number(self, rules: NDArray[np.int64], limits: Mapping[str, int | str]) -> None:
        """Give numbers to placements, and bases to pairs of lettuces."""
        from tablebase_rules import harehedgehog_kernels as at

        rules[at.CAP] = limits["carrots"]
        rules[[at.MERGED, at.GENEROUS]] = limits["cap"] == "merged", limits["cap"] == "generous"
        # Those with a lettuce to be eaten come last, so that the others have the same numbers without them.
        without = [place for place in self._places() if place[1] != at.EAT]
        places = without + [place for place in self._places() if place[1] == at.EAT]
        rules[[at.PLACEMENTS, at.PLACEMENTS + 1]] = len(without), len(places)
        for number, (wait, wait_2, square, square_2) in enumerate(places):
            code = ((wait * at.WAITS + wait_2) * at.BOARD + square) * at.BOARD + square_2
            rules[at.NUMBERS + code], rules[at.PLACES + number] = number, code
        layouts = _layouts(limits)
        rules[at.LAYOUTS] = len(layouts)
        base = 0
        for number, (mine, others) in enumerate(layouts):
            rules[at.LETTUCES + number], rules[at.BASES + 4 * mine + others] = 4 * mine + others, base
            base += rules[at.PLACEMENTS + (others > 0)] * (rules[at.CAP] + 1 + rules[at.MERGED]) ** 2

    def _places(self) -> list[tuple[int, int, int, int]]:
        """What both players wait for, the mover first, and their squares."""
        from tablebase_rules import harehedgehog_kernels as at

        board = set(range(HOME))
        hares = {square for square in board if BOARD[square] == "H" and self.options["cards"] == "deck"}
        eating = {square for square in board if BOARD[square] == "L"} | hares
        mine = {at.READY: board, at.ONCE_MORE: hares}
        others = {at.READY: board, at.MISS: hares, at.EAT: eating}
        if self.options["lettuce_pay"] == "leaving":
            mine[at.PAY] = others[at.PAY] = eating
        return [
            (wait, wait_2, square, square_2)
            for wait, squares in mine.items()
            for wait_2, squares_2 in others.items()
            for square in sorted(squares)
            for square_2 in sorted(squares_2)
            if square != square_2 or square == 0
        ]


def _layouts(limits: Mapping[str, int | str]) -> list[tuple[int, int]]:
    """Pairs of lettuces, the mover's first; none leads to a later one, and each is next to its mirror image."""
    numbers = range(int(limits["lettuces"]) + 1)
    pairs = [(mine, others) for mine in numbers for others in numbers]
    return sorted(pairs, key=lambda pair: (sum(pair), max(pair), pair))
