"""Searches: perft, analyse, prove, uci."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands.arguments import checked, optional_folder, rules_for
from tablebase.commands.parameters import (
    CHECK_FAILED,
    Data,
    Format,
    GameName,
    OptionalGame,
    Players,
    PositionText,
    Shell,
    Size,
    Style,
    Threads,
    Variant,
)
from tablebase.compute.messages import say
from tablebase.compute.progress import compiling_said, progress
from tablebase.errors import ArgumentError, TablebaseError, game_word, quoted, shell_word
from tablebase.files.inputs import lines_of, read_text
from tablebase.files.outputs import check_output, written
from tablebase.game.capabilities import part
from tablebase.game.plain_arguments import as_size, usable_workers
from tablebase.search.choices import Options, RepeatedLines, Repetition

if TYPE_CHECKING:
    from tablebase.commands.calls import Call
    from tablebase.game import Game
    from tablebase.game.moves import Position
    from tablebase.probe.prober import Prober
    from tablebase.search.engine import Analysis, Engine
    from tablebase.search.proof_search import Verdict
    from tablebase.search.proof_trees import Proof

CURE = "name another file with --output"
CURE_OF_CHECK = "name a file that 'prove --output' has written"
SECONDS = 60.0
"""Of a search for a proof without a limit of time or nodes."""
ANALYSED = 5.0
"""Seconds of an analysis without any limit."""


@checked
def perft(
    game: GameName,
    position: PositionText = None,
    *,
    depth: Annotated[int, Shell(metavar="N", least=1)] = 4,
    divide: bool = False,
    repetitions: RepeatedLines | str = RepeatedLines.CONTINUE,
    players: Players = None,
    size: Size = None,
    variant: Variant = None,
    workers: Threads = None,
) -> list[dict[str, Any]]:
    """Count sequences of legal moves by their length (perft).

    Parameters
    ----------
    game : str, Game or StochasticGame
    position : str, optional
        By default the start.
    depth : int
        Maximum length of the sequences, in plies (moves by one side). In games with chance and in games with more than two players,
        it is the number of turns, where one turn includes all moves of a player until it is the next player's turn.
    divide : bool
        Show a row for each first move, for sequences of length --depth only.
    repetitions : RepeatedLines or str
        How to count a sequence that returns to one of its earlier positions: 'continue' extends it like any other; 'leaf' ends it
        there, and counts it as one sequence of that length and of every greater length.
    players, size, variant
        What distinguishes the variant of the game.
    workers : int, optional
        Number of threads; by default, one for each processor.

    Returns
    -------
    list of dict
        The rows of ``tablebase perft --format json``.
    """
    rules = rules_for("perft", game, size, variant, players)
    if repetitions not in list(RepeatedLines):
        raise ArgumentError(f"repetitions must be {' or '.join(RepeatedLines)}, not {quoted(repetitions)}")
    by_move, by_depth, more = _counting(rules, RepeatedLines(repetitions), usable_workers(workers))
    start = rules.initial if position is None else rules.parse(position)
    with progress(f"perft {rules.name}", "depths", depth, compiles=True) as shown:
        if divide:
            return [{"move": move, "leaves": leaves} for move, leaves in by_move(rules, start, depth, *more).items()]
        rows = []
        for number, leaves, seconds in by_depth(rules, start, depth, *more):
            shown.update()
            rows.append({"depth": number, "leaves": leaves, "seconds": round(seconds, 3)})
    return rows


def show_perft(call: Call, *, style: Style = Format.TABLE) -> None:
    """Write the leaves of each depth, or of each move.

    Without options, this command prints the number of sequences of each length from 1 to 4. It does not need tables.
    """
    from tablebase.commands.output import write_rows

    write_rows(call(), style, ["move", "leaves"] if call.given.get("divide") else ["depth", "leaves", "seconds"])


def _counting(rules: Any, repetitions: RepeatedLines, threads: int) -> tuple[Any, Any, tuple[Any, ...]]:
    """The functions that count lines of a depth by the first move, and of each depth, and what they take beside start and depth."""
    by_move, by_depth = part(rules, "lines")
    if "search" in rules.can:
        return by_move, by_depth, (repetitions, threads)
    if repetitions is not RepeatedLines.CONTINUE:
        raise ArgumentError(f"paths of {rules.name} are counted whether they repeat a state or not: leave out --repetitions")
    return by_move, by_depth, (threads,)


@checked
def analyse(
    game: GameName,
    position: PositionText = None,
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
    size: Size = None,
    variant: Variant = None,
    workers: Annotated[int, Shell(metavar="N", least=1)] = 1,
    data: Data = None,
) -> Iterator[Analysis]:
    """Search for the best moves, using tables where they exist.

    The best lines of each depth come as soon as they are known.

    Parameters
    ----------
    game : str or Game
    position : str, optional
        By default the start.
    depth : int, optional
        Maximum search depth, in plies (moves by one side).
    time : float, optional
        Time limit; by default, 5 seconds, or none if you give --depth or --nodes.
    nodes : int, optional
        Maximum number of positions for each thread to search.
    lines : int
        Number of best moves to show.
    exact : bool
        Search all moves to the same depth, as plain minimax does.
    repetition : Repetition or str
        What happens when a position occurs for the third time: nothing (none), a draw (draw), or a loss for the side that repeats
        it (loss). Values from tables ignore this rule.
    progress_limit : int
        Number of plies without a capture after which the game is a draw; 0 for no limit.
    hash : int or str
        Size of the transposition table.
    no_tables : bool
        Search without tables.
    size, variant
        What distinguishes the variant of the game.
    workers : int
        Number of threads. Only a search with one thread always gives the same result.
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

    rules, folder = rules_for("analyse", game, size, variant), None if no_tables else optional_folder(data)
    begin_at = parse(rules, rules.start if position is None else position)
    if repetition not in list(Repetition):
        raise ArgumentError(f"repetition must be {' or '.join(Repetition)}, not {quoted(repetition)}")
    if depth is None and time is None and nodes is None:
        time = ANALYSED
    settings = Options(
        exact=exact,
        threads=usable_workers(workers),
        hash_bytes=as_size("hash", hash),
        repetition=Repetition(repetition),
        progress=progress_limit,
    )
    with ExitStack() as stack:
        prober = stack.enter_context(closing(Prober(folder))) if folder else None
        engine = Engine(rules, prober, settings)
        answers = engine.analyse(begin_at, depth=depth, seconds=time, nodes=nodes, lines=lines)
        return _analysed(engine, answers, prober, stack.pop_all())


