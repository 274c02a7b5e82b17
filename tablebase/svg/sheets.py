"""Sheets to print: pictures with captions, side by side on pages of paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from textwrap import wrap
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from tablebase.errors import ArgumentError, quoted
from tablebase.game.plain_arguments import as_text
from tablebase.svg.foreign import nested, ratio, read_picture
from tablebase.svg.markup import GLYPHS, STEP, WIDTH, element, lettering, picture
from tablebase.svg.markup import HEIGHT as CAPITAL
from tablebase.svg.printing import Paper, TextLine
from tablebase.svg.printing import Sheet as Sheet
from tablebase.svg.themes import Theme, as_theme

PAGES = {"a4": Paper(210, 297), "letter": Paper(215.9, 279.4)}
MARGIN, GAP = 12.0, 8.0
"""Around a page, and between pictures."""
NARROWEST, WIDEST = 38.0, 150.0
"""Of a picture, unless its width is given."""
OVERHANG = 0.75
"""Part of a gap that captions may use, half of it on each side."""
TALLEST = 0.9
"""Of a picture, in heights of the room for pictures, which leaves some for its caption."""
ROUNDING = 1e-6
MOST = 1000
"""Pictures of a sheet."""
TITLE, LETTER = 3.6, 2.1
"""Height of the capital letters of the title; of captions and of what stands below the title."""
LEADING = 1.8
"""From line to line, in heights of capital letters."""
STROKE = 0.85
"""Of letters, in units of glyphs."""


class SheetLayout(NamedTuple):
    """Grid of the pictures on a page."""

    columns: int
    rows: int
    width: float
    height: float  # of a picture
    gap: float
    lines: int  # of a caption

    @property
    def step(self) -> float:
        """From one row to the next."""
        return self.height + _lines_height(self.lines) + self.gap

    @property
    def capacity(self) -> int:
        """Pictures of a page."""
        return self.columns * self.rows


def sheet(
    boards: Sequence[str | tuple[str, str]],
    *,
    title: str = "",
    page: str = "a4",
    width: float | None = None,
    gap: float = GAP,
    theme: str | Theme = "light",
) -> Sheet:
    r"""Arrange pictures on one or more pages.

    Parameters
    ----------
    boards : sequence
        SVG pictures, for example from `board`, or pairs of a picture and its caption; ``\n`` separates lines of a caption.
    title : str
        Title at the top of each page; lines after the first are smaller.
    page : str
        Paper size, ``a4`` or ``letter``.
    width : float, optional
        Width of each picture in millimetres; by default, chosen to fit all pictures on one page if they remain readable.
    gap : float
        Space between pictures, in millimetres.
    theme : str or Theme
        Colours of the page and the text, as in `board`.

    Returns
    -------
    Sheet
        The pages; `Sheet.write` saves them as PDF, SVG or PNG.

    Raises
    ------
    TablebaseError
        If the number of pictures is 0 or too large, a picture is invalid, a caption does not fit, or the page or theme is unknown.

    Examples
    --------
    >>> from tablebase.svg import board
    >>> sheet([(board("hexapawn", "ppp/3/PPP w", arrows=["a1a2"]), "1: a1a2")], title="Hexapawn")
    Sheet('Hexapawn', 1 page)
    """
    if page not in PAGES:
        raise ArgumentError(f"unknown page {quoted(str(page))}: choose {' or '.join(PAGES)}")
    paper, colours = PAGES[page], as_theme(theme)
    check_number(len(boards))
    given = [_captioned(one) for one in boards]
    captions, pictures = [caption for _, caption in given], [read_picture(one) for one, _ in given]
    tallest = max(map(ratio, pictures))
    title = _plain("the title", title)
    heading = title.split("\n") if title else []
    top = MARGIN + (_lines_height(len(heading)) + 1.5 * TITLE if heading else 0)
    layout = _layout(paper, top, tallest, width, gap, captions)
    pages, lines = [], []
    count = ceil(len(given) / layout.capacity)
    for number in range(count):
        some = slice(number * layout.capacity, (number + 1) * layout.capacity)
        below: list[TextLine] = []
        parts = [
            element("title", text=heading[0] if heading else "Boards"),
            element("rect", width=paper.width, height=paper.height, fill=colours.page.fill),
            *_shown(layout, paper, top, pictures[some], captions[some], below),
        ]
        foot = [TextLine(f"page {number + 1} of {count}", paper.width / 2, paper.height - MARGIN / 2, LETTER)] if count > 1 else []
        groups = below, _heading(heading, paper), *([foot] if foot else [])
        parts += [_letters(group, colours) for group in groups]
        lines.append([line for group in groups for line in group if GLYPHS.keys() >= set(line.text)])
        size = {"width": f"{paper.width:g}mm", "height": f"{paper.height:g}mm"}
        pages.append(picture(element("svg", *parts, viewBox=f"0 0 {paper.width:g} {paper.height:g}", role="img", **size)))
    return Sheet(pages, paper, title, lines)


def _captioned(given: Any) -> tuple[Any, str]:
    if isinstance(given, str):
        return given, ""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ArgumentError(f"a board of a sheet must be a picture or a pair (picture, caption), not {quoted(repr(given))}")
    return given[0], _plain("a caption", given[1])


def _plain(name: str, text: Any) -> str:
    """A text of which every character can be written to a file."""
    return as_text(name, text).encode(errors="replace").decode()


def check_number(pictures: int) -> None:
    """Raise `TablebaseError` unless a sheet can have so many pictures."""
    if not 1 <= pictures <= MOST:
        raise ArgumentError(f"a sheet must have 1 to {MOST:,} boards, not {pictures:,}")


def _layout(paper: Paper, top: float, tallest: float, width: float | None, gap: float, captions: Sequence[str]) -> SheetLayout:
    """The largest pictures of which all fit on a page, or else the most on each."""
    across, down = paper.width - 2 * MARGIN, paper.height - top - MARGIN
    widest = WIDEST if width is None else width
    if width is not None and not (0 < width <= across and width * tallest <= down):
        raise ArgumentError(f"pictures {width:g} mm wide do not fit on the page: choose a smaller width")
    if not 0 <= gap <= across:
        raise ArgumentError(f"the gap between pictures must be from 0 to {across:g} millimetres, not {gap:g}")

    def laid_out(columns: int) -> SheetLayout:
        each = min(widest, (across - (columns - 1) * gap) / columns, (down if width else TALLEST * down) / tallest)
        lines = max(len(wrapped(caption, each, gap)) for caption in captions)
        one = SheetLayout(columns, 1, each, each * tallest, gap, lines)
        return one._replace(rows=max(1, int((down + gap + ROUNDING) // one.step)))

    most = max(1, int((across + gap + ROUNDING) // ((width or NARROWEST) + gap)))
    columns = range(1 if width is None else most, most + 1)
    chosen = next((one for one in map(laid_out, columns) if one.capacity >= len(captions)), laid_out(most))
    if chosen.step - gap > down + ROUNDING:
        longest = max(captions, key=lambda caption: len(wrapped(caption, chosen.width, gap)))
        raise ArgumentError(f"the caption {quoted(longest)} does not fit on the page below its picture: shorten the caption")
    return chosen


def wrapped(caption: str, width: float, gap: float = GAP) -> list[str]:
    """The lines of a caption below a picture of this width, which may use some of the gap."""
    letters = int(((width + OVERHANG * gap) * CAPITAL / LETTER - WIDTH) / STEP) + 1
    return [line for part in caption.split("\n") for line in wrap(part, letters)]


def _shown(
    layout: SheetLayout, paper: Paper, top: float, pictures: Sequence[Element], captions: Sequence[str], below: list[TextLine]
) -> Iterator[Element]:
    """The pictures of a page, row by row, each in the middle of its cell; the lines of their captions are added to `below`."""
    columns = min(layout.columns, len(pictures))
    across = columns * layout.width + (columns - 1) * layout.gap
    for number, (one, caption) in enumerate(zip(pictures, captions, strict=True)):
        row, column = divmod(number, columns)
        left = (paper.width - across) / 2 + column * (layout.width + layout.gap)
        upper = top + row * layout.step
        scale = min(1.0, layout.height / (layout.width * ratio(one)))
        size = layout.width * scale, layout.width * scale * ratio(one)
        yield nested(one, f"b{number}", left + (layout.width - size[0]) / 2, upper + layout.height - size[1], *size)
        for line, text in enumerate(wrapped(caption, layout.width, layout.gap), start=1):
            below.append(TextLine(text, left + layout.width / 2, upper + layout.height + line * LEADING * LETTER, LETTER))


def _heading(lines: Sequence[str], paper: Paper) -> list[TextLine]:
    letters, y = [], MARGIN + TITLE / 2
    for number, text in enumerate(lines):
        fitting = (paper.width - 2 * MARGIN) * CAPITAL / (STEP * max(1, len(text)))
        letters.append(TextLine(text, paper.width / 2, y, min(LETTER if number else TITLE, fitting)))
        y += LEADING * (LETTER if number else TITLE)
    return letters


def _letters(lines: Sequence[TextLine], theme: Theme) -> Element:
    letters = [letter for line in lines for letter in lettering(*line)]
    return element("g", *letters, stroke=theme.page.line, fill=theme.page.line, stroke_width=STROKE, stroke_linecap="round")


def _lines_height(lines: int) -> float:
    return lines * LEADING * LETTER
