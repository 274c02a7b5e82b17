"""Commands that look up positions: probe, line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import Format, chosen_rules, chosen_start
from tablebase.cli.positions import Answered, draws_boards, is_stream, write_answers
from tablebase.compute.messages import count_plies
from tablebase.errors import TablebaseError
from tablebase.files.outputs import check_output, check_output_folder, write_text, written_folder
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from tablebase.api.tablebase import Tablebase
    from tablebase.game import Game
    from tablebase.probe.answers import Probe

SUFFIX = ".svg"
DIGITS = 3
"""At least, in the names of pictures of a line."""
CURE = "name another file with --output"
FOLDER_CURE = "name a new folder with --to"


def probe(
    game: options.GameName,
    positions: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION…",
            help="Rows from the top, then the side to move; - reads standard input, @FILE a file, one position a line.",
        ),
    ],
    size: options.Size = None,
    variant: options.Variant = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop at the first position without an answer, or with a move whose table is missing."),
    ] = False,
    turns: Annotated[
        int | None,
        typer.Option("--turns", metavar="T", min=1, help="Games with chance: also the chances of winning within T turns."),
    ] = None,
    data: options.Data = options.DEFAULT_DATA,
    svg: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Also draw the position to FILE.svg, with an arrow for its best move."),
    ] = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Show the value and moves of positions, best move first."""
    rules = chosen_rules(game, size, variant)
    if svg is not None:
        _refuse_pictures(rules, svg, "--output")
        _check_picture(svg, positions)
    if isinstance(rules, StochasticGame):
        from tablebase.cli import chances

        with chances.answering(rules, data, turns, boards=draws_boards(positions, style)) as answering:
            write_answers(positions, answering, style, stop=strict)
        return
    if turns is not None:
        raise TablebaseError(f"{rules.name} has no chance: leave out --turns")
    from tablebase.api.tablebase import Tablebase
    from tablebase.cli.output import say

    with Tablebase(data) as tables:
        if svg is not None:
            write_text(svg, tables.probe(rules, positions[0]).picture(), CURE)
            say(f"wrote {svg}")
        asking = _Asking(tables, rules, style, strict, draws_boards(positions, style))
        write_answers(positions, asking, style, stop=strict)
    if asking.missing:
        materials = " ".join(f"--material {name}" for name in sorted(asking.missing))
        say(f"some moves are of unknown value: 'tablebase build {rules.name} {materials} --data {data}' builds their tables")


class _Asking:
    """Asks for positions of pieces on squares; see `tablebase.cli.positions.Asking`."""

    columns = ("game", "position", "side", "outcome", "distance", "best")

    def __init__(self, tables: Tablebase, rules: Game, style: Format, strict: bool, boards: bool) -> None:
        self._tables, self._rules, self._style, self._strict, self._boards = tables, rules, style, strict, boards
        self.missing: set[str] = set()

    def answers(self, texts: Sequence[str]) -> Iterator[Answered]:
        """The answer for each text: what is written of it, or why it has none."""
        found = self._tables.probe_many(self._rules, texts, strict=self._strict)
        answers = found if self._boards else found.to_dicts(moves=self._style is Format.JSON)
        for place, answer in enumerate(answers):
            yield answer, found.errors.get(place)
        self.missing |= found.missing

    def show(self, answer: Probe) -> None:
        """Write an answer for people."""
        _write_probe(answer)


def line(
    game: options.GameName,
    position: options.PositionText = None,
    start: options.Start = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the board at every ply.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Also write a picture of every ply to a new folder.")
    ] = None,
    plies: Annotated[int | None, typer.Option("--plies", metavar="N", min=0, help="Stop after N plies.")] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Show a game that match --output has written, instead.")
    ] = None,
    number: Annotated[int, typer.Option("--number", metavar="N", min=1, help="Which game of the file.")] = 1,
    style: options.Style = Format.TABLE,
) -> None:
    """Show the optimal line from a position to the end."""
    from tablebase.api.tablebase import Tablebase
    from tablebase.cli import replays
    from tablebase.cli.output import say, write_rows

    rules = chosen_rules(game, size, variant)
    if replay is not None:
        if position is not None or start is not None or svg is not None:
            raise TablebaseError("a game that is replayed has its own start, and no pictures: leave out the position and --to")
        replays.replay(rules, replay, number, data, plies, boards=boards, style=style)
        return
    if isinstance(rules, StochasticGame):
        from tablebase.cli import chances

        _refuse_pictures(rules, svg, "--to")
        chances.line(rules, chosen_start(rules, position, start), data, plies, style)
        return
    if svg is not None:
        check_output_folder(svg, FOLDER_CURE, new=True)
    with Tablebase(data) as tables:
        found = tables.line(rules, chosen_start(rules, position, start), plies)
    rows = found.to_dict()
    if svg is not None:
        _write_pictures(svg, found.pictures())
        say(f"wrote {len(rows)} pictures to {svg}")
    if boards and style is Format.TABLE:
        _write_boards(found, rows)
    else:
        write_rows(rows, style)


def _refuse_pictures(game: Game | StochasticGame, path: Path | None, option: str) -> None:
    """Refuse to draw a game that has no board of squares."""
    if path is not None and isinstance(game, StochasticGame):
        raise TablebaseError(f"{game.name} has no pieces on squares, of which there are pictures: leave out {option}")


def _check_picture(path: Path, positions: Sequence[str]) -> None:
    """Refuse a file that is not named for a picture, and to draw more than one position."""
    if path.suffix.lower() != SUFFIX:
        raise TablebaseError(f"{path} is not the name of a picture of a board: use the suffix {SUFFIX}")
    if len(positions) != 1 or is_stream(positions[0]):
        raise TablebaseError("--output draws one position: give just one, as an argument")
    check_output(path, CURE)


def _write_pictures(folder: Path, pictures: Sequence[str]) -> None:
    """Write pictures to a new folder as ``000.svg``, ``001.svg`` and so on, with as many digits as the last one needs."""
    digits = max(DIGITS, len(str(len(pictures) - 1)))
    with written_folder(folder, FOLDER_CURE) as draft:
        for number, picture in enumerate(pictures):
            (draft / f"{number:0{digits}}{SUFFIX}").write_text(picture, encoding="utf-8")


def _write_probe(answer: Probe) -> None:
    from tablebase.cli.output import write_board, write_table

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
    if answer.winner is not None:
        winner = next(side.name for side in answer.game.sides if side.letter == answer.winner)
        return f"the game is over: {winner} has won"
    if answer.distance is None:
        return f"{name} to move: draw" if answer.moves else f"{name} to move: draw, no legal move"
    best = f", best move {answer.best}" if answer.best else ""
    return f"{name} to move: {answer.outcome} in {count_plies(answer.distance)}{best}"


def _write_boards(probes: list[Probe], rows: list[dict[str, Any]]) -> None:
    from tablebase.cli.output import write_board
    from tablebase.game.notation import read

    game, last = probes[0].game, None
    for number, row in enumerate(rows):
        write_board(game, read(game, row["position"]), last)
        sys.stdout.write(f"   {row['outcome']}{'' if row['distance'] is None else ' in ' + str(row['distance'])}")
        sys.stdout.write(f", {row['best']}\n\n" if row["best"] else "\n\n")
        last = probes[number].moves[0].legal_move if row["best"] else None
