"""The command that needs no tables: prove."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import CHECK_FAILED, chosen_rules, chosen_start
from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError
from tablebase.files.inputs import read_text

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.game.moves import Position

CURE = "name another file with --output"
CURE_OF_CHECK = "name a file that 'prove --output' has written"
SECONDS = 60.0
"""Of a search without a limit of time or nodes."""


def prove(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="Name of the game; with --check, the proof names it.", autocompletion=options.complete_game
        ),
    ] = None,
    position: options.PositionText = None,
    start: options.Start = None,
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=1, help="How many positions to search.")] = None,
    time: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="How long to search; 60 seconds if there is no other limit.")
    ] = None,
    memory: Annotated[str, typer.Option("--memory", metavar="8G", help="Memory of the search.")] = "1G",
    table_pieces: Annotated[
        int | None, typer.Option("--table-pieces", metavar="N", min=0, help="Use tables of up to N pieces; by default, all.")
    ] = None,
    proof: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Also write the proof to this file.")] = None,
    check: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Check a proof by rules and tables alone, instead of searching.")
    ] = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
    style: options.Style = Format.TABLE,
) -> None:
    """Prove that a position without a table is won or lost."""
    from tablebase.commands.output import write_rows
    from tablebase.commands.searching import prove as find_proof

    if check is not None:
        if game is not None:
            raise TablebaseError("the proof names its game: leave out GAME where --check names a file")
        _check(check, data, style)
        return
    if game is None:
        raise TablebaseError("there is no game: name one, or a file with a proof by --check")
    rules = chosen_rules("prove", game, size, variant)
    text = chosen_start(rules, position, start)
    row = find_proof(
        rules,
        text,
        nodes=nodes,
        time=time,
        memory=memory,
        table_pieces=table_pieces,
        output=proof,
        data=None if data == options.DEFAULT_DATA else data,
    )
    if style is Format.TABLE:
        sys.stdout.write(_sentence(rules, rules.parse(text), row))
    else:
        shown = row if style is Format.JSON else {**row, "line": " ".join(row["line"]), "reached": _in_words(row["reached"])}
        write_rows([shown], style)


def _check(path: Path, data: Path, style: Format) -> None:
    """Say whether a proof holds; exit with `CHECK_FAILED` if it does not."""
    from tablebase.checking.proofs import proof_faults, read_proof
    from tablebase.commands.output import write_rows
    from tablebase.probe.prober import Prober
    from tablebase.tables.folder import check_folder

    check_folder(data, built=data != options.DEFAULT_DATA)
    text = read_text(path, CURE_OF_CHECK)
    try:
        rows = read_proof(text)
    except TablebaseError as wrong:
        raise TablebaseError(f"{path} holds no proof, since {wrong}: {CURE_OF_CHECK}") from wrong
    with ExitStack() as stack:
        prober = stack.enter_context(closing(Prober(data))) if data.exists() else None
        fault = next(proof_faults(rows, prober), None)
    row = {name: rows[0][name] for name in ("game", "position", "outcome", "positions")} | {"fault": fault}
    if style is not Format.TABLE:
        write_rows([row], style)
    elif fault is None:
        sys.stdout.write(f"{row['outcome']} of {row['position']}: the proof holds, {row['positions']:,} positions checked\n")
    else:
        sys.stdout.write(f"{row['outcome']} of {row['position']}: the proof does not hold: {fault}\n")
    if fault is not None:
        raise typer.Exit(CHECK_FAILED)


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
