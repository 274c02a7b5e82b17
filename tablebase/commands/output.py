"""Output: a table for people, JSON or CSV for programs, Markdown or LaTeX for documents."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice, zip_longest
from shutil import get_terminal_size
from textwrap import indent
from typing import Any

from rich.cells import cell_len, chop_cells

from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import RANK_WIDTH, board_picture
from tablebase.system.compute.messages import Amount, cell_text

Row = Mapping[str, Any]
UNLIMITED = 10_000
GAP = 3  # columns between two columns of a table
WIDTH = 8  # columns of a cell of a table whose rows are not known beforehand
NUMERIC = (int, float, Amount, type(None))
MOST_ROWS, ENDS = 100, 20
"""Most rows of a table that a terminal shows whole, and how many of a longer one it shows at each end."""
CONTROLS = {ord(one): repr(one)[1:-1] for one in map(chr, (*range(32), *range(127, 160))) if one != "\n"}
"""Escapes of the control characters, which a terminal would obey."""
MARKDOWN = {ord(one): f"\\{one}" for one in "\\`*_[]<>|&~$"}
LATEX = {ord(one): f"\\{one}" for one in "{}#$%&_"} | {ord(one): f"{{{one}}}" for one in "[]*-"}
LATEX |= {
    ord(one): f"\\text{name}{{}}"
    for one, name in {"\\": "backslash", "^": "asciicircum", "~": "asciitilde", "<": "less", ">": "greater", "|": "bar"}.items()
}
"""Characters that Markdown, or LaTeX between the cells of a table, would obey, and how each is written."""
RULE = "─"  # character of the line below the headings of a table
SIDES = ("bold cyan", "bold red")
TERRAIN = ("blue", "yellow", "magenta", "green")
LAST_MOVE = "bold green"


def write_rows(
    rows: Iterable[Row], style: Format, columns: Sequence[str] | None = None, *, verbatim: bool = False, keys: int = 1
) -> None:
    """Write rows with the same fields, by default the fields of the first row; JSON and CSV are streamed, and see `write_table`."""
    if columns is None:
        first = next(rows := iter(rows), None)
        rows, columns = ((), ()) if first is None else (chain([first], rows), list(first))
    if style is Format.JSON:
        write_objects({name: row[name] for name in columns} for row in rows)
    elif style is Format.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_csv_cell(row[name]) for name in columns] for row in rows)
    elif style is not Format.TABLE:
        _write_markup(list(rows), columns, style)
    else:
        write_table(list(rows), columns, verbatim=verbatim, keys=keys)


def write_objects(rows: Iterable[Row], *, compact: bool = False) -> None:
    """Write a JSON list of objects, one at a time; if there may be very many, each on a line of its own."""
    before = "[\n"
    for row in rows:
        sys.stdout.write(before + (_json(row, None) if compact else indent(_json(row), "  ")))
        before = ",\n"
    sys.stdout.write("[]\n" if before == "[\n" else "\n]\n")


def _json(value: object, spaces: int | None = 2) -> str:
    try:
        return _encoder(spaces, is_unicode()).encode(value)
    except ValueError as error:
        raise TablebaseError(f"the result has a value that JSON cannot represent ({error}): use --format csv") from error


@cache
def _encoder(spaces: int | None, unicode: bool) -> json.JSONEncoder:
    return json.JSONEncoder(indent=spaces, ensure_ascii=not unicode, allow_nan=False, default=bytes.hex)


def _csv_cell(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def _write_markup(rows: Sequence[Row], columns: Sequence[str], style: Format) -> None:
    lines = [columns, *([str(_csv_cell(row[name])) for name in columns] for row in rows)]
    escapes = MARKDOWN if style is Format.MARKDOWN else LATEX
    cells = [[text.translate(CONTROLS).replace("\n", " ").translate(escapes) for text in line] for line in lines]
    right = [all(isinstance(row[name], NUMERIC) and not isinstance(row[name], bool) for row in rows) for name in columns]
    if style is Format.MARKDOWN:
        cells.insert(1, ["---:" if flush else "---" for flush in right])
        sys.stdout.writelines(f"| {' | '.join(line)} |\n" for line in cells)
        return
    head, *body = [f"{' & '.join(line)} \\\\\n" for line in cells]
    begin = f"\\begin{{tabular}}{{{''.join('r' if flush else 'l' for flush in right)}}}\n\\toprule\n"
    sys.stdout.writelines(["% needs \\usepackage{booktabs}\n", begin, head, "\\midrule\n", *body, "\\bottomrule\n\\end{tabular}\n"])


def write_table(rows: Sequence[Row], columns: Sequence[str], *, verbatim: bool = False, keys: int = 1) -> None:
    """Write rows as a table, with numbers (and texts with units) right-aligned and thousands separated.

    On a terminal that is too narrow for all columns, further ones follow below, next to a repetition of the first `keys`. Of more
    than `MOST_ROWS` rows, a terminal shows the first and the last ones. A `verbatim` heading is the unchanged name of a field.
    """
    hidden = len(rows) - 2 * ENDS if len(rows) > MOST_ROWS and sys.stdout.isatty() else 0
    if hidden:
        rows = [*rows[:ENDS], *rows[-ENDS:]]
    numeric = {name for name in columns if all(isinstance(row[name], NUMERIC) for row in rows)}
    texts = {name: [name if verbatim else name.replace("_", " "), *(cell_text(row[name]) for row in rows)] for name in columns}
    for name, cells in texts.items():
        texts[name] = [text if text.isprintable() else text.expandtabs().translate(CONTROLS) for text in cells]
    for number, block in enumerate(_blocks({name: _width(texts[name]) for name in columns}, keys, output_width())):
        if number:
            sys.stdout.write("\n")
        shown = _Block([texts[name] for name in block], [name in numeric for name in block])
        shown.write(0, 1)
        sys.stdout.write((RULE if is_unicode() else "-") * shown.width + "\n")
        shown.write(1, ENDS + 1 if hidden else None)
        if hidden:
            sys.stdout.write(f"... {hidden:,} more rows: --format csv writes all ...\n")
            shown.write(ENDS + 1)


def is_unicode() -> bool:
    """Return whether standard output can represent every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def write_fixed(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows as they come, with all cells but the last in columns of a fixed width."""
    rule = RULE if is_unicode() else "-"
    *widths, _ = [max(WIDTH, len(name)) for name in columns]

    def line(cells: Sequence[str]) -> str:
        return (" " * GAP).join([*map(str.rjust, cells, widths), cells[-1]]) + "\n"

    rows = iter(rows)
    # Without any heading if there is an error before the first row.
    first = list(islice(rows, 1))
    sys.stdout.write(line(columns) + rule * (len(line(columns)) - 1) + "\n")
    sys.stdout.writelines(map(line, chain(first, rows)))


def output_width() -> int:
    """Columns of the terminal, or those that COLUMNS names; without limit where a program reads the output."""
    if "COLUMNS" not in os.environ and not sys.stdout.isatty():
        return UNLIMITED
    return get_terminal_size().columns


def _blocks(widths: Mapping[str, int], keys: int, available: int) -> list[list[str]]:
    """The columns side by side that fit, each time after the first ones."""
    repeated, *rest = list(widths)[:keys], *list(widths)[keys:]
    blocks = [list(repeated)]
    for name in rest:
        if sum(widths[one] + GAP for one in blocks[-1]) + widths[name] > available and len(blocks[-1]) > keys:
            blocks.append(list(repeated))
        blocks[-1].append(name)
    return blocks


def _width(texts: Sequence[str]) -> int:
    whole = "\n".join(texts)
    return max(map(len if whole.isascii() else cell_len, whole.split("\n")))


class _Block:
    """Adjacent columns of a table, as texts; left-aligned columns become narrower if the table is too wide."""

    def __init__(self, columns: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
        self.columns, self.right = columns, right
        widths = [*map(_width, columns)]
        available = output_width() - GAP * (len(columns) - 1)
        for most in range(max(widths), 0, -1):
            self.limits = [width if flush else min(width, most) for width, flush in zip(widths, right, strict=True)]
            if sum(self.limits) <= available:
                break
        self.width = sum(self.limits) + GAP * (len(columns) - 1)
        self.is_broken = self.limits != widths or any("\n" in text for texts in columns for text in texts)

    def write(self, first: int, end: int | None = None) -> None:
        columns: list[Sequence[str]] = [texts[first:end] for texts in self.columns]
        if self.is_broken:
            columns = [*zip(*(line for row in zip(*columns, strict=True) for line in self._broken(row)), strict=True)]
        aligned = []
        for texts, limit, flush in zip(columns, self.limits, self.right, strict=False):
            align = str.rjust if flush else str.ljust
            # Characters may occupy two columns, or none.
            aligned.append([align(text, limit if text.isascii() else limit + len(text) - cell_len(text)) for text in texts])
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in map((" " * GAP).join, zip(*aligned, strict=True)))

    def _broken(self, row: Sequence[str]) -> Iterator[Sequence[str]]:
        cells = zip(row, self.limits, strict=True)
        parts = ([part for line in text.split("\n") for part in chop_cells(line, limit) or [""]] for text, limit in cells)
        return zip_longest(*parts, fillvalue="")


def write_board(game: Game, position: Position, last: str | None = None, *, over: bool = False) -> None:
    """Draw a position with text; the squares of the last move are marked, and no side is to move if the game is over."""
    lines = board_picture(game, position, last).splitlines()[: -1 if over else None]
    if not (sys.stdout.isatty() or {"FORCE_COLOR", "TTY_COMPATIBLE"} & os.environ.keys()):
        sys.stdout.write("\n".join(lines) + "\n")
        return
    # Loaded only for colours; where NO_COLOR is set, it writes none.
    from rich.console import Console
    from rich.text import Text

    styles = dict(zip((one.symbol for one in game.terrain), TERRAIN, strict=False))
    styles |= {kind.symbol: SIDES[kind.side] for kind in game.kinds} | dict.fromkeys("[]", LAST_MOVE)
    text = Text()
    for line in lines[: game.board.height]:
        text.append(line[: RANK_WIDTH - 1])
        for character in line[RANK_WIDTH - 1 :]:
            text.append(character, styles.get(character))
        text.append("\n")
    text.append("\n".join(lines[game.board.height :]))
    Console(file=sys.stdout, width=UNLIMITED, highlight=False).print(text)
