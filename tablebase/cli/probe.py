"""Commands that look up positions: probe, line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import chances
from tablebase.cli.options import (
    DEFAULT_DATA,
    Data,
    Format,
    GameName,
    PositionText,
    Size,
    Start,
    Style,
    Variant,
    chosen_rules,
    chosen_start,
    from_input,
)
from tablebase.cli.pictures import check_file, write_picture, write_pictures
from tablebase.compute.quantities import count_plies
from tablebase.errors import TablebaseError
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from tablebase.probe.answers import Probe


def probe(
    game: GameName,
    positions: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION…",
            help="Rows from the top, then the side to move; - reads standard input, @FILE a file, one position a line.",
        ),
    ],
    size: Size = None,
    variant: Variant = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse positions with moves whose tables are missing.")] = False,
    turns: Annotated[
        int | None,
        typer.Option("--turns", metavar="T", min=1, help="Games with chance: also the chances of winning within T turns."),
    ] = None,
    data: Data = DEFAULT_DATA,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also draw the position, with an arrow for its best move.")
    ] = None,
    style: Style = Format.TABLE,
) -> None:
    """Show the value and moves of positions, best move first."""
    from tablebase.api.tablebase import Tablebase
    from tablebase.cli.output import say, write_json, write_rows

    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        _refuse_pictures(rules, svg)
        chances.probe(rules, _each(positions), data, style, turns)
        return
    if turns is not None:
        raise TablebaseError(f"{rules.name} is no game with chance: leave out --turns")
    texts = _each(positions)
    if svg is not None:
        check_file(svg, len(texts))
    with Tablebase(data) as tables:
        answers = [tables.probe(rules, position, strict=strict) for position in texts]
    if svg is not None:
        write_picture(svg, answers[0].picture())
        say(f"wrote {svg}")
    if style is Format.JSON:
        write_json([answer.to_dict() for answer in answers])
    elif style is Format.CSV:
        write_rows([answer.to_dict() for answer in answers], style, ["game", "position", "side", "outcome", "distance", "best"])
    else:
        for answer in answers:
            _write_probe(answer)
    missing = sorted({move.missing for answer in answers for move in answer.moves if move.missing is not None})
    if missing:
        options = " ".join(f"--material {name}" for name in missing)
        say(f"some moves are of unknown value: 'tablebase build {rules.name} {options} --data {data}' builds their tables")


def _each(words: list[str]) -> list[str]:
    """The positions of the arguments; of standard input and files, those of all lines that are not empty."""
    found = []
    for word in words:
        text = from_input(word)
        found += [word] if text == word else [position for position in text.splitlines() if position.strip()]
    return found


def line(
    game: GameName,
    position: PositionText = None,
    start: Start = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = DEFAULT_DATA,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the board at every ply.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="DIR", help="Also write a picture of every ply to a new folder.")
    ] = None,
    plies: Annotated[int | None, typer.Option("--plies", metavar="N", min=0, help="Stop after N plies.")] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Show a game that match --record has written, instead.")
    ] = None,
    number: Annotated[int, typer.Option("--number", metavar="N", min=1, help="Which game of the file.")] = 1,
    style: Style = Format.TABLE,
) -> None:
    """Show the optimal line from a position to the end."""
    from tablebase.api.tablebase import Tablebase
    from tablebase.cli import replays
    from tablebase.cli.output import say, write_rows

    rules = chosen_rules(game, size, variant)
    if replay is not None:
        if position is not None or start is not None or svg is not None:
            raise TablebaseError("a game that is replayed has its own start, and no pictures: leave out the position and --svg")
        replays.replay(rules, replay, number, data, plies, boards=boards, style=style)
        return
    if isinstance(rules, StochasticGame):
        _refuse_pictures(rules, svg)
        chances.line(rules, chosen_start(rules, position, start), data, plies, style)
        return
    with Tablebase(data) as tables:
        found = tables.line(rules, chosen_start(rules, position, start), plies)
    rows = found.to_dict()
    if svg is not None:
        write_pictures(svg, found.pictures())
        say(f"wrote {len(rows)} pictures to {svg}")
    columns = ["ply", "side", "outcome", "distance", "best", "position"]
    if boards and style is Format.TABLE:
        _write_boards(found, rows)
    else:
        write_rows(rows, style, columns)


def _refuse_pictures(game: StochasticGame, path: Path | None) -> None:
    """Refuse to draw a game that has no board of squares."""
    if path is not None:
        raise TablebaseError(f"{game.name} has no pieces on squares, of which there are pictures: leave out --svg")


def _write_probe(answer: Probe) -> None:
    from tablebase.cli.boards import write_board
    from tablebase.cli.output import write_table

    sys.stdout.write(f"{answer.position}\n\n")
    write_board(answer.game, answer.asked)
    sys.stdout.write(f"\n{verdict(answer)}\n\n")
    if answer.moves:
        rows = [
            move.to_dict() | ({"outcome": f"unknown without {move.missing}"} if move.value is None else {}) for move in answer.moves
        ]
        write_table(rows, ["move", "outcome", "distance", "position"])
        sys.stdout.write("\n")


def verdict(answer: Probe) -> str:
    """The outcome as a sentence that names the side to move."""
    name = answer.game.sides[answer.asked.side].name
    if answer.distance is None:
        return f"{name} to move: draw" if answer.moves else f"{name} to move: draw, no legal move"
    best = f", best move {answer.best}" if answer.best else ""
    return f"{name} to move: {answer.outcome} in {count_plies(answer.distance)}{best}"


def _write_boards(probes: list[Probe], rows: list[dict[str, Any]]) -> None:
    from tablebase.cli.boards import write_board
    from tablebase.game.notation import read

    game, last = probes[0].game, None
    for number, row in enumerate(rows):
        write_board(game, read(game, row["position"]), last)
        sys.stdout.write(f"   {row['outcome']}{'' if row['distance'] is None else ' in ' + str(row['distance'])}")
        sys.stdout.write(f", {row['best']}\n\n" if row["best"] else "\n\n")
        last = probes[number].moves[0].legal_move if row["best"] else None


COMMANDS = (probe, line)
