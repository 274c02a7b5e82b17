"""Sheets and pictures as files: SVG as is, PDF and PNG through typst, from the extra ``print``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tablebase.errors import TablebaseError, check_extra
from tablebase.game.plain_arguments import parse_width
from tablebase.svg.foreign import box_of, ratio, read_picture
from tablebase.svg.markup import HEIGHT as CAPITAL
from tablebase.svg.markup import STEP, Svg, picture
from tablebase.system.compute.messages import brief
from tablebase.system.files.outputs import check_output, written

SUFFIXES = (".pdf", ".svg", ".png")
HINT = "use another file for the {}"
RESOLUTION, OF_PICTURES = 150, 300
"""Of PNG, in pixels an inch, as a sheet and as a single picture."""
DOCUMENT = """
#set document(title: sys.inputs.title, date: none)
#set page(width: {width}mm, height: {height}mm, margin: 0pt)
#set text(font: "DejaVu Sans Mono", fill: rgb(0, 0, 0, 0), top-edge: "cap-height")
#let lines = json(bytes(sys.inputs.lines))
#for page in range({pages}) {{
  if page > 0 {{ pagebreak() }}
  for (words, x, y, size) in lines.at(page, default: ()) {{
    place(top + left, dx: x * 1mm, dy: y * 1mm, text(size: size * 1mm, words))
  }}
  image(bytes(sys.inputs.at(str(page))), format: "svg", width: 100%, alt: sys.inputs.title)
}}
"""
"""In typst's language: an image as large as a page fills it, and its letters, which are paths, are also there as invisible text."""
ADVANCE = 0.602
"""From letter to letter of the invisible text, in sizes of the font."""


class Paper(NamedTuple):
    """The size of a page in millimetres."""

    width: float
    height: float


class TextLine(NamedTuple):
    """A line of text, its centre, and the height of its capital letters."""

    text: str
    x: float
    y: float
    height: float


@brief
class Sheet(list[Svg]):
    """Printable pages, stored as SVG pictures of the paper's size.

    Parameters
    ----------
    pages : iterable of Svg
        One picture for each page.
    paper : Paper
        Size of each page.
    title : str
        Title of the document.
    lines : sequence of sequences of Line
        Lines of text on each page. Letters are drawn as paths; PDF files also contain the text, for searching and copying.
    """

    def __init__(self, pages: Iterable[Svg], paper: Paper, title: str, lines: Sequence[Sequence[TextLine]] = ()) -> None:
        super().__init__(pages)
        self.paper, self.title, self.lines = paper, title, lines

    def __repr__(self) -> str:
        return f"Sheet({self.title.partition(chr(10))[0]!r}, {len(self)} {'page' if len(self) == 1 else 'pages'})"

    def _repr_html_(self) -> str:
        return " ".join(self)

    def write(self, path: str | Path) -> list[Path]:
        """Write the pages to a file with the suffix ``.pdf``, ``.svg`` or ``.png`` and return the paths of all written files.

        A PDF file contains all pages. With SVG and PNG, each page is a separate file; if there are several files, their names are
        numbered.

        Raises
        ------
        MissingExtraError
            If PDF or PNG is requested and the ``print`` extra is not installed.
        TablebaseError
            If a file cannot be written, or the suffix is not supported.
        """
        return self._written(Path(path), "sheet", RESOLUTION)

    def _written(self, path: Path, noun: str, resolution: int) -> list[Path]:
        check_sheet(path, noun)
        suffix = path.suffix.lower()
        contents = [page.encode() for page in self] if suffix == ".svg" else printed(self, suffix[1:], resolution)
        paths = [path]
        if len(contents) > 1:
            digits = len(str(len(contents)))
            paths = [path.with_name(f"{path.stem}-{number:0{digits}}{path.suffix}") for number in range(1, len(contents) + 1)]
        for one, content in zip(paths, contents, strict=True):
            with written(one, HINT.format(noun)) as file:
                file.write(content)
        return paths


def write(drawn: Svg, path: str | Path, width: str | float | None = None) -> None:
    """Write a picture to a file with the suffix ``.svg``, ``.png`` (300 pixels per inch) or ``.pdf``.

    Parameters
    ----------
    drawn : Svg
        Picture to write.
    path : str or Path
        Path of the file to write.
    width : str or float, optional
        Width, such as ``88mm``, ``8.8cm``, ``3.5in``, ``column`` (88 mm) or ``page`` (180 mm), or a number of millimetres. The
        default is the width of the picture at 96 pixels per inch.
    """
    root = read_picture(drawn)
    pixels = root.get("width", "").removesuffix("px")
    own = float(pixels) if pixels.replace(".", "", 1).isdigit() else box_of(root)[2]
    across = own * 25.4 / 96 if width is None else parse_width(width) if isinstance(width, str) else width
    paper, title = Paper(across, across * ratio(root)), root.findtext("title") or "Picture"
    if width is not None:
        root.attrib |= {"width": f"{paper.width:g}mm", "height": f"{paper.height:g}mm"}
        drawn = picture(root)
    Sheet([drawn], paper, title)._written(Path(path), "picture", OF_PICTURES)


def check_sheet(path: Path, noun: str = "sheet") -> None:
    """Raise `TablebaseError` unless a sheet can be written to a file, whose suffix says how; before any work."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TablebaseError(f"invalid file name {path} for a {noun}: choose a name that ends in {' or '.join(SUFFIXES)}")
    if suffix != ".svg":
        check_extra(f"{noun}s as PDF or PNG", "print")
    check_output(path, HINT.format(noun))


def printed(sheet: Sheet, form: str, resolution: int = RESOLUTION) -> list[bytes]:
    """The contents of one file with all pages as ``pdf``, or of one for each page as ``png``."""
    check_extra("sheets as PDF or PNG", "print")
    # By its name, so that types are checked without it.
    typst: Any = import_module("typst")
    source = DOCUMENT.format(width=sheet.paper.width, height=sheet.paper.height, pages=len(sheet))
    lines = [[_placed(line) for line in page] for page in sheet.lines]
    inputs = {
        "title": sheet.title.partition("\n")[0],
        "lines": json.dumps(lines),
        **dict(zip(map(str, range(len(sheet))), sheet, strict=True)),
    }
    try:
        made = typst.compile(source.encode(), format=form, ppi=resolution, sys_inputs=inputs)
    except RuntimeError as error:
        raise TablebaseError(f"a picture of the sheet cannot be drawn ({error}): save the sheet as SVG") from error
    return [made] if isinstance(made, bytes) else list(made)


def _placed(line: TextLine) -> tuple[str, float, float, float]:
    """A line with its left and upper edge, and the size of the font that makes it as wide as the drawn letters."""
    step = line.height * STEP / CAPITAL
    return line.text, line.x - step * len(line.text) / 2, line.y - line.height / 2, step / ADVANCE
