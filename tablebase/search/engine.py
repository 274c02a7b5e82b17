"""The engine: iterative deepening over alpha-beta, in several threads, with tables where there are any."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from tablebase.errors import ArgumentError, CapacityError, MissingTableError
from tablebase.game import Evaluation, Game, Outcome, load_game
from tablebase.game.game_arguments import as_position
from tablebase.game.moves import Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import render_move
from tablebase.game.plain_arguments import as_real, as_whole
from tablebase.positions.rule_arrays import compile_rules
from tablebase.probe.prober import Prober
from tablebase.search.choices import Options, Repetition, check_options
from tablebase.search.evaluation import compile_evaluation
from tablebase.search.frames import DRAWS, LOSES, MOST_DEPTH, NEVER, SearchSettings
from tablebase.search.searcher import DepthResult, Searcher, SearchLimits
from tablebase.search.table_cache import TableCache
from tablebase.search.transposition import DECIDED, GENERATIONS, INFINITY, REPEATER_LOSES, WIN, new_table
from tablebase.system.compute.messages import brief
from tablebase.tables.values import Value

WINDOW = 40
"""Half the width of the first window around the last score."""
NARROW_FROM = 4
"""The depth from which windows are narrow."""


_REPETITIONS = {Repetition.NONE: NEVER, Repetition.DRAW: DRAWS, Repetition.LOSS: LOSES}


@brief
@dataclass(frozen=True)
class Analysis:
    """A line of best play from a search to a given depth, with its score.

    Parameters
    ----------
    depth : int
        Search depth in plies; 0 if the position itself was found in a table.
    rank : int
        Rank of the line; 1 for the best line.
    value : Value or None
        The proved result for the side to move, or None. The distance is an upper bound, because a shorter win may exist. The
        distance is exact if the value comes from a table (depth 0), or from an exact search that used no tables.
    score : int
        Score for the side to move, in hundredths of a piece. A proved win scores 1,000,000 minus the distance, and a proved loss
        scores the distance minus 1,000,000. A score of 899,999 or -899,999 means that the opponent or the side to move,
        respectively, must repeat a position and loses.
    nodes : int
        Number of searched positions.
    seconds : float
        Elapsed time in seconds.
    table_hits : int
        Number of positions found in tables.
    line : tuple of str
        Sequence of best moves found, for both sides.
    reached : Value or None
        Value of the last position of the line, for the side to move in it; None if the position was not found in a table.
    """

    depth: int
    rank: int
    value: Value | None
    score: int
    nodes: int
    seconds: float
    table_hits: int
    line: tuple[str, ...]
    reached: Value | None = None

    @property
    def best(self) -> str | None:
        """The best move; None without a legal move."""
        return self.line[0] if self.line else None

    @property
    def verdict(self) -> str:
        """The result in words if it is proved or forced by repetition; otherwise, the score in units of one piece."""
        if self.value is not None:
            return self.value.said
        if abs(self.score) == REPEATER_LOSES:
            return "win by repetition" if self.score > 0 else "loss by repetition"
        return f"{self.score / 100:+.2f}"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict with the JSON fields of `tablebase analyse --format json`."""
        return {
            "depth": self.depth,
            "rank": self.rank,
            "outcome": None if self.value is None else str(self.value.outcome),
            "distance": None if self.value is None else self.value.distance,
            "score": None if self.value is not None else self.score,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
            "table_hits": self.table_hits,
            "line": list(self.line),
            "reached": None if self.reached is None else {"outcome": str(self.reached.outcome), "distance": self.reached.distance},
        }


