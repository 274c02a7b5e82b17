"""Elements of SVG, letters as paths among them, and a whole picture as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NAMESPACE = "http://www.w3.org/2000/svg"
ID_DIGITS = 10
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WIDTH, HEIGHT, STEP = 4, 6, 6
"""Of a capital letter or digit, and from one to the next; small letters begin at a height of 2, and may end at 8."""
GLYPHS = {
    "0": "M2 0Q4 0 4 3Q4 6 2 6Q0 6 0 3Q0 0 2 0Z",
    "1": "M.7 1.3L2.2 0V6M.7 6H3.7",
    "2": "M0 1.5Q0 0 2 0Q4 0 4 1.6Q4 2.7 0 6H4",
    "3": "M0 .8Q.8 0 2 0Q3.8 0 3.8 1.5Q3.8 3 1.8 3Q4 3 4 4.5Q4 6 2 6Q.7 6 0 5.2",
    "4": "M3 6V0L0 4H4",
    "5": "M4 0H.5L.2 2.7Q1 2.2 2 2.2Q4 2.2 4 4Q4 6 2 6Q.7 6 0 5.2",
    "6": "M3.5 .5Q3 0 2.2 0Q0 0 0 4Q0 6 2 6Q4 6 4 4.2Q4 2.5 2 2.5Q.3 2.5 0 4",
    "7": "M0 0H4L1.5 6",
    "8": "M2 2.8Q.3 2.8 .3 1.4Q.3 0 2 0Q3.7 0 3.7 1.4Q3.7 2.8 2 2.8Q0 2.8 0 4.4Q0 6 2 6Q4 6 4 4.4Q4 2.8 2 2.8Z",
    "9": "M.5 5.5Q1 6 1.8 6Q4 6 4 2Q4 0 2 0Q0 0 0 1.8Q0 3.5 2 3.5Q3.7 3.5 4 2",
    "A": "M0 6L2 0L4 6M.7 4H3.3",
    "B": "M0 0V6H2.3Q4 6 4 4.5Q4 3 2.3 3H0M0 0H2Q3.5 0 3.5 1.5Q3.5 3 2 3",
    "C": "M4 1Q3.2 0 2.2 0Q0 0 0 3Q0 6 2.2 6Q3.2 6 4 5",
    "D": "M0 0V6H1.5Q4 6 4 3Q4 0 1.5 0Z",
    "E": "M4 0H0V6H4M0 3H3",
    "F": "M4 0H0V6M0 3H3",
    "G": "M4 1Q3.2 0 2.2 0Q0 0 0 3Q0 6 2.2 6Q4 6 4 4V3.3H2.3",
    "H": "M0 0V6M4 0V6M0 3H4",
    "I": "M1 0H3M2 0V6M1 6H3",
    "J": "M4 0V4Q4 6 2 6Q0 6 0 4.3",
    "K": "M0 0V6M4 0L0 3.6M1.3 2.5L4 6",
    "L": "M0 0V6H4",
    "M": "M0 6V0L2 3.5L4 0V6",
    "N": "M0 6V0L4 6V0",
    "O": "M2 0Q4.4 0 4.4 3Q4.4 6 2 6Q-.4 6-.4 3Q-.4 0 2 0Z",
    "P": "M0 6V0H2.3Q4 0 4 1.7Q4 3.4 2.3 3.4H0",
    "Q": "M2 0Q4.4 0 4.4 3Q4.4 6 2 6Q-.4 6-.4 3Q-.4 0 2 0ZM2.5 4.2L4.2 6.3",
    "R": "M0 6V0H2.3Q4 0 4 1.7Q4 3.4 2.3 3.4H0M2 3.4L4 6",
    "S": "M4 1Q3.2 0 2 0Q0 0 0 1.5Q0 3 2 3Q4 3 4 4.5Q4 6 2 6Q.7 6 0 5",
    "T": "M0 0H4M2 0V6",
    "U": "M0 0V4Q0 6 2 6Q4 6 4 4V0",
    "V": "M0 0L2 6L4 0",
    "W": "M-.4 0L.9 6L2 2L3.1 6L4.4 0",
    "X": "M0 0L4 6M4 0L0 6",
    "Y": "M0 0L2 3L4 0M2 3V6",
    "Z": "M0 0H4L0 6H4",
    "a": "M4 2V6M4 4Q4 2 2 2Q0 2 0 4Q0 6 2 6Q4 6 4 4",
    "b": "M0 0V6M0 4Q0 2 2 2Q4 2 4 4Q4 6 2 6Q0 6 0 4",
    "c": "M4 3Q3.2 2 2.2 2Q0 2 0 4Q0 6 2.2 6Q3.2 6 4 5",
    "d": "M4 0V6M4 4Q4 2 2 2Q0 2 0 4Q0 6 2 6Q4 6 4 4",
    "e": "M0 4H4Q4 2 2 2Q0 2 0 4Q0 6 2 6Q3.2 6 4 5.2",
    "f": "M3.7 .3Q3.2 0 2.7 0Q1.5 0 1.5 1.6V6M0 2.4H3.2",
    "g": "M4 2V6.4Q4 8 2 8Q1 8 .2 7.4M4 4Q4 2 2 2Q0 2 0 4Q0 6 2 6Q4 6 4 4",
    "h": "M0 0V6M0 4Q0 2 2 2Q4 2 4 4V6",
    "i": "M2 2.3V6M2 0V.3",
    "j": "M2.6 2.3V6.4Q2.6 8 1.2 8H.6M2.6 0V.3",
    "k": "M0 0V6M3.6 2L0 4.6M1.3 3.7L4 6",
    "l": "M1.4 0V4.8Q1.4 6 2.8 6",
    "m": "M0 6V2M0 3.5Q0 2 1 2Q2 2 2 3.5V6M2 3.5Q2 2 3 2Q4 2 4 3.5V6",
    "n": "M0 6V2M0 4Q0 2 2 2Q4 2 4 4V6",
    "o": "M2 2Q4 2 4 4Q4 6 2 6Q0 6 0 4Q0 2 2 2Z",
    "p": "M0 2V8M0 4Q0 2 2 2Q4 2 4 4Q4 6 2 6Q0 6 0 4",
    "q": "M4 2V8M4 4Q4 2 2 2Q0 2 0 4Q0 6 2 6Q4 6 4 4",
    "r": "M.4 2V6M.4 4Q.4 2 2.4 2H3.6",
    "s": "M3.8 2.6Q3 2 2 2Q.2 2 .2 3Q.2 4 2 4Q4 4 4 5Q4 6 2 6Q.8 6 0 5.4",
    "t": "M1.5 0V4.8Q1.5 6 2.8 6H3.7M0 2H3.6",
    "u": "M0 2V4Q0 6 2 6Q4 6 4 4M4 2V6",
    "v": "M0 2L2 6L4 2",
    "w": "M-.4 2L.9 6L2 3L3.1 6L4.4 2",
    "x": "M0 2L4 6M4 2L0 6",
    "y": "M0 2L2 6M4 2L1.2 8H.4",
    "z": "M0 2H4L0 6H4",
    " ": "",
    ".": "M2 5.6V6",
    ",": "M2.2 5.5L1.4 7.2",
    ":": "M2 2.6V3M2 5.6V6",
    ";": "M2 2.6V3M2.2 5.5L1.4 7.2",
    "-": "M.6 3.4H3.4",
    "+": "M.4 3.4H3.6M2 1.8V5",
    "=": "M.4 2.6H3.6M.4 4.4H3.6",
    "/": "M.4 6.8L3.6-.6",
    "%": "M.3 6L3.7 0M0 1A.9.9 0 1 0 1.8 1A.9.9 0 1 0 0 1M2.2 5A.9.9 0 1 0 4 5A.9.9 0 1 0 2.2 5",
    "&": "M4 6L.7 1.6Q.2 0 1.5 0Q2.8 0 2.3 1.5Q2 2.2 .9 2.9Q0 3.5 0 4.5Q0 6 1.6 6Q3.2 6 3.9 3.5",
    "×": "M.6 2L3.4 4.8M3.4 2L.6 4.8",
    "?": "M0 1.5Q0 0 2 0Q4 0 4 1.5Q4 2.6 2.8 3Q2 3.3 2 4.2M2 5.6V6",
    "!": "M2 0V4.2M2 5.6V6",
    "'": "M2 0V1.5",
    "(": "M2.8-.6Q1.2 1 1.2 3Q1.2 5 2.8 6.6",
    ")": "M1.2-.6Q2.8 1 2.8 3Q2.8 5 1.2 6.6",
}
"""Path data of lines; x to the right and y downwards, from the upper left corner."""


class Svg(str):
    """A picture as SVG: a text that notebooks show as a picture."""

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
