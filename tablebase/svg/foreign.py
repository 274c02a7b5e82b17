"""Pictures as text, from this package or elsewhere, nested in a larger picture."""

from __future__ import annotations

import re
from copy import deepcopy
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tablebase.errors import TablebaseError, quoted
from tablebase.svg.markup import NAMESPACE, rename

OURS = f"{{{NAMESPACE}}}"
LINKS = "{http://www.w3.org/1999/xlink}"
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]+)")


def read_picture(text: str) -> Element:
    """The root of a picture, with a viewBox; raise `TablebaseError` if the text is not SVG."""
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, TypeError, ValueError) as error:
        raise TablebaseError(f"{quoted(text)} is not SVG ({error}): pass a picture from tablebase.svg.board") from error
    for node in root.iter():
        # Without prefixes, elements are those of the picture around them.
        node.tag = node.tag.removeprefix(OURS) if isinstance(node.tag, str) else node.tag
        for name in [name for name in node.attrib if name.startswith(LINKS)]:
            node.set(name.removeprefix(LINKS), node.attrib.pop(name))
    if root.tag != "svg":
        raise TablebaseError(f"{quoted(text)} is not SVG (its root element is {root.tag}): pass a picture from tablebase.svg.board")
    if "viewBox" not in root.attrib:
        width, height = (_NUMBER.match(root.get(name, "")) for name in ("width", "height"))
        if width is None or height is None:
            raise TablebaseError("the SVG picture has neither a viewBox nor a size: add a viewBox")
        root.set("viewBox", f"0 0 {width[1]} {height[1]}")
    if len(box_of(root)) != 4 or min(box_of(root)[2:]) <= 0:
        raise TablebaseError(f"invalid viewBox {quoted(root.get('viewBox'))}: expected four numbers")
    return root


def ratio(root: Element) -> float:
    """The height of a picture in units of its width."""
    _, _, width, height = box_of(root)
    return height / width


def nested(root: Element, prefix: str, x: float, y: float, width: float, height: float) -> Element:
    """A picture as a part of a larger one, in this place; `prefix` keeps its identifiers apart from those of others."""
    part = deepcopy(root)
    rename(part, prefix)
    for name, value in (("x", x), ("y", y), ("width", width), ("height", height)):
        part.set(name, f"{round(value, 2):g}")
    return part


def box_of(root: Element) -> list[float]:
    """The numbers of the viewBox; empty if they are none."""
    try:
        return [float(number) for number in re.split(r"[\s,]+", root.attrib["viewBox"].strip())]
    except ValueError:
        return []