class Engine:
    """Search engine for one game; only one search can run at a time.

    Parameters
    ----------
    game : str or Game
        Game with pieces on squares, as a name or an object.
    prober : Prober, optional
        Tables to use; by default, none.
    options : Options
        Settings of the search.
    evaluation : Evaluation, optional
        Evaluation to use; by default, the evaluation of the game.

    Raises
    ------
    TablebaseError
        If an option is out of range.
    CapacityError
        If the transposition table does not fit into memory.

    Examples
    --------
    >>> *_, last = Engine("hexapawn").analyse("ppp/3/PPP w", depth=7)
    >>> last.value
    Value(outcome=<Outcome.LOSS: 'loss'>, distance=6)
    """

    def __init__(
        self, game: str | Game, prober: Prober | None = None, options: Options | None = None, evaluation: Evaluation | None = None
    ) -> None:
        options = options or Options()
        # A copy begins with an empty transposition table.
        self._given = game, prober, options, evaluation
        check_options(options)
        self.game = game = load_game(game)
        self.options = options
        self._prober = prober
        self._rules = compile_rules(game)
        arrays, table = compile_evaluation(game, evaluation), new_table(options.hash_bytes)
        store, share = None if prober is None else prober.store, options.table_bytes // options.threads
        caches = [TableCache(game, store, options.table_pieces, share) for _ in range(options.threads)]
        self._searchers = [Searcher(game, arrays, table, cache) for cache in caches]
        self._generation = 0
        self._stopped = threading.Event()

    def __reduce__(self) -> tuple[type[Engine], tuple[Any, ...]]:
        return type(self), self._given

    @property
    def missing(self) -> set[str]:
        """Materials that occurred in searches but do not have a table."""
        return set().union(*(searcher.cache.missing for searcher in self._searchers))

    def prepare(self) -> None:
        """Compile all numerical functions (kernels) of the search that are not in the cache, to save time in the first search."""
        self._searchers[0].prepare()

    def stop(self) -> None:
        """Stop the current or next search from another thread; the search ends with its best result so far."""
        self._stopped.set()

    def analyse(
        self,
        position: str | Position,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        lines: int = 1,
        past: Sequence[Position] = (),
        moves: Collection[str] = (),
    ) -> Iterator[Analysis]:
        """Search with increasing depth and yield the best lines at each depth.

        Parameters
        ----------
        position : str or Position
            Position to search, as text or object.
        depth : int, optional
            Maximum search depth, in plies.
        seconds : float, optional
            Time limit in seconds.
        nodes : int, optional
            Maximum number of positions to search in the first thread.
        lines : int
            Number of best moves to find.
        past : sequence of Position
            The earlier positions of the game, for the repetition rule.
        moves : collection of str
            Moves to search in the position; by default, all legal moves.

        Raises
        ------
        TablebaseError
            If no limit is given, a limit is out of range, none of `moves` is legal, or a table is outdated or damaged.
        NotationError
            If the position is invalid or the game is over.
        """
        if depth is None and seconds is None and nodes is None:
            raise ArgumentError("the search needs a limit: give a depth, a time or a number of nodes")
        _check_limits(depth, seconds, nodes, lines)
        position = as_position(self.game, position)
        legal = {render_move(self.game, move) for move in legal_moves(self.game, position)}
        if moves and legal and legal.isdisjoint(moves):
            raise ArgumentError(f"none of the given moves is legal: choose from {', '.join(sorted(legal))}")
        # Before the caller has the answers, so that no word to stop from then on is lost.
        self._stopped.clear()
        limits = SearchLimits(nodes, float("inf") if seconds is None else seconds, self._stopped)
        return self._answers(position, depth, limits, lines, past, legal.intersection(moves) or legal)

    def _answers(
        self,
        position: Position,
        depth: int | None,
        limits: SearchLimits,
        lines: int,
        past: Sequence[Position],
        chosen: Collection[str],
    ) -> Iterator[Analysis]:
        """Yield the answers of `analyse`; `chosen` are the first moves to search, and the time counts from here."""
        self.prepare()
        begin = time.monotonic()
        limits.deadline += begin
        if (over := decided(self.game, position)) is not None:
            value = Value(over, None if over is Outcome.DRAW else 0)
            yield Analysis(0, 1, value, _score(value), 0, time.monotonic() - begin, 0, ())
            return
        if answers := self._from_tables(position, chosen, lines, begin):
            yield from answers
            return
        self._generation = (self._generation + 1) % GENERATIONS
        for searcher in self._searchers:
            searcher.start(position, past)
        lines = min(lines, len(chosen))
        others = {render_move(self.game, move) for move in legal_moves(self.game, position)}.difference(chosen)
        left_out = self._steps(position, others)
        open_ended = depth is None
        score = 0
        for plies in range(1, (depth or MOST_DEPTH) + 1):
            excluded = list(left_out)
            proved = True
            for rank in range(1, lines + 1):
                found = self._deepen(plies, limits, excluded, score if lines == 1 else None)
                if found is None:
                    if plies == 1 and rank == 1:
                        # Stopped before it has an answer: a legal move, unevaluated.
                        yield Analysis(0, 1, None, 0, self._searchers[0].nodes, time.monotonic() - begin, 0, (min(chosen),))
                    return
                answer = self._analysis(position, plies, rank, found, begin)
                yield answer
                excluded += self._steps(position, answer.line[:1])
                score = found.score
                proved &= answer.value is not None and (answer.value.distance or 0) <= plies
            if open_ended and proved:
                return

    def _steps(self, position: Position, moves: Collection[str]) -> list[int]:
        """List all steps that are one of these moves; steps of the same move differ in what must be empty."""
        rules, names = self._rules, self.game.board.names
        return [
            step
            for kind, square in position.pieces
            for step in range(*rules.step_begin[kind, square : square + 2])
            if f"{names[square]}{names[rules.target[step]]}" in moves
        ]

    def _deepen(self, depth: int, limits: SearchLimits, excluded: list[int], last: int | None) -> DepthResult | None:
        """Search to a depth in all threads; the result is that of the first one."""
        options = self.options
        settings = SearchSettings(
            exact=options.exact,
            transpositions=options.transpositions,
            ordering=options.ordering,
            repetition=_REPETITIONS[options.repetition],
            # The kernel counts in 64 bits.
            progress=min(options.progress, sys.maxsize),
            generation=self._generation,
        )
        main, *helpers = self._searchers
        with self._helping(helpers, settings, limits, depth, excluded):
            width = WINDOW
            while last is not None and depth >= NARROW_FROM and abs(last) < DECIDED and width < DECIDED:
                found = main.search(settings, limits, depth, (last - width, last + width), excluded)
                if found is None or last - width < found.score < last + width:
                    return found
                last, width = found.score if abs(found.score) < DECIDED else last, width * 8
                if abs(found.score) >= DECIDED:
                    break
            return main.search(settings, limits, depth, (-INFINITY, INFINITY), excluded)

    @contextmanager
    def _helping(
        self, helpers: list[Searcher], settings: SearchSettings, limits: SearchLimits, depth: int, excluded: list[int]
    ) -> Iterator[None]:
        """Other threads search the same position meanwhile; what they find out is in the transposition table."""
        if not helpers:
            yield
            return
        over = threading.Event()
        shared = replace(limits, nodes=None, stopped=over)
        with ThreadPoolExecutor(len(helpers)) as pool:
            # Half of them look one ply further, unless only entries of equal depth count.
            depths = [depth + (number % 2 and not settings.exact) for number in range(1, len(helpers) + 1)]
            futures = [
                pool.submit(helper.search, settings, shared, deeper, (-INFINITY, INFINITY), excluded)
                for helper, deeper in zip(helpers, depths, strict=True)
            ]
            try:
                yield
            finally:
                over.set()
            for future in futures:
                future.result()

    def _analysis(self, position: Position, depth: int, rank: int, found: DepthResult, begin: float) -> Analysis:
        board, rules, result = self.game.board, self._rules, Outcome.WIN if found.score > 0 else Outcome.LOSS
        line = tuple(f"{board.names[rules.origin[step]]}{board.names[rules.target[step]]}" for step in found.line)
        return Analysis(
            depth=depth,
            rank=rank,
            value=None if abs(found.score) <= DECIDED else Value(result, WIN - abs(found.score)),
            score=found.score,
            nodes=sum(searcher.nodes for searcher in self._searchers),
            seconds=time.monotonic() - begin,
            table_hits=sum(searcher.table_hits for searcher in self._searchers),
            line=line,
            reached=self._reached(position, line),
        )

    def _reached(self, position: Position, line: Sequence[str]) -> Value | None:
        for text in line:
            move = next(move for move in legal_moves(self.game, position) if render_move(self.game, move) == text)
            if wins_at_once(self.game, position, move):
                return None
            position = play(position, move)
        return None if decided(self.game, position) is not None else self._table_value(position)

    def _table_value(self, position: Position) -> Value | None:
        most = self._searchers[0].cache.arrays.most_pieces
        if self._prober is None or len(position.pieces) > most:
            return None
        try:
            return self._prober.slices(self.game).look_up(position)
        except MissingTableError:
            return None

    def _from_tables(self, position: Position, chosen: Collection[str], lines: int, begin: float) -> list[Analysis]:
        if self._prober is None or self._table_value(position) is None:
            return []
        probe = self._prober.of(self.game).probe(position)
        moves = [move for move in probe.moves if move.move in chosen][:lines]
        if any(move.value is None for move in moves) or probe.best is None:
            return []
        seconds = time.monotonic() - begin
        answers = []
        for rank, move in enumerate(moves, start=1):
            assert isinstance(move.value, Value)
            answers.append(Analysis(0, rank, move.value, _score(move.value), 0, seconds, len(probe.moves) + 1, (move.move,)))
        return answers


def _score(value: Value) -> int:
    if value.distance is None:
        return 0
    return WIN - value.distance if value.outcome is Outcome.WIN else value.distance - WIN


def _check_limits(depth: int | None, seconds: float | None, nodes: int | None, lines: int) -> None:
    as_whole("lines", lines)
    for name, given in (("depth", depth), ("nodes", nodes)):
        if given is not None:
            as_whole(name, given)
    if seconds is not None:
        as_real("seconds", seconds)
    if depth is not None and not 1 <= depth <= MOST_DEPTH:
        if depth > MOST_DEPTH:
            raise CapacityError(f"a search to depth {depth}", "use a smaller depth", allowed=MOST_DEPTH, unit="plies")
        raise ArgumentError(f"the depth must be at least 1 ply, not {depth}")
    for name, limit in (("time", seconds), ("number of nodes", nodes), ("number of lines", lines)):
        # This comparison also rejects NaN.
        if limit is not None and not limit > 0:
            raise ArgumentError(f"the {name} must be positive, not {limit:g}")
