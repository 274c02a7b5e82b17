"""The command `probe`: positions that are read as they come from arguments, standard input and files, answered and written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from io import UnsupportedOperation
from itertools import chain
from pathlib import Path
from select import select
from typing import Annotated, Any, BinaryIO, NamedTuple

from tablebase.commands import lib
from tablebase.commands.calls import Call
from tablebase.commands.drawings import check_sheet, is_drawn, write_drawing, write_sheet
from tablebase.commands.parameters import Format, Output, Page, Shell
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import RulesError, TablebaseError, game_word, shell_word, system_error
from tablebase.game.capabilities import refuse
from tablebase.game.plain_arguments import parse_width
from tablebase.game.values import Bounds, chance_text
from tablebase.system.compute.messages import cell_text, say
from tablebase.system.files.inputs import ENCODING

COLUMNS = ("move", "meaning", "outcome", "distance", "lower", "upper", "position")
OF_POSITION = ("game", "position", "side")
"""Columns that repeat the position, or are the same for all."""
READ_BYTES = 1 << 22
"""Bytes that are read, and answered, at a time: the more, the fewer times a chunk of a table is decompressed."""
PAUSE = 0.05
"""Seconds without input after which what has been read is answered."""
LONGEST_LINE = 1 << 16
"""Bytes of the longest line that may be a position."""
STANDARD_INPUT = "-"


def show_probe(
    call: Call,
    *,
    positions: Annotated[list[str], Shell(metavar="POSITION…", argument=True)],
    features: Annotated[bool, Shell(option="--with-features")] = False,
    svg: Annotated[Path | None, Shell(metavar="FILE", option="--output", output=Output.FILE)] = None,
    width: Annotated[float | None, Shell(metavar="88mm", parse=parse_width)] = None,
    sheet: Annotated[Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    page: Page = "a4",
) -> None:
    """Without options, this command reads the tables in the folder 'data' and prints the value of each position and of each move.
    The board is also drawn, unless positions are read from a file or standard input.

    Parameters
    ----------
    positions : list of str
        Positions in the notation of the game, such as 'ppp/3/PPP w'. '-' reads one position per line from standard input, and
        '@FILE' reads from a file.
    features : bool
        Also show computed features of each position, such as distances between pieces; 'tablebase features' lists all features.
    svg : Path, optional
        Also draw the position as an SVG, PNG or PDF file, with an arrow for the best move.
    width : float, optional
        Width of the picture written with --output, such as 88mm, 3.5in, 'column' (88 mm) or 'page' (180 mm).
    sheet : Path, optional
        Also draw all positions on printable pages, as a PDF, SVG or PNG file.
    """
    rules = call.rules
    if svg is not None:
        check_sheet(rules, svg, "picture", "--output")
        if len(positions) != 1 or is_stream(positions[0]):
            raise TablebaseError("--output draws a single position: give exactly one POSITION, not '-' or @FILE")
    elif width is not None:
        raise TablebaseError("cannot use --width without --output: add --output FILE, or leave out --width")
    if sheet is not None:
        check_sheet(rules, sheet)
    named = [feature.name for feature in rules.features if not feature.pieces] if features else []
    if features and not named:
        raise RulesError(f"{rules.name} has no features that describe a whole position: leave out --with-features")
    refuse(rules, "chance", **{"--turns": call.given.get("turns")})
    with Tablebase(call.folder) as tables:
        if svg is not None:
            lib.svg.write(tables.probe(rules, positions[0]).picture(), svg, width)
            say(f"wrote {svg}")
        answers = _Answers(tables, call, positions, named, is_drawn=sheet is not None)
        answers.write()
    if sheet is not None:
        write_sheet(lib.probe_sheets.probe_sheet(answers.drawn, page), sheet)
    if answers.missing:
        materials = " ".join(f"--material {name}" for name in sorted(answers.missing))
        command = f"tablebase build {game_word(rules.name)} {materials} --data {shell_word(call.folder)}"
        say(f"the values of some moves are unknown: run '{command}'")


class PositionText(NamedTuple):
    """The text of a position, with its line and the name of its source if that is standard input or a file."""

    text: str
    line: int | None = None
    source: str = ""


Answered = tuple[PositionText, Any, TablebaseError | None]
"""A position, what is written of it, and why it has no answer, if it has none."""


class _Answers:
    """The answers for the positions of arguments.

    A position without an answer is written as its reason; if `strict`, or if it is the only one, it ends the command.
    """

    def __init__(self, tables: Tablebase, call: Call, words: Sequence[str], features: Sequence[str], *, is_drawn: bool) -> None:
        self._tables, self._rules, self._words, self._features, self._style = tables, call.rules, words, features, call.style
        self._strict, self._turns, self._is_drawn = call.given.get("strict", False), call.given.get("turns"), is_drawn
        # There may be many then, and each takes a line.
        self._streams = any(map(is_stream, words))
        self._boards = call.style is Format.TABLE and not self._streams
        self._columns = ("game", "position", "side", *self._rules.value_fields, *self._rules.best_fields, *features)
        self._count = self._failed = 0
        self.missing, self.drawn = set[str](), list[lib.answers.Probe]()  # tables of moves, and answers for a sheet

    def write(self) -> None:
        files = [word[1:] for word in self._words if is_stream(word)]
        sizes = [os.stat(one).st_size if os.path.isfile(one) else 0 for one in files]
        with lib.progress.progress("probe", "B", sum(sizes) if all(sizes) else None) if files else nullcontext() as shown:
            found = self._all(shown.update if shown else lambda _: None)
            if not self._streams:
                # Few enough to know before the first is written whether one is an error.
                found = iter(list(found))
            if self._boards:
                for one, answer, error in found:
                    if error is None:
                        _write_probe(answer, answer.features() if self._features else {})
                    else:
                        sys.stdout.write(f"{one.text}\n\nno answer: {error}\n\n")
            elif self._style is Format.TABLE:
                self._write_lines(found)
            elif self._style is Format.JSON:
                rows = ({**row, **({"line": one.line} if one.line else {})} for one, row, _ in found)
                lib.output.write_objects(rows, compact=self._streams)
            else:
                columns = [*self._columns, *["error", "line"][: 2 if self._streams else self._failed > 0]]
                lib.output.write_rows((_cells(columns, one, row) for one, row, _ in found), self._style, columns)
        if self._failed:
            raise TablebaseError(f"no answer for {self._failed:,} of {self._count:,} positions: see the errors in the output")

    def _all(self, read: Callable[[int], object]) -> Iterator[Answered]:
        """Answer the positions, some at a time, and call `read` with the number of bytes that were read of a stream."""
        is_only = len(self._words) == 1 and not self._streams
        for block in asked(self._words, read):
            found = self._tables.probe_many(self._rules, [one.text for one in block], strict=self._strict, turns=self._turns)
            if self._is_drawn:
                lib.svg_sheets.check_number(len(self.drawn) + len(found))
                # A position without an answer is an error at the end.
                self.drawn += [answer for answer in found if isinstance(answer, lib.answers.Probe)]
            answers = found if self._boards else found.to_dicts(moves=self._style is Format.JSON)
            for place, (one, answer) in enumerate(zip(block, answers, strict=True)):
                error = found.errors.get(place)
                if error is not None and (self._strict or is_only):
                    raise error if one.line is None else TablebaseError(f"line {one.line} of {one.source}: {error}")
                self._count += 1
                self._failed += error is not None
                if self._features and not self._boards and error is None:
                    features = lib.answers.features_of(self._rules, self._rules.parse(answer["position"]))
                    answer |= {"features": features} if self._style is Format.JSON else features
                yield one, answer, error
            self.missing |= found.missing
            # Before waiting for more.
            sys.stdout.flush()

    def _write_lines(self, found: Iterable[Answered]) -> None:
        """Write one line a position, as a table whose columns have fixed widths, since the rows to come are not known."""
        names = ["line", *(name for name in self._columns if name not in OF_POSITION), "position"]

        def row(one: PositionText, answer: Mapping[str, Any], error: TablebaseError | None) -> list[str]:
            *cells, text = (cell_text({"line": one.line, **answer}.get(name)) for name in names)
            return [*cells, text if error is None else f"{text}: {error}"]

        lib.output.write_fixed(names, (row(*answered) for answered in found))


def _cells(columns: Iterable[str], one: PositionText, row: Mapping[str, Any]) -> dict[str, Any]:
    error = row.get("error")
    cells = {**row, "line": one.line, "error": error and f"{error['code']}: {error['message']}"}
    return {name: cells.get(name) for name in columns}


def _write_probe(answer: lib.answers.Probe, features: Mapping[str, Any]) -> None:
    sys.stdout.write(f"{answer.position}\n\n")
    if is_drawn(answer.game):
        write_drawing(answer.game, answer.asked)
        sys.stdout.write("\n")
    lines = [answer.verdict]
    if answer.stalling:
        lines.append(f"stalling: neither player can force the remaining probability of at least {chance_text(answer.stalling)}")
    if answer.within is not None:
        turns, bounds = answer.within
        chances = f"at least {chance_text(bounds.lower)}, at most {chance_text(bounds.upper)}"
        lines.append(f"within {turns} turns of both players together: {chances}")
    lines += [f"{name}: {cell_text(value)}" for name, value in features.items()]
    sys.stdout.write("\n".join(lines) + "\n\n")
    if rows := [*chain.from_iterable(map(_move_rows, answer.moves)), *map(_draw_row, answer.draws)]:
        lib.output.write_table(rows, [name for name in COLUMNS if name in rows[0]])
        sys.stdout.write("\n")


def _move_rows(move: lib.answers.RatedMove) -> Iterator[dict[str, Any]]:
    if isinstance(move.value, Bounds):
        yield {"move": move.move, "meaning": move.meaning, **move.value.chances, "position": move.position}
    else:
        unknown = {} if move.missing is None else {"outcome": f"unknown without {move.missing}"}
        words = {} if move.game.words(move.asked, move.move) == move.move else {"meaning": move.meaning}
        yield {**move.to_dict(), **unknown, **words}
    yield from map(_draw_row, move.draws)


def _draw_row(draw: lib.answers.RatedDraw) -> dict[str, str]:
    return {"move": "", "meaning": f"{draw.probability} {draw.label}", **draw.value.chances, "position": draw.position}


def is_stream(word: str) -> bool:
    """Return whether an argument stands for the lines of standard input or of a file."""
    return word == STANDARD_INPUT or word.startswith("@")


def asked(words: Sequence[str], read: Callable[[int], object] = lambda _: None) -> Iterator[list[PositionText]]:
    """Yield lists of the positions of arguments: of ``-`` and ``@FILE`` all lines that are not empty, as soon as they are there.

    `read` is called with the number of bytes that have been read of a stream. A file that cannot be read, or has a line that is
    far too long, is a `TablebaseError`.
    """
    for word in words:
        if is_stream(word):
            yield from _lines(word, read)
        else:
            yield [PositionText(word)]


def _lines(word: str, read: Callable[[int], object]) -> Iterator[list[PositionText]]:
    name = "standard input" if word == STANDARD_INPUT else word[1:]
    number, rest = 0, b""
    try:
        with nullcontext(sys.stdin.buffer) if word == STANDARD_INPUT else open(name, "rb") as file:
            while more := _read(file):
                read(len(more))
                *lines, rest = (rest + more).split(b"\n")
                if len(rest) > LONGEST_LINE:
                    raise TablebaseError(f"line {number + len(lines) + 1} of {name} is too long for a position: check the file")
                yield list(_positions(lines, number, name))
                number += len(lines)
    except OSError as error:
        raise system_error(error, name, "give another file after @") from error
    yield list(_positions([rest], number, name))


def _read(file: BinaryIO) -> bytes:
    """Read bytes until a pause, at least one; none at the end."""
    more = some = file.read1(READ_BYTES)  # type: ignore[attr-defined]
    while more and len(some) < READ_BYTES:
        # What is not a file of the operating system never pauses.
        with suppress(UnsupportedOperation):
            if not select([file], [], [], PAUSE)[0]:
                break
        more = file.read1(READ_BYTES - len(some))  # type: ignore[attr-defined]
        some += more
    return bytes(some)


def _positions(lines: Iterable[bytes], before: int, name: str) -> Iterator[PositionText]:
    """The lines that are not empty; what is not UTF-8 is no position either."""
    for number, line in enumerate(lines, start=before + 1):
        text = line.decode(ENCODING, "replace").strip()
        if text:
            yield PositionText(text, number, name)
