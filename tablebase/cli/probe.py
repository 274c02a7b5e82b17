"""Commands that look up positions: probe, line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import Paper, chosen_rules, chosen_start, complete_player
from tablebase.cli.positions import Answered, draws_boards, is_stream, write_answers
from tablebase.commands.parameters import Format
from tablebase.errors import RulesError, TablebaseError, game_word, shell_word
from tablebase.files.outputs import check_output, check_output_folder, write_text, written_folder
from tablebase.game.values import Bounds, chance_text
from tablebase.probe.answers import Probe, features_of

if TYPE_CHECKING:
    from tablebase.game.rules import Rules
    from tablebase.probe.answers import RatedDraw, RatedMove
    from tablebase.svg.sheets import Sheet

SUFFIX = ".svg"
COLUMNS = ("move", "meaning", "outcome", "distance", "lower", "upper", "position")
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
            help="As the game writes them, such as 'ppp/3/PPP w'; - reads standard input, @FILE a file, one position a line.",
        ),
    ],
    size: options.Size = None,
    variant: options.Variant = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop at the first position that has no answer, or that has a move to a missing table."),
    ] = False,
    turns: Annotated[
        int | None,
        typer.Option(
            "--turns", metavar="T", min=1, help="In games with chance, also show the probability of winning within T turns."
        ),
    ] = None,
    features: Annotated[
        bool,
        typer.Option("--with-features", help="Also show each position's features; 'tablebase features' lists them."),
    ] = False,
    data: options.Data = options.DEFAULT_DATA,
    svg: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Also draw the position to FILE.svg, with an arrow for its best move."),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option("--sheet", metavar="FILE", help="Also draw all positions on printable pages: FILE.pdf, FILE.svg or FILE.png."),
    ] = None,
    page: options.Page = Paper.A4,
    style: options.Style = Format.TABLE,
) -> None:
    """Show the value and moves of positions, best move first.

    Without options, this uses the tables in the folder data, and shows a single position with its board.
    """
    rules = chosen_rules("probe", game, size, variant)
    if svg is not None:
        _check_picture(rules, svg, positions)
    if sheet is not None:
        _check_sheet(rules, sheet)
    named = _features(rules) if features else []
    if turns is not None and "lower" not in rules.value_fields:
        raise TablebaseError(f"{rules.name} has no chance: leave out --turns")
    from tablebase.commands.output import say
    from tablebase.commands.tablebase import Tablebase

    with Tablebase(data) as tables:
        if svg is not None:
            write_text(svg, tables.probe(rules, positions[0]).picture(), CURE)
            say(f"wrote {svg}")
        ask = partial(tables.probe_many, rules, strict=strict, turns=turns)
        asking = _Asking(rules, ask, style, named, boards=draws_boards(positions, style), sheet=sheet is not None)
        write_answers(positions, asking, style, stop=strict)
    if sheet is not None:
        from tablebase.probe.sheets import probe_sheet

        _write_sheet(probe_sheet(asking.drawn, page), sheet)
    if asking.missing:
        materials = " ".join(f"--material {name}" for name in sorted(asking.missing))
        command = f"tablebase build {game_word(rules.name)} {materials} --data {shell_word(data)}"
        say(f"some moves are of unknown value: '{command}' builds their tables")


class _Asking:
    """Asks for positions; see `tablebase.cli.positions.Asking`."""

    def __init__(
        self,
        rules: Rules[Any],
        ask: Callable[[Sequence[str]], Any],
        style: Format,
        features: Sequence[str],
        *,
        boards: bool,
        sheet: bool,
    ) -> None:
        self.columns = ("game", "position", "side", *rules.value_fields, "best", *features)
        self._rules, self._ask, self._style, self._features = rules, ask, style, features
        self._boards, self._sheet = boards, sheet
        self.missing: set[str] = set()
        self.drawn: list[Probe] = []
        """What a sheet shows, if there is one."""

    def answers(self, texts: Sequence[str]) -> Iterator[Answered]:
        """The answer for each text: what is written of it, or why it has none."""
        found = self._ask(texts)
        if self._sheet:
            self._draw(found)
        answers = found if self._boards else found.to_dicts(moves=self._style is Format.JSON)
        for place, answer in enumerate(answers):
            error = found.errors.get(place)
            yield self._with_features(answer) if self._features and not self._boards and error is None else answer, error
        self.missing |= found.missing

    def _with_features(self, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer, and the features of its position."""
        found = features_of(self._rules, self._rules.parse(answer["position"]))
        return {**answer, "features": found} if self._style is Format.JSON else {**answer, **found}

    def _draw(self, found: Sequence[Any]) -> None:
        """Keep the answers for the sheet; a position without one is an error at the end."""
        from tablebase.svg.sheets import check_number

        check_number(len(self.drawn) + len(found))
        self.drawn += [answer for answer in found if isinstance(answer, Probe)]

    def show(self, answer: Probe) -> None:
        """Write an answer for people."""
        _write_probe(answer, answer.features() if self._features else {})


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
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet", metavar="FILE", help="Also draw its key positions on pages to print: FILE.pdf, FILE.svg or FILE.png."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--every", help="Draw every ply on the sheet, not just key positions.")] = False,
    page: options.Page = Paper.A4,
    plies: Annotated[int | None, typer.Option("--plies", metavar="N", min=0, help="Stop after N plies.")] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Show a game that match --output has written, instead.")
    ] = None,
    number: Annotated[int, typer.Option("--number", metavar="N", min=1, help="Which game of the file.")] = 1,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="With --replay: who says what it expects where tables know no value, such as engine or computer:depth=3.",
            autocompletion=complete_player,
        ),
    ] = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Show the optimal line from a position to the end."""
    from tablebase.cli import replays
    from tablebase.commands.output import in_digits, say, value_columns, write_rows
    from tablebase.commands.tablebase import Tablebase

    rules = chosen_rules("line", game, size, variant)
    if replay is not None:
        if position is not None or start is not None or svg is not None or sheet is not None:
            raise TablebaseError(
                "a game that is replayed has its own start, and no pictures: leave out the position, --to and --sheet"
            )
        replays.replay(rules, replay, number, data, plies, player=player, boards=boards, style=style)
        return
    if player is not None:
        raise TablebaseError("--player speaks of the positions of a game: name its file with --replay, or leave out --player")
    if boards and style is Format.TABLE:
        replays.check_drawn(rules)
    if svg is not None:
        _check_pictures(rules, "--to")
        check_output_folder(svg, FOLDER_CURE, new=True)
    if sheet is not None:
        _check_sheet(rules, sheet)
    with Tablebase(data) as tables:
        found = tables.line(rules, chosen_start(rules, position, start), plies)
    rows = found.to_dict()
    if svg is not None:
        _write_pictures(svg, found.pictures())
        say(f"wrote {len(rows)} pictures to {svg}")
    if sheet is not None:
        _write_sheet(found.sheet(every=every, page=page), sheet)
    if style is not Format.TABLE:
        write_rows(rows, style)
    elif boards:
        _write_boards(found, rows)
    else:
        write_rows(map(in_digits, rows), style, ["ply", "side", *value_columns(rules), "best", "position"])


def _check_picture(rules: Rules[Any], path: Path, positions: Sequence[str]) -> None:
    """Refuse a game without pictures, a file that is not named for a picture, and to draw more than one position."""
    _check_pictures(rules, "--output")
    if path.suffix.lower() != SUFFIX:
        raise TablebaseError(f"{path} is not the name of a picture of a board: use the suffix {SUFFIX}")
    if len(positions) != 1 or is_stream(positions[0]):
        raise TablebaseError("--output draws one position: give just one, as an argument")
    check_output(path, CURE)


def _check_sheet(rules: Rules[Any], path: Path) -> None:
    """Refuse a sheet of a game without pictures, or a file that it cannot be written to."""
    from tablebase.svg.printing import check_sheet

    _check_pictures(rules, "--sheet")
    check_sheet(path)


def _check_pictures(rules: Rules[Any], option: str) -> None:
    """Refuse an option for pictures if the game has none."""
    # Pictures are loaded when one is drawn.
    from tablebase.svg.pictures import check_pictures

    check_pictures(rules, f"leave out {option}")


def _write_sheet(sheet: Sheet, path: Path) -> None:
    """Write a sheet, and say which files it has become."""
    from tablebase.commands.output import say

    say(f"wrote {' '.join(map(str, sheet.write(path)))}")


def _write_pictures(folder: Path, pictures: Sequence[str]) -> None:
    """Write pictures to a new folder as ``000.svg``, ``001.svg`` and so on, with as many digits as the last one needs."""
    digits = max(DIGITS, len(str(len(pictures) - 1)))
    with written_folder(folder, FOLDER_CURE) as draft:
        for number, picture in enumerate(pictures):
            (draft / f"{number:0{digits}}{SUFFIX}").write_text(picture, encoding="utf-8")


def _features(rules: Rules[Any]) -> list[str]:
    """The names of the features that are shown; `RulesError` if there is none."""
    from tablebase.game.installed import with_pieces

    known = () if rules.board is None else with_pieces(rules).features
    names = [feature.name for feature in known if not feature.pieces]
    if not names:
        raise RulesError(f"{rules.name} has no features of a position as a whole: leave out --with-features")
    return names


def _write_probe(answer: Probe, features: Mapping[str, Any]) -> None:
    from tablebase.commands.drawings import is_drawn, write_drawing
    from tablebase.commands.output import cell_text, write_table

    sys.stdout.write(f"{answer.position}\n\n")
    if is_drawn(answer.game):
        write_drawing(answer.game, answer.asked)
        sys.stdout.write("\n")
    sys.stdout.write(f"{answer.verdict}\n")
    if answer.stalling:
        sys.stdout.write(f"stalling: at least {chance_text(answer.stalling)} of the chance can be forced by neither player\n")
    if answer.within is not None:
        turns, bounds = answer.within
        sys.stdout.write(f"within {turns} turns of both players together: ")
        sys.stdout.write(f"at least {chance_text(bounds.lower)}, at most {chance_text(bounds.upper)}\n")
    for name, value in features.items():
        sys.stdout.write(f"{name}: {cell_text(value)}\n")
    sys.stdout.write("\n")
    if rows := [*chain.from_iterable(map(_move_rows, answer.moves)), *map(_draw_row, answer.draws)]:
        write_table(rows, [name for name in COLUMNS if name in rows[0]])
        sys.stdout.write("\n")


def _move_rows(move: RatedMove) -> Iterator[dict[str, Any]]:
    """A move, and what chance may do after it."""
    if isinstance(move.value, Bounds):
        yield {"move": move.move, "meaning": move.meaning, **move.value.chances, "position": move.position}
    else:
        unknown = {} if move.missing is None else {"outcome": f"unknown without {move.missing}"}
        # Where there are squares, moves name them, and a board shows the pieces.
        words = {} if move.game.board is not None or move.meaning == move.move else {"meaning": move.meaning}
        yield {**move.to_dict(), **unknown, **words}
    yield from map(_draw_row, move.draws)


def _draw_row(draw: RatedDraw) -> dict[str, str]:
    """An outcome of chance."""
    return {"move": "", "meaning": f"{draw.probability} {draw.label}", **draw.value.chances, "position": draw.position}


def _write_boards(probes: list[Probe], rows: list[dict[str, Any]]) -> None:
    from tablebase.cli.replays import said_of
    from tablebase.commands.drawings import write_drawing

    game, last = probes[0].game, None
    for row in rows:
        write_drawing(game, game.parse(row["position"]), last)
        sys.stdout.write(f"   {said_of(row)}{', ' + row['best'] if row['best'] else ''}\n\n")
        last = row["best"]
