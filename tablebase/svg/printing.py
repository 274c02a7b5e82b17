"""Sheets as files: SVG as is, PDF and PNG through typst, from the extra ``print``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError, check_extra
from tablebase.files.outputs import check_output, written

SUFFIXES = (".pdf", ".svg", ".png")
CURE = "name another file for the sheet"
RESOLUTION = 150
"""Of PNG, in pixels an inch."""
DOCUMENT = """
#set document(title: sys.inputs.title, date: none)
#set page(width: {width}mm, height: {height}mm, margin: 0pt)
#for page in range({pages}) {{
  image(bytes(sys.inputs.at(str(page))), format: "svg", width: 100%, alt: sys.inputs.title)
}}
"""
"""In typst's language: an image as large as a page takes a page of its own."""


def check_sheet(path: Path) -> None:
    """Raise `TablebaseError` unless a sheet can be written to a file, whose suffix says how; before any work."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TablebaseError(f"{path} is not the name of a sheet: use one of the suffixes {', '.join(SUFFIXES)}")
    if suffix != ".svg":
        check_extra("sheets as PDF or PNG", "print")
    check_output(path, CURE)


def write_sheet(pages: Sequence[str], size: tuple[float, float], title: str, path: Path) -> list[Path]:
    """Write pages of a size in millimetres to a file, or each of several to its own if that is no PDF; return their paths."""
    check_sheet(path)
    suffix = path.suffix.lower()
    contents = [page.encode() for page in pages] if suffix == ".svg" else printed(pages, size, title, suffix[1:])
    paths = [path]
    if len(contents) > 1:
        digits = len(str(len(contents)))
        paths = [path.with_name(f"{path.stem}-{number:0{digits}}{path.suffix}") for number in range(1, len(contents) + 1)]
    for one, content in zip(paths, contents, strict=True):
        with written(one, CURE) as file:
            file.write(content)
    return paths


def printed(pages: Sequence[str], size: tuple[float, float], title: str, form: str) -> list[bytes]:
    """The contents of one file with all pages as ``pdf``, or of one for each page as ``png``."""
    check_extra("sheets as PDF or PNG", "print")
    # By its name, so that types are checked without it.
    typst: Any = import_module("typst")
    source = DOCUMENT.format(width=size[0], height=size[1], pages=len(pages))
    inputs = {"title": title.partition("\n")[0], **{str(number): page for number, page in enumerate(pages)}}
    try:
        made = typst.compile(source.encode(), format=form, ppi=RESOLUTION, sys_inputs=inputs)
    except RuntimeError as fault:
        raise TablebaseError(f"a picture of the sheet cannot be drawn ({fault}): write the sheet as SVG") from fault
    return [made] if isinstance(made, bytes) else list(made)
