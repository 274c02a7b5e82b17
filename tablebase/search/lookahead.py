"""Looking ahead in games of chance or of several players: max^n with an evaluation, and with tables at its leaves.

For two players who compare themselves, `Objective.LEAD`, this is minimax.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tablebase.errors import ArgumentError, CapacityError, RulesError
from tablebase.functions.chance.chances import UNIT
from tablebase.game.kernels import call_compiled, no_evaluation
from tablebase.game.stochastic import State, StochasticGame
from tablebase.search import maxn
from tablebase.search.choices import Cards, Foresight, Objective
from tablebase.system.compute import machine
from tablebase.tables.folder import check_folder

MOST_DEPTH = 20
MOST_CUTS = 100
SLICE = 1 << 20
"""States between two looks at whether the program is to end."""
SHIFT = UNIT.bit_length() - 1 - maxn.SHARE_BITS
"""Bits of a chance in a file that are dropped, which makes it lower, if anything."""
BYTES = 8
"""In memory, for each state of a table."""


@dataclass(frozen=True)
class Prospect:
    """A move that was looked at."""

    code: int
    values: tuple[int, ...]  # what it leads to for each player, in thousandths of a point
    # False if alpha-beta has found it to be no better than the best one, and its values are something that is no worse.
    exact: bool = True


@dataclass(frozen=True)
class Outlook:
    """Result of a search."""

    moves: tuple[Prospect, ...]  # best first; of equal ones, in the order of the rules
    line: tuple[str, ...]  # expected: codes of moves and labels of draws, up to a leaf or to an average of outcomes
    nodes: int  # states that were looked at, those in the middle of a turn included
    positions: int  # those of them in which a turn begins or the game is over
    leaves: int  # those that were evaluated as leaves
    evaluations: int  # how often a state was evaluated: as a leaf, or to order the moves before it

    @property
    def best(self) -> int:
        """The code of the move to make."""
        return self.moves[0].code

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the best move."""
        return self.moves[0].values


