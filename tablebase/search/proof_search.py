"""Proofs of wins and losses: depth-first proof-number search that ends in tables.

A search asks whether one side, the *attacker*, can force a win within a number of plies, or reach a table that says so within
them. Its nodes are a position and the plies that are left, so no line can come back to a node, and what is found out about a
node never depends on the way to it. A win by the attacker is *proved*; that there is none within the plies is a *refutation*,
which says nothing about more plies, so only wins of one side or the other are results.

The search is df-pn (A. Nagai, *Df-pn Algorithm for Searching AND/OR Trees and Its Applications*, 2002): each node has two
numbers, how hard it seems to prove and to refute, and the most promising one is searched until its numbers exceed thresholds.
Sums of numbers are replaced by the largest one and a count (T. Ueda and others, "Weak Proof-Number Search", 2008), since many
moves lead to the same positions.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

from tablebase.errors import ArgumentError, MissingTableError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position, decided, legal_moves, play, wins_at_once
from tablebase.probe.prober import Prober
from tablebase.search.table_cache import pieces_with_tables

INFINITE = 1 << 30
"""The number of what cannot be proved or refuted any more."""
FIRST_PLIES = 2
"""The plies of the first search; each following one has twice as many."""
MOST_PLIES = 256
CHILD_BYTES = 450
NODE_BYTES = 550
"""Memory for a move and for a node, generously."""
CLOCK = 64
"""Nodes between two looks at the clock."""
SLICE = 2_000
"""Nodes for which one side is tried before the other one; grows as the search goes on."""


class Child(NamedTuple):
    """A move and the position that it leads to; None if it wins at once."""

    move: Move
    position: Position | None


class LimitReachedError(Exception):
    """A search has used up what it was given."""


@dataclass
class Allowance:
    """Limits of both searches together."""

    nodes: int  # nodes to enter
    deadline: float  # on the clock `time.monotonic`
    bytes: int  # memory of each search


class ProofSearch:
    """Tries to prove that one side, the attacker, wins.

    Positions of up to `most` pieces are looked up in tables, but never the first one. `nodes` counts the nodes entered, and
    `table_hits` the positions found in tables.
    """

    def __init__(self, game: Game, attacker: int, prober: Prober | None, most: int, allowance: Allowance) -> None:
        self.game, self.attacker = game, attacker
        self.nodes = self.table_hits = 0
        self._prober, self._most, self._allowance = prober, 0 if prober is None else most, allowance
        self._stop_at = 0
        # Whether the attacker wins, where rules or tables say it; the least plies proved, and the most plies refuted.
        self._known: dict[Position, bool | None] = {}
        self._proved: dict[Position, int] = {}
        self._refuted: dict[Position, int] = {}
        # How hard a node is for the side to move there to get its way, and for the other side; and the nodes spent on it.
        self._numbers: dict[tuple[Position, int], tuple[int, int, int]] = {}
        self._children: dict[Position, tuple[Child, ...]] = {}
        self._moves = 0
        self._tableless: set[tuple[int, ...]] = set()

    def prove(self, position: Position, plies: int, nodes: int) -> bool | None:
        """Return whether the attacker wins within some plies, or None if the nodes do not suffice; another call continues.

        `LimitReachedError` if the allowance is used up.
        """
        self._stop_at = self.nodes + nodes
        is_settled = self._proved.get(position, INFINITE) <= plies or self._refuted.get(position, -1) >= plies
        if self._look(position) is None and not is_settled:
            try:
                self._search(position, plies, INFINITE, INFINITE)
            except _PausedError:
                return None
        known = self._look(position)
        return self._proved.get(position, INFINITE) <= plies if known is None else known

    def winning(self, position: Position) -> Child:
        """The attacker's move in a position that is proved: one that wins at once or has the shortest proof."""
        moves = [child for child in self.expand(position) if child.position is None or self.rank(child.position) < INFINITE]
        return min(moves, key=lambda child: -1 if child.position is None else self.rank(child.position))

    def rank(self, position: Position) -> int:
        """The plies that a proof has; 0 if rules or tables say it, `INFINITE` if there is none."""
        return 0 if self._known.get(position) else self._proved.get(position, INFINITE)

    def expand(self, position: Position) -> tuple[Child, ...]:
        """The moves of a position, each once; none if the game is over."""
        if (found := self._children.get(position)) is not None:
            return found
        moves = dict.fromkeys(legal_moves(self.game, position))
        found = tuple(Child(move, None if wins_at_once(self.game, position, move) else play(position, move)) for move in moves)
        self._children[position] = found
        self._moves += len(found)
        return found

    # Nodes

    def _search(self, position: Position, plies: int, threshold: int, counter: int) -> None:
        """Search a node until its number for the side to move reaches the threshold, or that for the other side does."""
        self._count()
        before, children = self.nodes, [child.position for child in self.expand(position)]
        while True:
            numbers = [self._look_up(child, plies - 1, position.side) for child in children]
            # A move that gives the other side its way is out.
            left = [mine for mine, _ in numbers if mine > 0]
            easiest = min(range(len(numbers)), key=lambda number: numbers[number][1])
            number, other = numbers[easiest][1], min(INFINITE, max(left) + len(left) - 1) if left else 0
            if number >= threshold or other >= counter:
                self._store(position, plies, number, other, self.nodes - before)
                return
            second = min((each[1] for index, each in enumerate(numbers) if index != easiest), default=INFINITE)
            child = children[easiest]
            assert child is not None
            bound = counter if counter >= INFINITE else counter - (len(left) - 1)
            self._search(child, plies - 1, bound, min(threshold, second + 1 + second // 4))

    def _look_up(self, position: Position | None, plies: int, parent: int) -> tuple[int, int]:
        """The numbers of a node, for the side to move and for the other one; without a position its parent has won."""
        won = parent == self.attacker if position is None else self._look(position)
        if position is not None and won is None:
            if self._proved.get(position, INFINITE) <= plies:
                won = True
            elif plies == 0 or self._refuted.get(position, -1) >= plies:
                won = False
        if won is not None:
            # The side to move is not the parent's.
            return (0, INFINITE) if won == (1 - parent == self.attacker) else (INFINITE, 0)
        assert position is not None
        known = self._numbers.get((position, plies))
        return known[:2] if known else (1, len(self.expand(position)))

    def _store(self, position: Position, plies: int, number: int, other: int, nodes: int) -> None:
        if 0 in (number, other):
            won = (number == 0) == (position.side == self.attacker)
            self._numbers.pop((position, plies), None)
            if won:
                self._proved[position] = min(plies, self._proved.get(position, INFINITE))
            else:
                self._refuted[position] = max(plies, self._refuted.get(position, -1))
            return
        self._numbers[position, plies] = number, other, nodes

    def _look(self, position: Position) -> bool | None:
        """Return whether the attacker wins, where the rules or a table say it; None where they do not."""
        if position not in self._known:
            children = self.expand(position)
            if not children:
                outcome = decided(self.game, position)
            elif any(child.position is None for child in children):
                outcome = Outcome.WIN
            else:
                outcome = self._by_table(position)
            wanted = Outcome.WIN if position.side == self.attacker else Outcome.LOSS
            self._known[position] = None if outcome is None else outcome is wanted
        return self._known[position]

    def _by_table(self, position: Position) -> Outcome | None:
        if self._prober is None or len(position.pieces) > self._most:
            return None
        kinds = tuple(kind for kind, _ in position.pieces)
        if kinds in self._tableless:
            return None
        try:
            outcome = self._prober.slices(self.game).look_up(position).outcome
        except MissingTableError:
            self._tableless.add(kinds)
            return None
        self.table_hits += 1
        return outcome

    # Limits

    def _count(self) -> None:
        if self.nodes >= self._allowance.nodes:
            raise LimitReachedError
        if self.nodes >= self._stop_at:
            raise _PausedError
        self.nodes += 1
        if self.nodes % CLOCK == 0:
            if time.monotonic() >= self._allowance.deadline:
                raise LimitReachedError
            if self._size() > self._allowance.bytes:
                self._forget()

    def _size(self) -> int:
        entries = len(self._known) + len(self._proved) + len(self._refuted) + len(self._numbers) + len(self._children)
        return CHILD_BYTES * self._moves + NODE_BYTES * entries

    def _forget(self) -> None:
        """Make room: moves can be listed again, and the half of the numbers that took the least work be found again."""
        self._children.clear()
        self._moves = 0
        self._known = {position: won for position, won in self._known.items() if won}
        if self._size() > self._allowance.bytes // 2:
            kept = sorted(self._numbers.items(), key=lambda entry: entry[1][2], reverse=True)[: len(self._numbers) // 2]
            self._numbers = dict(kept)
        if self._size() > self._allowance.bytes // 2:
            self._refuted.clear()
        # Proofs are what is wanted in the end, and stay.
        if self._size() > self._allowance.bytes:
            raise LimitReachedError


class _PausedError(Exception):
    """The nodes of one call are used up."""


@dataclass(frozen=True)
class Verdict:
    """Result of a search for a proof."""

    # For the side to move: a win or a loss; None if that was not decided within the limits. A draw only if the game is over.
    outcome: Outcome | None
    # Within which the proof wins, though all its lines may be shorter; without a proof, those within which neither side wins.
    plies: int
    # Nodes entered, and positions found in tables, by both searches.
    nodes: int
    table_hits: int
    seconds: float
    search: ProofSearch | None  # the search that has found the proof


def find_proof(
    game: Game,
    position: Position,
    prober: Prober | None = None,
    *,
    nodes: int = INFINITE,
    seconds: float = float("inf"),
    memory: int = 1 << 30,
    most_pieces: int | None = None,
    known: Outcome | None = None,
) -> Verdict:
    """Prove that a position is won or lost.

    Both are tried in turns, and again with more plies, until one of them is proved or the limits are reached: nodes to enter,
    seconds, and bytes of memory. Positions of up to `most_pieces` are looked up, by default of as many as there are tables of, but
    not the position itself. Nothing is searched if `known` is given, the outcome that a table has. `TablebaseError` if a limit is
    not positive, or a table is damaged or was built under other rules.
    """
    for name, limit in (("nodes", nodes), ("time", seconds), ("memory", memory)):
        if not limit > 0:
            raise ArgumentError(f"the limit on {name} must be positive, not {limit:g}")
    begin = time.monotonic()
    over = decided(game, position)
    if over is not None or known is not None:
        return Verdict(over or known, 0, 0, int(over is None), 0.0, None)
    most = 0 if prober is None else pieces_with_tables(game, prober.store.folder)
    most = min(most, len(position.pieces) - 1, most if most_pieces is None else most_pieces)
    allowance = Allowance(nodes, begin + seconds, memory // 2)
    searches = [ProofSearch(game, side, prober, most, allowance) for side in (position.side, 1 - position.side)]
    plies, refuted, turn = [FIRST_PLIES, FIRST_PLIES], [0, 0], SLICE

    def verdict(outcome: Outcome | None, plies: int, done: ProofSearch | None) -> Verdict:
        entered, hits = sum(search.nodes for search in searches), sum(search.table_hits for search in searches)
        return Verdict(outcome, plies, entered, hits, time.monotonic() - begin, done)

    try:
        while min(plies) <= MOST_PLIES:
            for number, search in enumerate(searches):
                if plies[number] > MOST_PLIES:
                    continue
                # Of both together.
                allowance.nodes = nodes - searches[1 - number].nodes
                found = search.prove(position, plies[number], turn)
                if found:
                    return verdict((Outcome.WIN, Outcome.LOSS)[number], search.rank(position), search)
                if found is False:
                    refuted[number], plies[number] = plies[number], 2 * plies[number]
            turn += SLICE
    except LimitReachedError:
        pass
    return verdict(None, min(refuted), None)
