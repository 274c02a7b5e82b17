"""Proofs of positions without a table: prove."""

from __future__ import annotations

import sys
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands import lib
from tablebase.commands.arguments import checked, optional_folder, rules_for
from tablebase.commands.calls import Call
from tablebase.commands.parameters import CHECK_FAILED, Data, Format, OptionalGame, Output, PositionText, Shell, Size, Variant
from tablebase.errors import ArgumentError, MissingTableError, TablebaseError
from tablebase.game import Outcome
from tablebase.game.plain_arguments import as_size
from tablebase.game.values import Value
from tablebase.system.compute.messages import say
from tablebase.system.files.inputs import read_text

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.game.moves import Position
    from tablebase.probe.prober import Prober
    from tablebase.search.proof_search import Verdict
    from tablebase.search.proof_trees import Proof

HINT = "choose another file for --output"
CURE_OF_CHECK = "give a file written by 'prove --output'"
SECONDS = 60.0
"""Of a search for a proof without a limit of time or nodes."""


@checked
def prove(
    game: OptionalGame = None,
    position: PositionText = None,
    *,
    nodes: Annotated[int | None, Shell(metavar="N", least=1)] = None,
    time: Annotated[float | None, Shell(metavar="SECONDS")] = None,
    memory: Annotated[int | str, Shell(metavar="8G", parse=str)] = "1G",
    table_pieces: Annotated[int | None, Shell(metavar="N", least=0)] = None,
    output: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    check: Annotated[str | Path | None, Shell(metavar="FILE")] = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = None,
) -> dict[str, Any]:
    """Prove that a position is won or lost if no table contains it.

    If a table contains the position, the result is looked up without a search, unless a proof must be written or `table_pieces`
    excludes the table.

    Parameters
    ----------
    game : str or Game, optional
        Name of the game; not needed to check a proof, which contains the name.
    position : str, optional
        Position to prove; by default, the initial position.
    nodes : int, optional
        Maximum number of positions to search.
    time : float, optional
        Time limit in seconds; by default 60, or no limit if a node limit is given.
    memory : int or str
        Memory limit of the search, in bytes, or with a suffix as in 8G.
    table_pieces : int, optional
        Use only tables with at most this number of pieces; by default, all tables.
    output : str or Path, optional
        Also write the proof to this file.
    check : str or Path, optional
        Check the proof in this file instead of searching; the check uses only the rules and the tables.
    size, variant : see `tablebase.build`
    data : str or Path, optional
        Folder that contains the tables; the default folder need not exist.
    """
    folder, file = optional_folder(data), None if output is None else Path(output)
    if check is not None:
        if game is not None:
            raise ArgumentError("cannot use GAME with --check: leave out GAME, because the proof file names the game")
        text = read_text(Path(check), CURE_OF_CHECK)
        try:
            rows = lib.proofs.read_proof(text)
        except TablebaseError as wrong:
            raise TablebaseError(f"{check} is not a valid proof ({wrong}): {CURE_OF_CHECK}") from wrong
        with closing(lib.prober.Prober(folder)) if folder else nullcontext() as prober:
            error = next(lib.proofs.proof_errors(rows, prober), None)
        return {name: rows[0][name] for name in ("game", "position", "outcome", "positions")} | {"fault": error}
    if game is None:
        raise ArgumentError("missing GAME: give a game, or a proof file with --check")
    rules = rules_for("prove", game, size, variant)
    begin_at = lib.notation.parse(rules, rules.start if position is None else position)
    if file is not None:
        lib.outputs.check_output(file, HINT)
    seconds = SECONDS if time is None and nodes is None else float("inf") if time is None else time
    nodes = lib.proof_search.INFINITE if nodes is None else nodes
    with closing(lib.prober.Prober(folder)) if folder else nullcontext() as prober:
        known = _known(rules, begin_at, prober, table_pieces)
        outcome = known.outcome if known is not None and (file is None or known.outcome is Outcome.DRAW) else None
        limits: dict[str, Any] = {"nodes": nodes, "seconds": seconds, "memory": as_size("memory", memory)}
        verdict = lib.proof_search.find_proof(rules, begin_at, prober, **limits, most_pieces=table_pieces, known=outcome)
        found = lib.proof_trees.extract(verdict.search, begin_at, verdict.outcome) if verdict.search and verdict.outcome else None
        row = _row(rules, begin_at, verdict, found, prober, known)
    if file is not None and found is not None:
        with lib.outputs.written(file, HINT) as opened:
            opened.writelines(f"{line}\n".encode() for line in found.text())
        say(f"wrote a proof of {found.size:,} positions to {file}")
    return row