class Lookahead:
    """Searches states of one game; one search at a time.

    `tables` is the result of `load_tables`, and `weights` contains weights of the evaluation. Raise `RulesError` if the game has
    no compiled rules or no such weight, and `TablebaseError` if a setting is out of range, or alpha-beta would not be sound.

    Examples
    --------
    >>> from tablebase_rules import harehedgehog
    >>> game = harehedgehog.game(cards="none")
    >>> Lookahead(game, Foresight(depth=2)).search(game.start).leaves
    72
    """

    def __init__(
        self,
        game: StochasticGame,
        foresight: Foresight | None = None,
        tables: maxn.LeafTables | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.foresight = foresight = foresight or Foresight()
        check_foresight(foresight, game)
        kernels = game.kernels()
        if kernels is None:
            raise RulesError(f"{game.name} has no compiled rules, which a search needs: choose a different player")
        self.game, self._kernels = game, kernels
        self._evaluation = game.evaluation(weights or {}) or no_evaluation()
        self._tables = tables or NO_TABLES
        self._cuts = np.array(foresight.cuts or (0,), np.int64)
        self._levels = 1 + foresight.depth * (kernels.deepest + 2)
        self._space: maxn.LookaheadSpace | None = None

    def search(self, state: State, seed: int = 0) -> Outlook:
        """Look ahead from a state; the seed decides which outcomes of chance are drawn.

        Raise `RulesError` if nobody is to move, and `CapacityError` if too many states would have to be looked at.
        """
        if self.game.to_move(state) < 0:
            raise RulesError(f"{self.game.format(state)} has no player to move (game over or chance move): use another position")
        settings = self._settings(state, seed)
        while (space := self._searched(state, settings)) is None:
            # A turn can be longer than what lies between two states of a table.
            self._levels, self._space = 2 * self._levels, None
        mover, codes = self.game.to_move(state), list(self.game.moves(state))
        moves = [
            Prospect(code, tuple(row[maxn.RESULT_VALUES :].tolist()), bool(row[maxn.RESULT_SEEN] != maxn.BOUND))
            for code, row in zip(codes, space.results, strict=False)
            if row[maxn.RESULT_SEEN] != maxn.NOT_SEEN
        ]
        moves.sort(key=lambda move: (-self._score(move.values, mover), not move.exact))
        nodes, positions, leaves, arranged = map(int, space.counts[[maxn.NODES, maxn.POSITIONS, maxn.LEAVES, maxn.SORTED]])
        return Outlook(tuple(moves), tuple(self._line(state, space)), nodes, positions, leaves, leaves + arranged)

    def _settings(self, state: State, seed: int) -> maxn.LookaheadSettings:
        chosen, one = self.foresight, self._evaluation
        # Who has finished, as far as the evaluation says; the game is not over.
        values = np.zeros(self.game.players, np.int64)
        finished = call_compiled(one.evaluate, self._kernels.rules, one.parameters, np.array(state, np.int64), values)
        return maxn.LookaheadSettings(
            turns=chosen.depth,
            lead=chosen.objective is Objective.LEAD,
            stop=chosen.stop_at_finisher,
            alpha_beta=chosen.alpha_beta,
            sort=chosen.sort,
            average=chosen.cards is Cards.EXPECTATION,
            seed=seed % (1 << 63),
            finished=max(int(finished), 0),
        )

    def _searched(self, state: State, settings: maxn.LookaheadSettings) -> maxn.LookaheadSpace | None:
        """The space after a search; None if it has too few levels."""
        kernels, evaluation = self._kernels, self._evaluation
        if self._space is None:
            self._space = maxn.new_space(kernels, self.game.players, self._levels)
        space = self._space
        task = maxn.LookaheadTask(
            kernels.expand,
            kernels.index,
            evaluation.evaluate,
            kernels.rules,
            evaluation.parameters,
            self._tables,
            settings,
            self._cuts,
        )
        maxn.begin(task, np.array(state, np.int64), space)
        while True:
            left = self.foresight.nodes - int(space.counts[maxn.NODES])
            status = maxn.run(task, space, min(SLICE, left))
            if status == maxn.TOO_DEEP:
                return None
            if status != maxn.PAUSED:
                return space
            if left <= SLICE:
                subject = f"looking {self.foresight.depth} turns ahead in {self.game.format(state)}"
                raise CapacityError(subject, "use a smaller depth, or set cuts", allowed=self.foresight.nodes, unit="positions")

    def _score(self, values: tuple[int, ...], player: int) -> int:
        if self.foresight.objective is Objective.OWN:
            return values[player]
        return values[player] - max(value for other, value in enumerate(values) if other != player)

    def _line(self, state: State, space: maxn.LookaheadSpace) -> Iterator[str]:
        for label in space.lines[0, : space.lengths[0]].tolist():
            if self.game.to_move(state) >= 0:
                yield str(label)
                state = self.game.moves(state)[label]
            else:
                name = self._kernels.labels[label]
                yield name
                state = next(draw.state for draw in self.game.draws(state) if draw.label == name)


NO_TABLES = maxn.LeafTables(np.zeros(0, np.int64), np.zeros((0, 3), np.int64), np.zeros((2, 0), np.int32))


def load_tables(folder: Path, game: StochasticGame) -> maxn.LeafTables:
    """Read the chances of all tables of a game that a folder has; there may be none, and no folder either.

    `CapacityError` if they do not fit into memory; `TablebaseError` if this is no folder of tables, or a file is damaged or was
    built under other rules.
    """
    # Imported here because few programs that look ahead read tables.
    from tablebase.functions.chance.files import LayerFile, built_regions, layer_path

    check_folder(folder)
    # Those of generous tables cannot be forced.
    regions = [(region, layers) for region, layers in built_regions(folder, game, game.region) if not region.generous]
    if not regions:
        return NO_TABLES
    size = sum(region.size for region, _ in regions)
    # What is read of a layer takes eight bytes for each chance.
    largest = max(layer.end - layer.begin for _, layers in regions for layer in layers)
    needed = BYTES * size + 2 * BYTES * largest
    if needed > machine.memory():
        where = f"loading all tables of {game.name} from {folder}"
        raise CapacityError(where, "set tables=no", needed=needed, allowed=machine.memory())
    chances = np.zeros((2, size), np.int32)
    spans, at, begin = [], 0, 0
    for region, layers in regions:
        spans.append((at, at + len(region.rules), begin))
        for layer in layers:
            with closing(LayerFile(layer_path(folder, game, region, layer), game, region, layer)) as file:
                read = np.empty((2, layer.end - layer.begin), np.int64)
                file.read(read)
                read >>= SHIFT
                chances[:, begin + layer.begin : begin + layer.end] = read
        at, begin = at + len(region.rules), begin + region.size
    return maxn.LeafTables(np.concatenate([region.rules for region, _ in regions]), np.array(spans, np.int64), chances)


def check_foresight(foresight: Foresight, game: StochasticGame) -> None:
    """Raise `TablebaseError` unless a program can look ahead like this."""
    if not 1 <= foresight.depth <= MOST_DEPTH:
        raise ArgumentError(f"the depth must be a number of turns from 1 to {MOST_DEPTH}, not {foresight.depth}")
    if foresight.nodes < 1:
        raise ArgumentError(f"the number of positions to search must be positive, not {foresight.nodes}")
    if len(foresight.cuts) > MOST_DEPTH or not all(0 <= keep <= MOST_CUTS for keep in foresight.cuts):
        raise ArgumentError(f"invalid cuts: expected at most {MOST_DEPTH} numbers, each from 0 (all moves) to {MOST_CUTS}")
    if foresight.alpha_beta and (game.players != 2 or foresight.objective is not Objective.LEAD):
        raise ArgumentError("alpha-beta needs two players and objective=lead: set objective=lead, or leave out alpha-beta")