def show_analyse(call: Call, *, style: Style = Format.TABLE) -> None:
    """Write a line for each depth as soon as there is one.

    Without options, this command searches for up to 5 seconds with one thread, and prints a line after each search depth. It uses
    the tables in the folder 'data' if this folder exists.
    """
    from tablebase.commands.output import write_rows

    if style is Format.TABLE:
        _write_lines(call())
    else:
        write_rows((_analysis_row(answer, style) for answer in call()), style)


def _analysis_row(answer: Analysis, style: Format) -> dict[str, Any]:
    """An answer as JSON has it, or with texts for what has parts."""
    row = answer.to_dict()
    if style is Format.CSV:
        row["line"] = " ".join(answer.line)
        row["reached"] = None if answer.reached is None else answer.reached.said
    return row


def _write_lines(answers: Iterable[Analysis]) -> None:
    """Write a line for each answer as soon as there is one."""
    sys.stdout.write(f"{'depth':>5}   {'score':>18}   {'nodes':>13}   {'nodes/s':>10}   {'table hits':>10}   line\n")
    for answer in answers:
        rate = f"{answer.nodes / answer.seconds:,.0f}" if answer.nodes and answer.seconds else "-"
        ending = f" ({answer.reached.said} by the table)" if answer.reached is not None else ""
        sys.stdout.write(
            f"{answer.depth:>5}   {answer.verdict:>18}   {answer.nodes:>13,}   {rate:>10}   {answer.table_hits:>10,}"
            f"   {' '.join(answer.line)}{ending}\n"
        )
        sys.stdout.flush()