def show_prove(call: Call) -> int | None:
    """Without options, this command spends up to 60 seconds searching for a proof. The search uses the tables in the folder
    'data' if this folder exists.
    """
    row = call()
    if call.style is Format.TABLE and "fault" in row:
        holds = f"correct ({row['positions']:,} positions checked)" if row["fault"] is None else f"wrong: {row['fault']}"
        sys.stdout.write(f"the proof of a {row['outcome']} in {row['position']} is {holds}\n")
    elif call.style is Format.TABLE:
        sys.stdout.write(_sentence(call.rules, call.rules.parse(call.given["position"]), row))
    elif "fault" in row or call.style is Format.JSON:
        call.write([row])
    else:
        call.write([{**row, "line": " ".join(row["line"]), **{name: _in_words(row[name]) for name in ("reached", "table")}}])
    return CHECK_FAILED if row.get("fault") else None


def _known(game: Game, position: Position, prober: Prober | None, most: int | None) -> Value | None:
    """The value of a position in which the game is not over, if one of the tables that may be used has it."""
    if prober is None or lib.moves.decided(game, position) is not None or (most is not None and len(position.pieces) > most):
        return None
    try:
        return prober.slices(game).look_up(position)
    except MissingTableError:
        return None


def _sentence(game: Game, position: Position, row: dict[str, Any]) -> str:
    side = game.sides[position.side].name
    table = row["table"] and _in_words(row["table"])
    if table and row["size"] is None and row["nodes"] == 0:
        fewer = f"; to search for a proof, use --table-pieces {len(position.pieces) - 1}" if row["outcome"] != "draw" else ""
        return f"{side} to move: {table}, according to its table{fewer}\n"
    known = f"according to its table: {table}\n" if table else ""
    effort = f"{row['nodes']:,} nodes, {row['table_hits']:,} table hits, {row['seconds']:.1f} s"
    if row["outcome"] is None:
        within = f"neither side wins within {row['refuted']} plies" if row["refuted"] else "nothing is proved"
        return f"{side} to move: not decided within the limits ({within}; {effort})\n{known}"
    if row["size"] is None:
        return f"{side} to move: {row['outcome']}, the game is over\n"
    ending = f" ({_in_words(row['reached'])} by the table)" if row["reached"] else ""
    first = f"{side} to move: {row['outcome']}, proved by {row['size']:,} positions ({effort})\n"
    return f"{first}longest line, {row['plies']} plies: {' '.join(row['line'])}{ending}\n{known}"


def _in_words(reached: dict[str, Any] | None) -> str | None:
    return None if reached is None else Value(Outcome(reached["outcome"]), reached["distance"]).said


def _row(
    game: Game, position: Position, verdict: Verdict, proof: Proof | None, prober: Prober | None, known: Value | None
) -> dict[str, Any]:
    line, last = proof.line() if proof else ((), position)
    ends_in_table = proof is not None and prober is not None and proof.nodes[last].reason is lib.proof_trees.ProofReason.TABLE
    return {
        "position": lib.notation.render(game, position),
        "outcome": None if verdict.outcome is None else str(verdict.outcome),
        "plies": proof.plies() if proof else None if verdict.outcome is None or known else 0,
        "refuted": None if verdict.outcome else verdict.plies,
        "size": proof.size if proof else None,
        "nodes": verdict.nodes,
        "table_hits": verdict.table_hits,
        "seconds": round(verdict.seconds, 3),
        "line": list(line),
        "reached": prober.slices(game).look_up(last).fields if prober and ends_in_table else None,
        "table": known and known.fields,
    }
