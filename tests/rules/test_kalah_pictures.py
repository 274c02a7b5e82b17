"""Pictures of Kalah: every number of a position can be read from them."""

import re
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from support.checks import at_least_one

from tablebase import svg
from tablebase.game.installed import load_rules
from tablebase.game.rules import OVER
from tablebase.testing.contract import playout

CIRCLE = "{http://www.w3.org/2000/svg}circle"


def numbers_of(text: str) -> tuple[list[int], list[int]]:
    """The rows of a position from its text, each with its store behind it."""
    south, north, _ = text.split()
    return [*map(int, south.split(","))], [*map(int, north.split(","))]


@pytest.mark.parametrize("name", ["kalah", "kalah-pits=1-seeds=9", "kalah-pits=6-seeds=4", "kalah-pits=9-seeds=9"])
def test_pictures_say_all(name: str) -> None:
    """The pits with their seeds, anticlockwise, the row that is to move, and the same with characters and in words."""
    rules: Any = load_rules(name)
    for position in at_least_one(list(playout(rules, Random(3)))[::5]):
        south, north = numbers_of(rules.format(position))
        mover = rules.to_move(position)
        circles = [*ElementTree.fromstring(rules.svg(position)).iter(CIRCLE)]
        radius = max(float(one.attrib["r"]) for one in circles)
        pits = {(float(one.attrib["cx"]), float(one.attrib["cy"])): one for one in circles if float(one.attrib["r"]) == radius}
        seeds = dict.fromkeys(pits, 0)
        for one in circles:
            x, y = float(one.attrib["cx"]), float(one.attrib["cy"])
            if float(one.attrib["r"]) < radius:
                [pit] = [at for at in pits if (at[0] - x) ** 2 + (at[1] - y) ** 2 <= (radius - float(one.attrib["r"])) ** 2]
                seeds[pit] += 1
        left, *inner, right = sorted(pits, key=lambda at: at[0])
        below, above = ([at for at in inner if (at[1] > left[1]) == is_below] for is_below in (True, False))
        assert [seeds[at] for at in [*below, right, *reversed(above), left]] == [*south, *north]
        for row, player in ((below, 0), (above, 1)):
            assert {float(pits[at].attrib["stroke-width"]) > 3 for at in row} == {mover == player}
        _, upper, lower, _ = rules.drawn(position).splitlines()
        assert [*map(int, re.findall("[0-9]+", upper))] == [*reversed(north)]
        assert [*map(int, re.findall("[0-9]+", lower))] == south
        assert [line.startswith(">") for line in (lower, upper)] == [mover == 0, mover == 1]
        said = rules.described(position)
        assert [*map(int, re.findall("[0-9]+", said))] == [*south, *north]
        assert said.endswith("The game is over." if mover == OVER else f"{rules.sides[mover].name} is to move.")


def test_in_the_colours_of_a_theme() -> None:
    pictures = [svg.board("kalah", "3,3,3,0 3,3,3,0 s", theme=theme) for theme in ("light", "dark")]
    assert len(set(pictures)) == 2
    assert "South is to move." in pictures[0]
