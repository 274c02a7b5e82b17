"""Elements of SVG, and a whole picture as text."""

from __future__ import annotations

import re
from hashlib import sha256
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NAMESPACE = "http://www.w3.org/2000/svg"
ID_DIGITS = 10
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


def picture(root: Element) -> Svg:
    """The text of a picture, whose identifiers become different from those of any other picture on the same page."""
    root.set("xmlns", NAMESPACE)
    own = f"t{sha256(ElementTree.tostring(root)).hexdigest()[:ID_DIGITS]}"
    for node in root.iter():
        for name, sign in (("id", ""), ("href", "#")):
            if name in node.attrib:
                node.set(name, f"{sign}{own}-{node.attrib[name].removeprefix(sign)}")
    return Svg(ElementTree.tostring(root, encoding="unicode"))


def _value(value: object) -> str:
    return f"{round(value, 2):g}" if isinstance(value, int | float) else str(value)
