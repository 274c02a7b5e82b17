"""Elements of SVG, letters as paths among them, and a whole picture as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tablebase.system.compute.messages import brief

NAMESPACE = "http://www.w3.org/2000/svg"
ID_DIGITS = 10
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WIDTH, HEIGHT, STEP = 4, 6, 6
"""Of a capital letter or digit, and from one to the next; small letters begin at a height of 2, and may end at 8."""
GLYPHS = {line[0]: line[2:] for line in Path(__file__).with_name("letters.txt").read_text("utf-8").splitlines()} | {" ": ""}
"""Path data of lines; x to the right and y downwards, from the upper left corner."""


@brief
class Svg(str):
    """A picture as SVG text; notebooks display the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def element(tag: str, *children: Element, text: str | None = None, **attributes: object) -> Element:
    """An element; ``_`` in the names of attributes stands for ``-``, numbers are rounded to hundredths, and None is left out."""
    made = Element(tag, {name.replace("_", "-"): _value(value) for name, value in attributes.items() if value is not None})
    made.text = text and _NO_XML.sub("\ufffd", text)
    made.extend(children)
    return made


def framed(
    words: tuple[str, str],
    box: tuple[float, float],
    ground: str,
    definitions: Iterable[Element],
    parts: Iterable[Element],
    size: float,
) -> Element:
    """The root of a picture: a title and a description, what it defines, a ground, and its parts.

    The box is its width and height in units, the size its longer side in pixels.
    """
    width, height = box
    scale = size / max(box)
    return element(
        "svg",
        element("title", text=words[0]),
        element("desc", text=words[1]),
        element("defs", *definitions),
        element("rect", width=width, height=height, fill=ground),
        *parts,
        viewBox=f"0 0 {width} {height}",
        width=width * scale,
        height=height * scale,
        role="img",
    )


def picture(root: Element) -> Svg:
    """The text of a picture, whose identifiers become different from those of any other picture on the same page."""
    root.set("xmlns", NAMESPACE)
    rename(root, f"t{sha256(ElementTree.tostring(root)).hexdigest()[:ID_DIGITS]}")
    return Svg(ElementTree.tostring(root, encoding="unicode"))


def rename(root: Element, prefix: str) -> None:
    """Put a prefix before the identifiers of all elements, and before all references to them."""
    for node in root.iter():
        for name, value in node.attrib.items():
            if name == "id":
                node.set(name, f"{prefix}-{value}")
            elif name == "href" and value.startswith("#"):
                node.set(name, f"#{prefix}-{value[1:]}")
            elif "url(#" in value:
                node.set(name, value.replace("url(#", f"url(#{prefix}-"))


def _value(value: object) -> str:
    return f"{round(value, 2):g}" if isinstance(value, int | float) else str(value)


def lettering(text: str, x: float, y: float, height: float) -> list[Element]:
    """A text as paths around its middle, with capital letters of this height; what `GLYPHS` lacks is left to the reader's fonts."""
    if not GLYPHS.keys() >= set(text):
        font: dict[str, Any] = {"font_family": "sans-serif", "font_size": height * 1.4, "text_anchor": "middle"}
        return [element("text", text=text, x=x, y=y + height / 2, stroke="none", **font)]
    scale = height / HEIGHT
    left, top = x - scale * (STEP * (len(text) - 1) + WIDTH) / 2, y - height / 2
    places = [f"translate({left + scale * STEP * number:g} {top:g}) scale({scale:g})" for number in range(len(text))]
    drawn = [(place, GLYPHS[one]) for place, one in zip(places, text, strict=True) if one != " "]
    return [element("path", fill="none", transform=place, d=path) for place, path in drawn]
