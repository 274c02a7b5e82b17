"""Sheets as files: SVG as is, PDF and PNG through typst, from the extra ``print``."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.errors import TablebaseError, check_extra
from tablebase.files.outputs import check_output, written
from tablebase.svg.markup import HEIGHT as CAPITAL
from tablebase.svg.markup import STEP

if TYPE_CHECKING:
    from tablebase.svg.sheets import Line, Sheet

SUFFIXES = (".pdf", ".svg", ".png")
CURE = "name another file for the sheet"
RESOLUTION = 150
"""Of PNG, in pixels an inch."""
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


def check_sheet(path: Path) -> None:
    """Raise `TablebaseError` unless a sheet can be written to a file, whose suffix says how; before any work."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TablebaseError(f"{path} is not the name of a sheet: use one of the suffixes {', '.join(SUFFIXES)}")
    if suffix != ".svg":
        check_extra("sheets as PDF or PNG", "print")
    check_output(path, CURE)


def write_sheet(sheet: Sheet, path: Path) -> list[Path]:
    """Write a sheet to a file, or each of several pages to its own if that is no PDF; return their paths."""
    check_sheet(path)
    suffix = path.suffix.lower()
    contents = [page.encode() for page in sheet] if suffix == ".svg" else printed(sheet, suffix[1:])
    paths = [path]
    if len(contents) > 1:
        digits = len(str(len(contents)))
        paths = [path.with_name(f"{path.stem}-{number:0{digits}}{path.suffix}") for number in range(1, len(contents) + 1)]
    for one, content in zip(paths, contents, strict=True):
        with written(one, CURE) as file:
            file.write(content)
    return paths


def printed(sheet: Sheet, form: str) -> list[bytes]:
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
        made = typst.compile(source.encode(), format=form, ppi=RESOLUTION, sys_inputs=inputs)
    except RuntimeError as fault:
        raise TablebaseError(f"a picture of the sheet cannot be drawn ({fault}): write the sheet as SVG") from fault
    return [made] if isinstance(made, bytes) else list(made)


def _placed(line: Line) -> tuple[str, float, float, float]:
    """A line with its left and upper edge, and the size of the font that makes it as wide as the drawn letters."""
    step = line.height * STEP / CAPITAL
    return line.text, line.x - step * len(line.text) / 2, line.y - line.height / 2, step / ADVANCE
