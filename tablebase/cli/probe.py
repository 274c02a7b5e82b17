"""Commands that look up positions: probe, line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli.options import DEFAULT_DATA, Data, Format, GameName, Size, Style, Variant, chosen_game

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.probe.answers import Probe

PositionText = Annotated[
    str | None,
    typer.Argument(metavar="POSITION", help="Rows from the top, then the side to move; by default the start of the game."),
]


def probe(
    game: GameName,
    positions: Annotated[list[str], typer.Argument(metavar="POSITION…", help="Rows from the top, then the side to move.")],
    size: Size = None,
    variant: Variant = None,
    data: Data = DEFAULT_DATA,
    style: Style = Format.TABLE,
) -> None:
    """Show the outcome, distance and moves of positions, best move first."""
    from tablebase.api.tablebase import Tablebase
    from tablebase.cli.output import write_json, write_rows

    rules = chosen_game(game, size, variant)
    with Tablebase(data) as tables:
        answers = [tables.probe(rules, position) for position in positions]
    if style is Format.JSON:
        write_json([answer.to_dict() for answer in answers])
    elif style is Format.CSV:
        write_rows([answer.to_dict() for answer in answers], style, ["game", "position", "side", "outcome", "distance", "best"])
    else:
        for answer in answers:
            _write_probe(answer)


def line(
    game: GameName,
    position: PositionText = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = DEFAULT_DATA,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the board at every ply.")] = False,
    plies: Annotated[int | None, typer.Option("--plies", metavar="N", min=0, help="Stop after N plies.")] = None,
    style: Style = Format.TABLE,
) -> None:
    """Show the optimal line from a position to the end."""
    from tablebase.api.tablebase import Tablebase
    from tablebase.cli.output import write_rows

    rules = chosen_game(game, size, variant)
    with Tablebase(data) as tables:
        rows = tables.line(rules, rules.start if position is None else position, plies).to_dict()
    columns = ["ply", "side", "outcome", "distance", "best", "position"]
    if boards and style is Format.TABLE:
        _write_boards(rules, rows)
    else:
        write_rows(rows, style, columns)


def _write_probe(answer: Probe) -> None:
    from tablebase.cli.output import write_table
    from tablebase.game.notation import board_picture

    sys.stdout.write(f"{answer.position}\n\n{board_picture(answer.game, answer.asked)}\n\n")
    sys.stdout.write(f"{verdict(answer)}\n\n")
    if answer.moves:
        rows = [move.to_dict() for move in answer.moves]
        write_table(rows, ["move", "outcome", "distance", "position"])
        sys.stdout.write("\n")


def verdict(answer: Probe) -> str:
    """The outcome as a sentence that names the side to move."""
    name = answer.game.sides[answer.asked.side].name
    if answer.distance is None:
        return f"{name} to move: draw" if answer.moves else f"{name} to move: draw, no legal move"
    best = f", best move {answer.best}" if answer.best else ""
    return f"{name} to move: {answer.outcome} in {count_plies(answer.distance)}{best}"


def count_plies(number: int) -> str:
    """A number of plies in words."""
    return "1 ply" if number == 1 else f"{number} plies"


def _write_boards(game: Game, rows: list[dict[str, Any]]) -> None:
    from tablebase.game.notation import board_picture, read

    for row in rows:
        sys.stdout.write(f"{board_picture(game, read(game, row['position']))}\n")
        sys.stdout.write(f"   {row['outcome']}{'' if row['distance'] is None else ' in ' + str(row['distance'])}")
        sys.stdout.write(f", {row['best']}\n\n" if row["best"] else "\n\n")


COMMANDS = (probe, line)
