"""Searches from Python that need no open tablebase: `tablebase.perft`, `analyse` and `prove`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.commands.arguments import as_optional, as_texts, as_workers
from tablebase.commands.registry import check_verb
from tablebase.compute.messages import say
from tablebase.compute.progress import compiling_said, progress
from tablebase.errors import ArgumentError, game_word, quoted, shell_word
from tablebase.files.outputs import check_output, written
from tablebase.game.game_arguments import AnyGame, as_rules
from tablebase.game.plain_arguments import as_number, as_path, as_real, as_size, as_text, usable_workers
from tablebase.search.choices import Options, RepeatedLines, Repetition
from tablebase.tables.folder import check_folder, default_folder

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.game.moves import Position
    from tablebase.probe.prober import Prober
    from tablebase.search.engine import Analysis, Engine
    from tablebase.search.proof_search import Verdict
    from tablebase.search.proof_trees import Proof

ByMove = Callable[[int], dict[str, int]]
ByDepth = Callable[[int], Iterable[tuple[int, int, float]]]
CURE = "name another file with --output"
SECONDS = 60.0
"""Of a search for a proof without a limit of time or nodes."""
ANALYSED = 5.0
"""Seconds of an analysis without any limit."""


def perft(
    game: AnyGame,
    position: str | None = None,
    *,
    depth: int = 4,
    divide: bool = False,
    repetitions: str = RepeatedLines.CONTINUE,
    players: int | None = None,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Count the leaves of the tree of legal moves.

    Parameters
    ----------
    game : str, Game or StochasticGame
    position : str, optional
        By default the start.
    depth : int
        Length of the longest lines, in plies or in whole turns.
    divide : bool
        Whether to count the leaves below each legal move, at this depth only.
    repetitions : str
        Whether a line that comes back to one of its own earlier positions is one leaf; see `RepeatedLines`.
    players, size, variant
        What distinguishes the variant of the game.
    workers : int, optional
        Number of threads; by default one for each processor.

    Returns
    -------
    list of dict
        The rows of ``tablebase perft --format json``.
    """
    count = [] if players is None else [f"players={as_number('players', players, 1)}"]
    rules = as_rules(game, size, [*as_texts("variant", variant), *count])
    if repetitions not in list(RepeatedLines):
        raise ArgumentError(f"repetitions must be {' or '.join(RepeatedLines)}, not {quoted(repetitions)}")
    text = rules.format(rules.initial) if position is None else as_text("position", position)
    depth, threads = as_number("depth", depth, 1), usable_workers(as_optional(as_workers, "workers", workers))
    by_move, by_depth = _counting(rules, text, RepeatedLines(repetitions), threads)
    with progress(f"perft {rules.name}", "depths", depth, compiles=True) as shown:
        if divide:
            return [{"move": move, "leaves": leaves} for move, leaves in by_move(depth).items()]
        rows = []
        for number, leaves, seconds in by_depth(depth):
            shown.update()
            rows.append({"depth": number, "leaves": leaves, "seconds": round(seconds, 3)})
    return rows


def _counting(rules: Any, text: str, repetitions: RepeatedLines, threads: int) -> tuple[ByMove, ByDepth]:
    """What counts lines from a position: those of one depth by the first move, and those of each depth up to one."""
    from tablebase.game import Game

    if isinstance(rules, Game):
        from tablebase.game.notation import parse
        from tablebase.search.perft import leaves_by_depth, leaves_by_move

        pieces = rules, parse(rules, text)
        return (
            lambda depth: leaves_by_move(*pieces, depth, repetitions, threads),
            lambda depth: leaves_by_depth(*pieces, depth, repetitions, threads),
        )
    if repetitions is not RepeatedLines.CONTINUE:
        raise ArgumentError(f"paths of {rules.name} are counted whether they repeat a state or not: leave out --repetitions")
    state = rules, rules.parse(text)
    if not rules.has_chance:
        from tablebase.states import paths

        return lambda depth: paths.leaves_by_move(*state, depth), lambda depth: paths.leaves_by_depth(*state, depth)
    from tablebase.stochastic.paths import paths_by_code, paths_by_depth

    return lambda depth: paths_by_code(*state, depth, threads), lambda depth: paths_by_depth(*state, depth, threads)


