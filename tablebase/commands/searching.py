"""Searches: perft, analyse, uci."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands import lib
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import checked, optional_folder, rules_for
from tablebase.commands.calls import Call
from tablebase.commands.parameters import Format, Shell
from tablebase.errors import ArgumentError, game_word, shell_word
from tablebase.game.capabilities import part
from tablebase.game.plain_arguments import as_size, usable_workers
from tablebase.search.choices import Options, RepeatedLines, Repetition
from tablebase.system.compute.messages import say
from tablebase.system.files.inputs import lines_of

if TYPE_CHECKING:
    from tablebase.probe.prober import Prober
    from tablebase.search.engine import Analysis, Engine

ANALYSED = 5.0
"""Seconds of an analysis without any limit."""


@checked
def perft(
    game: shared.GameName,
    position: shared.PositionText = None,
    *,
    depth: Annotated[int, Shell(metavar="N", least=1)] = 4,
    divide: bool = False,
    repetitions: RepeatedLines | str = RepeatedLines.CONTINUE,
    players: shared.Players = None,
    size: shared.Size = None,
    variant: shared.Variant = None,
    workers: shared.Threads = None,
) -> list[dict[str, Any]]:
    """Count sequences of legal moves by length (perft).

    Parameters
    ----------
    position : str, optional
        First position of the sequences; by default, the initial position.
    depth : int
        Maximum length of the sequences, in plies (moves by one side). In games with chance or more than two players, the unit is
        a turn (all consecutive moves of one player).
    divide : bool
        Show one row for each first move, and count only sequences of the maximum length.
    repetitions : RepeatedLines or str
        After a repeated position, extend the sequence as usual (continue) or end the sequence (leaf). With 'leaf', a sequence
        that has ended is counted once at its length and once at every greater length.
    game, players, size, variant, workers : see `tablebase.build`; workers are threads, not processes
    """
    rules = rules_for("perft", game, size, variant, players)
    by_move, by_depth = part(rules, "lines")
    more: tuple[Any, ...] = (usable_workers(workers),)
    if "search" in rules.can:
        more = RepeatedLines(repetitions), *more
    elif repetitions != RepeatedLines.CONTINUE:
        raise ArgumentError(f"cannot use --repetitions with {rules.name}: leave out --repetitions")
    start = rules.initial if position is None else rules.parse(position)
    rows = []
    with lib.progress.progress(f"perft {rules.name}", "depths", depth, compiles=True) as shown:
        if divide:
            return [{"move": move, "leaves": leaves} for move, leaves in by_move(rules, start, depth, *more).items()]
        for number, leaves, seconds in by_depth(rules, start, depth, *more):
            shown.update()
            rows.append({"depth": number, "leaves": leaves, "seconds": round(seconds, 3)})
    return rows


def show_perft(call: Call) -> None:
    """Without options, this command prints the number of legal move sequences of each length from 1 to 4 from the initial
    position. The command does not need tables.
    """
    call.write(call(), ["move", "leaves"] if call.given.get("divide") else ["depth", "leaves", "seconds"])


@checked
def analyse(
    game: shared.GameName,
    position: shared.PositionText = None,
    *,
    depth: Annotated[int | None, Shell(metavar="N", least=1)] = None,
    time: Annotated[float | None, Shell(metavar="SECONDS")] = None,
    nodes: Annotated[int | None, Shell(metavar="N", least=1)] = None,
    lines: Annotated[int, Shell(metavar="K", least=1)] = 1,
    exact: bool = False,
    repetition: Repetition | str = Repetition.NONE,
    progress_limit: Annotated[int, Shell(metavar="N", least=0)] = 0,
    hash: Annotated[int | str, Shell(metavar="64M", parse=str)] = "64M",  # noqa: A002 (the option's word)
    no_tables: bool = False,
    size: shared.Size = None,
    variant: shared.Variant = None,
    workers: Annotated[int, Shell(metavar="N", least=1)] = 1,
    data: shared.Data = None,
) -> Iterator[Analysis]:
    """Search for the best moves, using tables where they exist.

    The best lines at each depth are shown as soon as they are found.

    Parameters
    ----------
    position : str, optional
        Position to search; by default, the initial position.
    depth : int, optional
        Maximum search depth, in plies (moves by one side).
    time : float, optional
        Time limit in seconds; by default 5, or no limit if a depth or node limit is given.
    nodes : int, optional
        Maximum number of positions for each thread to search.
    lines : int
        Number of best moves to show.
    exact : bool
        Search every move to the full depth, as plain minimax does.
    repetition : Repetition or str
        Result of a threefold repetition: none (play continues), draw, or loss for the repeating side; tables ignore repetitions.
    progress_limit : int
        Number of plies without a capture after which the game is a draw; 0 for no limit.
    hash : int or str
        Size of the transposition table, in bytes, or with a suffix as in 256M.
    no_tables : bool
        Search without tables.
    game, size, variant : see `tablebase.build`
    workers : int
        Number of threads; with several threads, results can vary between runs.
    data : str or Path, optional
        Folder that contains the tables; the default folder may be missing.
    """
    rules, folder = rules_for("analyse", game, size, variant), None if no_tables else optional_folder(data)
    begin_at = lib.notation.parse(rules, rules.start if position is None else position)
    if depth is None and time is None and nodes is None:
        time = ANALYSED
    threads, hash_bytes = usable_workers(workers), as_size("hash", hash)
    settings = Options(exact, threads, hash_bytes, repetition=Repetition(repetition), progress=progress_limit)
    with ExitStack() as stack:
        prober = stack.enter_context(closing(lib.prober.Prober(folder))) if folder else None
        engine = lib.engine.Engine(rules, prober, settings)
        answers = engine.analyse(begin_at, depth=depth, seconds=time, nodes=nodes, lines=lines)
        return _analysed(engine, answers, prober, stack.pop_all())


def show_analyse(call: Call) -> None:
    """Without options, this command searches the position for up to 5 seconds on one thread and prints a line after each search
    depth. The search uses the tables in the folder 'data' if this folder exists.
    """
    answers = call()
    if call.style is Format.JSON:
        call.write(answer.to_dict() for answer in answers)
        return
    if call.style is not Format.TABLE:
        reached = ((answer, answer.reached and answer.reached.said) for answer in answers)
        call.write({**answer.to_dict(), "line": " ".join(answer.line), "reached": said} for answer, said in reached)
        return
    sys.stdout.write(f"{'depth':>5}   {'score':>18}   {'nodes':>13}   {'nodes/s':>10}   {'table hits':>10}   line\n")
    for answer in answers:
        rate = f"{answer.nodes / answer.seconds:,.0f}" if answer.nodes and answer.seconds else "-"
        ending = f" ({answer.reached.said} by the table)" if answer.reached is not None else ""
        _write(
            f"{answer.depth:>5}   {answer.verdict:>18}   {answer.nodes:>13,}   {rate:>10}   {answer.table_hits:>10,}"
            f"   {' '.join(answer.line)}{ending}"
        )


def _analysed(engine: Engine, answers: Iterator[Analysis], prober: Prober | None, opened: ExitStack) -> Iterator[Analysis]:
    """The answers of a search, and at the end a sentence about missing tables."""
    name = engine.game.name
    with opened, lib.progress.compiling_said(f"analyse {name}"):
        yield from answers
    if prober is not None and engine.missing:
        some, count = min(engine.missing), len(engine.missing)
        tables = f"the table of {some}" if count == 1 else f"the tables of {count} materials, such as {some}"
        command = f"tablebase build {game_word(name)} --material {some} --data {shell_word(prober.store.folder)}"
        say(f"searched without {tables}: run '{command}'")


@checked
def uci(game: shared.GameName, *, size: shared.Size = None, variant: shared.Variant = None, data: shared.Data = None) -> None:
    """Run the search engine over UCI, for use in a chess GUI.

    By default, the engine uses the tables in the folder 'data', if this folder exists. The engine reads UCI (Universal Chess
    Interface) commands from standard input until the command 'quit'.

    Parameters
    ----------
    game, size, variant, data : see `analyse`
    """
    rules, folder = rules_for("uci", game, size, variant), optional_folder(data)
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Bytes that are not text are escaped.
        sys.stdin.reconfigure(errors="backslashreplace")
    lib.uci_server.UciServer(lib.uci_settings.UciSettings(rules, folder), _write).serve(lines_of(sys.stdin))


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