def _analysed(engine: Engine, answers: Iterator[Analysis], prober: Prober | None, opened: ExitStack) -> Iterator[Analysis]:
    """The answers of a search, and at the end a sentence about missing tables."""
    name = engine.game.name
    with opened, compiling_said(f"analyse {name}"):
        yield from answers
    if prober is not None and engine.missing:
        some, count = min(engine.missing), len(engine.missing)
        tables = f"the table of {some}" if count == 1 else f"the tables of {count} materials, such as {some}"
        command = f"tablebase build {game_word(name)} --material {some} --data {shell_word(prober.store.folder)}"
        say(f"searched without {tables}: run '{command}'")


@checked
def prove(
    game: OptionalGame = None,
    position: PositionText = None,
    *,
    nodes: Annotated[int | None, Shell(metavar="N", least=1)] = None,
    time: Annotated[float | None, Shell(metavar="SECONDS")] = None,
    memory: Annotated[int | str, Shell(metavar="8G", parse=str)] = "1G",
    table_pieces: Annotated[int | None, Shell(metavar="N", least=0)] = None,
    output: Annotated[str | Path | None, Shell(metavar="FILE")] = None,
    check: Annotated[str | Path | None, Shell(metavar="FILE")] = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = None,
) -> dict[str, Any]:
    """Prove that a position without a table is won or lost.

    Parameters
    ----------
    game : str or Game, optional
        Name of the game; not needed with --check, because the proof contains it.
    position : str, optional
        By default the start.
    nodes : int, optional
        Maximum number of positions to search.
    time : float, optional
        Time limit; by default, 60 seconds, or none if you give --nodes.
    memory : int or str
        Memory limit of the search.
    table_pieces : int, optional
        Use only tables with at most N pieces; by default, all tables.
    output : str or Path, optional
        Also write the proof to this file.
    check : str or Path, optional
        Instead of searching, check the proof in this file, using only the rules and the tables.
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

    folder, file = optional_folder(data), None if output is None else Path(output)
    if check is not None:
        if game is not None:
            raise ArgumentError("the proof names its game: leave out GAME where --check names a file")
        return _proved(Path(check), folder)
    if game is None:
        raise ArgumentError("there is no game: name one, or a file with a proof by --check")
    rules = rules_for("prove", game, size, variant)
    begin_at = parse(rules, rules.start if position is None else position)
    if file is not None:
        check_output(file, CURE)
    if time is None and nodes is None:
        time = SECONDS
    with ExitStack() as stack:
        prober = stack.enter_context(closing(Prober(folder))) if folder else None
        verdict = find_proof(
            rules,
            begin_at,
            prober,
            nodes=INFINITE if nodes is None else nodes,
            seconds=float("inf") if time is None else time,
            memory=as_size("memory", memory),
            most_pieces=table_pieces,
        )
        found = extract(verdict.search, begin_at, verdict.outcome) if verdict.search and verdict.outcome else None
        row = _row(rules, begin_at, verdict, found, prober)
    if file is not None and found is not None:
        with written(file, CURE) as opened:
            opened.writelines(f"{line}\n".encode() for line in found.text())
        say(f"wrote a proof of {found.size:,} positions to {file}")
    return row


def show_prove(call: Call, *, style: Style = Format.TABLE) -> int | None:
    """Write what has been found; exit with `CHECK_FAILED` if a proof does not hold.

    Without options, this command searches for up to 60 seconds. It uses the tables in the folder 'data' if this folder exists.
    """
    from tablebase.commands.output import write_rows

    row = call()
    if "fault" in row:
        holds = "the proof holds, " if row["fault"] is None else "the proof does not hold: "
        shown = f"{row['positions']:,} positions checked" if row["fault"] is None else row["fault"]
        if style is Format.TABLE:
            sys.stdout.write(f"{row['outcome']} of {row['position']}: {holds}{shown}\n")
        else:
            write_rows([row], style)
        return CHECK_FAILED if row["fault"] else None
    if style is Format.TABLE:
        sys.stdout.write(_sentence(call.rules, call.rules.parse(call.given["position"]), row))
    else:
        shown = row if style is Format.JSON else {**row, "line": " ".join(row["line"]), "reached": _in_words(row["reached"])}
        write_rows([shown], style)
    return None


def _proved(path: Path, folder: Path | None) -> dict[str, Any]:
    """A proof in a file with the fault that it has, or None."""
    from tablebase.checking.proofs import proof_faults, read_proof
    from tablebase.probe.prober import Prober

    text = read_text(path, CURE_OF_CHECK)
    try:
        rows = read_proof(text)
    except TablebaseError as wrong:
        raise TablebaseError(f"{path} holds no proof, since {wrong}: {CURE_OF_CHECK}") from wrong
    with ExitStack() as stack:
        prober = stack.enter_context(closing(Prober(folder))) if folder else None
        fault = next(proof_faults(rows, prober), None)
    return {name: rows[0][name] for name in ("game", "position", "outcome", "positions")} | {"fault": fault}


def _sentence(game: Game, position: Position, row: dict[str, Any]) -> str:
    """What has been found, for people."""
    side = game.sides[position.side].name
    effort = f"{row['nodes']:,} nodes, {row['table_hits']:,} table hits, {row['seconds']:.1f} s"
    if row["outcome"] is None:
        within = f"neither side wins within {row['refuted']} plies" if row["refuted"] else "nothing is proved"
        return f"{side} to move: not decided within the limits ({within}; {effort})\n"
    if row["size"] is None:
        return f"{side} to move: {row['outcome']}, the game is over\n"
    ending = f" ({_in_words(row['reached'])} by the table)" if row["reached"] else ""
    return (
        f"{side} to move: {row['outcome']}, proved by {row['size']:,} positions ({effort})\n"
        f"longest line, {row['plies']} plies: {' '.join(row['line'])}{ending}\n"
    )


def _in_words(reached: dict[str, Any] | None) -> str | None:
    return None if reached is None else f"{reached['outcome']} in {reached['distance']}"


def _row(game: Game, position: Position, verdict: Verdict, proof: Proof | None, prober: Prober | None) -> dict[str, Any]:
    """What has been found, as JSON has it."""
    from tablebase.game.notation import render
    from tablebase.search.proof_trees import Reason

    line, last = proof.line() if proof else ((), position)
    reached = None
    if proof is not None and prober is not None and proof.nodes[last].reason is Reason.TABLE:
        value = prober.slices(game).look_up(last)
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


@checked
def uci(game: GameName, *, size: Size = None, variant: Variant = None, data: Data = None) -> None:
    """Run the search as a UCI engine, for use in a chess GUI.

    Parameters
    ----------
    game : str or Game
    size, variant, data
        See `analyse`.
    """
    from tablebase.protocol.uci_server import UciServer
    from tablebase.protocol.uci_settings import Settings

    rules, folder = rules_for("uci", game, size, variant), optional_folder(data)
    UciServer(Settings(rules, folder), _write).serve(_lines())


def show_uci(call: Call) -> None:
    """Answer until the other program ends.

    Without options, this command reads the commands of the Universal Chess Interface (UCI) from standard input until the command
    'quit'. It uses the tables in the folder 'data' if this folder exists.
    """
    call()


def _lines() -> Iterator[str]:
    """The lines of standard input, as soon as they are there; bytes that are not text are escaped."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    yield from lines_of(sys.stdin)


def _write(line: str) -> None:
    """Write a line, and let the other program have it at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
