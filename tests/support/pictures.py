"""Ways to read a picture of a board back."""

import re
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from support.checks import at_least_one
from tablebase.game import Board

SVG = "{http://www.w3.org/2000/svg}"
MARGIN, EDGE = 44, 12
"""Left of the board and below it; right of it and above."""
LENGTHS = {"M": 2, "L": 2, "Q": 4, "C": 6, "H": 1, "V": 1, "Z": 0, "A": 7, "T": 2}
"""Numbers after each command of path data."""


def parsed(picture: str) -> Element:
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    return root


def every(root: Element, tag: str) -> list[Element]:
    return at_least_one(root.iter(SVG + tag))


def title_of(node: Element) -> str | None:
    return node.findtext(f"{SVG}title")


def centre(board: Board, square: int) -> tuple[int, int]:
    """Where the middle of a square must be: a1 at the lower left, 100 units a square."""
    file, rank = board.cells[square]
    return MARGIN + 100 * file + 50, EDGE + 100 * (board.height - rank) - 50


def uses(root: Element, what: str) -> Iterator[tuple[int, tuple[int, int], str | None]]:
    for node in root.iter(f"{SVG}use"):
        match = re.fullmatch(rf"#t[0-9a-f]+-{what}-([0-9]+)", node.attrib["href"])
        if match:
            yield int(match[1]), (int(node.attrib["x"]), int(node.attrib["y"])), title_of(node)


def corners(path: str) -> list[tuple[float, float]]:
    """The points that path data names, those that control curves included; arcs by the points that they lead to."""
    words = re.findall(r"[A-Za-z]|-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", path)
    starts = [number for number, word in enumerate(words) if word.isalpha()]
    x = y = 0.0
    found = []
    for begin, end in pairwise([*starts, len(words)]):
        letter, numbers = words[begin], [float(word) for word in words[begin + 1 : end]]
        length = LENGTHS[letter.upper()]
        assert (length == 0 and not numbers) or (length and len(numbers) % length == 0), path
        for place in range(0, len(numbers), length or 1):
            part = numbers[place : place + length]
            # All other numbers of an arc are no coordinates.
            part = part[5:] if letter in "Aa" else part
            left, up = (x, y) if letter.islower() else (0.0, 0.0)
            if letter in "Hh":
                points = [(left + part[0], y)]
            elif letter in "Vv":
                points = [(x, up + part[0])]
            else:
                points = [(left + a, up + b) for a, b in zip(part[::2], part[1::2], strict=True)]
            found += points
            x, y = points[-1]
    return found