def analyse(
    game: AnyGame,
    position: str | None = None,
    *,
    depth: int | None = None,
    time: float | None = None,
    nodes: int | None = None,
    lines: int = 1,
    exact: bool = False,
    repetition: str = Repetition.NONE,
    progress_limit: int = 0,
    hash: int | str = "64M",  # noqa: A002 (the option's word)
    no_tables: bool = False,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    workers: int = 1,
    data: str | Path | None = None,
) -> Iterator[Analysis]:
    """Search a position, with tables where they exist; the best lines of each depth come as soon as they are known.

    Parameters
    ----------
    game : str or Game
    position : str, optional
        By default the start.
    depth : int, optional
        Last depth to search, in plies.
    time : float, optional
        Seconds to search; 5 if there is no other limit.
    nodes : int, optional
        How many positions one thread may search.
    lines : int
        How many of the best moves to find.
    exact : bool
        Whether to search as plain minimax would, leaving nothing out.
    repetition : str
        What the third occurrence of a position is: ``none``, ``draw`` or ``loss``.
    progress_limit : int
        Plies without a capture that make a draw; 0 for no limit.
    hash : int or str
        Memory of the transposition table.
    no_tables : bool
        Whether to search without tables.
    size, variant
        What distinguishes the variant of the game.
    workers : int
        Number of threads; one always finds the same.
    data : str or Path, optional
        The folder of the tables; there need not be any if it is not named.

    Raises
    ------
    TablebaseError
        If an argument is wrong, or if a table is damaged or was built under other rules.
    """
    from tablebase.game.notation import parse
    from tablebase.probe.prober import Prober
    from tablebase.search.engine import Engine

    rules: Any = as_rules(game, as_optional(as_text, "size", size), as_texts("variant", variant))
    check_verb("analyse", rules)
    begin_at = parse(rules, rules.start if position is None else as_text("position", position))
    if repetition not in list(Repetition):
        raise ArgumentError(f"repetition must be {' or '.join(Repetition)}, not {quoted(repetition)}")
    if depth is None and time is None and nodes is None:
        time = ANALYSED
    folder = default_folder() if data is None else as_path("data", data)
    if not no_tables:
        check_folder(folder, built=data is not None)
    settings = Options(
        exact=exact,
        threads=usable_workers(as_workers("workers", workers)),
        hash_bytes=as_size("hash", hash),
        repetition=Repetition(repetition),
        progress=as_number("progress_limit", progress_limit),
    )
    prober = None if no_tables or not folder.exists() else Prober(folder)
    try:
        engine = Engine(rules, prober, settings)
        answers = engine.analyse(
            begin_at,
            depth=as_optional(as_number, "depth", depth),
            seconds=as_optional(as_real, "time", time),
            nodes=as_optional(as_number, "nodes", nodes),
            lines=as_number("lines", lines),
        )
    except BaseException:
        _close(prober)
        raise
    return _analysed(engine, answers, prober)


def _analysed(engine: Engine, answers: Iterator[Analysis], prober: Prober | None) -> Iterator[Analysis]:
    """The answers of a search, and at the end a sentence about missing tables."""
    name = engine.game.name
    try:
        with compiling_said(f"analyse {name}"):
            yield from answers
    finally:
        _close(prober)
    if prober is not None and engine.missing:
        some, count = min(engine.missing), len(engine.missing)
        tables = f"the table of {some}" if count == 1 else f"the tables of {count} materials, such as {some}"
        command = f"tablebase build {game_word(name)} --material {some} --data {shell_word(prober.store.folder)}"
        say(f"searched without {tables}: run '{command}'")


def _close(prober: Prober | None) -> None:
    if prober is not None:
        prober.close()


def prove(
    game: AnyGame,
    position: str | None = None,
    *,
    nodes: int | None = None,
    time: float | None = None,
    memory: int | str = "1G",
    table_pieces: int | None = None,
    output: str | Path | None = None,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    data: str | Path | None = None,
) -> dict[str, Any]:
    """Search for a proof that a position without a table is won or lost.

    Parameters
    ----------
    game : str or Game
    position : str, optional
        By default the start.
    nodes : int, optional
        How many positions to search.
    time : float, optional
        Seconds to search; 60 if there is no other limit.
    memory : int or str
        Of the search.
    table_pieces : int, optional
        Use tables of up to so many pieces; by default, all.
    output : str or Path, optional
        A file for the proof.
    size, variant
        What distinguishes the variant of the game.
    data : str or Path, optional
        The folder of the tables; there need not be any if it is not named.

    Returns
    -------
    dict
        What ``tablebase prove --format json`` writes.
    """
    from tablebase.game.notation import parse
    from tablebase.probe.prober import Prober
    from tablebase.search.proof_search import INFINITE, find_proof
    from tablebase.search.proof_trees import extract

    rules: Any = as_rules(game, size, as_texts("variant", variant))
    check_verb("prove", rules)
    begin_at = parse(rules, rules.start if position is None else as_text("position", position))
    folder, file = default_folder() if data is None else as_path("data", data), as_optional(as_path, "output", output)
    check_folder(folder, built=data is not None)
    if file is not None:
        check_output(file, CURE)
    if time is None and nodes is None:
        time = SECONDS
    with ExitStack() as stack:
        prober = stack.enter_context(closing(Prober(folder))) if folder.exists() else None
        verdict = find_proof(
            rules,
            begin_at,
            prober,
            nodes=INFINITE if nodes is None else as_number("nodes", nodes, 1),
            seconds=float("inf") if time is None else as_real("time", time),
            memory=as_size("memory", memory),
            most_pieces=as_optional(as_number, "table_pieces", table_pieces),
        )
        found = extract(verdict.search, begin_at, verdict.outcome) if verdict.search and verdict.outcome else None
        row = _row(rules, begin_at, verdict, found, prober)
    if file is not None and found is not None:
        with written(file, CURE) as opened:
            opened.writelines(f"{line}\n".encode() for line in found.text())
        say(f"wrote a proof of {found.size:,} positions to {file}")
    return row


def _row(game: Game, position: Position, verdict: Verdict, proof: Proof | None, prober: Prober | None) -> dict[str, Any]:
    """What has been found, as JSON has it."""
    from tablebase.game.notation import render
    from tablebase.search.proof_trees import Reason

    line, last = proof.line() if proof else ((), position)
    reached = None
    if proof is not None and prober is not None and proof.nodes[last].reason is Reason.TABLE:
        value = prober.value(game, last)
        reached = {"outcome": str(value.outcome), "distance": value.distance}
    return {
        "position": render(game, position),
        "outcome": None if verdict.outcome is None else str(verdict.outcome),
        "plies": proof.plies() if proof else None if verdict.outcome is None else 0,
        "refuted": None if verdict.outcome else verdict.plies,
        "size": proof.size if proof else None,
        "nodes": verdict.nodes,
        "table_hits": verdict.table_hits,
        "seconds": round(verdict.seconds, 3),
        "line": list(line),
        "reached": reached,
    }
