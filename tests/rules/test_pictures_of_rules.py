"""Pictures of Hare & Hedgehog, Pig and Kalah: the numbers of a state can be read from them, and squares are those of the board."""

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from support.checks import at_least_one

from tablebase import svg
from tablebase.game.installed import load_rules
from tablebase.game.rules import CHANCE, OVER
from tablebase.testing.contract import playout

SVG = "{http://www.w3.org/2000/svg}"
TRACK = "SHCH3CHLI42I3CHIF24I3CL2IHC432IHFCH23ICHC2LI34H2FCIH324CILHC2HLHZ"
"""The published board, square by square."""
MEANINGS = {
    "start": "S",
    "lettuce": "L",
    "hedgehog": "I",
    "carrots": "C",
    "hare": "H",
    "places 1, 5 and 6": "F",
    "place 2": "2",
    "place 3": "3",
    "place 4": "4",
    "finish": "Z",
}
RACES = ["harehedgehog", "harehedgehog-players=3", "harehedgehog-players=6", "harehedgehog-lettuce_pay=leaving-rounds=9"]
PIGS = ["pig", "pig-players=6", "pig-die=2-target=3", "pig-target=1000"]
WAITING = {"misses a turn": "m", "eats a lettuce": "e", "is to be paid": "p"}


def states(name: str, games: int = 2) -> Iterator[tuple[Any, Any]]:
    rules: Any = load_rules(name)
    for seed in range(games):
        for number, state in enumerate(playout(rules, Random(seed))):
            if number > 150:
                break
            yield rules, state


def drawn_hares(text: str) -> list[tuple[int, int, int, str, int]]:
    """Square, carrots, lettuces, what each player waits for and his rank, as a drawing of characters says it."""
    lines = re.findall(r"^[> ] +(\d+) +(\d+) +(\d+) +(\d+) *(.*)$", text.partition("\n\n")[2], re.MULTILINE)
    assert [int(line[0]) for line in lines] == list(range(1, len(lines) + 1))
    return [
        (int(square), int(carrots), int(held), WAITING.get(doing, ""), int((re.findall(r"place (\d)", doing) or [0])[0]))
        for _, square, carrots, held, doing in lines
    ]


def written_hares(text: str) -> list[tuple[int, int, int, str, int]]:
    found = re.findall(r"(\d+):(\d+):(\d+)([a-z]?)(?:#(\d))?", text.split(" ")[0])
    return [(int(square), int(carrots), int(held), wait, int(rank or 0)) for square, carrots, held, wait, rank in found]


def placed(root: Element) -> dict[int, tuple[str, tuple[float, float]]]:
    squares = {}
    for group in root.iter(f"{SVG}g"):
        named = re.fullmatch(r"(\d+): (.*)", group.findtext(f"{SVG}title") or "")
        if named:
            x, y = map(float, re.findall(r"[\d.]+", group.get("transform", "")))
            figure = next(str(use.get("href")) for use in group.iter(f"{SVG}use") if "figure" in str(use.get("href")))
            squares[int(named[1])] = MEANINGS[named[2]], (x, y)
            assert figure.endswith(f"figure-{MEANINGS[named[2]]}")
    return squares


@pytest.mark.parametrize("name", RACES)
def test_the_drawing_of_a_race_says_all(name: str) -> None:
    """In a terminal: each square with its letter and its hares, each player with what he has, within 80 columns."""
    for rules, state in at_least_one(states(name)):
        text = rules.drawn(state)
        assert max(map(len, text.splitlines())) <= 80
        board, _, _ = text.partition("\n\n")
        cells = [cell for line in board.splitlines()[1:] for cell in line[3:].split()]
        assert "".join(cell[0] for cell in cells) == TRACK
        assert drawn_hares(text) == written_hares(rules.format(state))
        for number, cell in enumerate(cells):
            on = [str(player) for player, hare in enumerate(drawn_hares(text), start=1) if hare[0] == number]
            assert cell[1:] == (f"({''.join(on)})" if on else "")
        mover = rules.to_move(state)
        assert re.findall(r"^> +(\d)", text, re.MULTILINE) == ([] if mover < CHANCE else [rules.format(state).split(" ")[1]])


@pytest.mark.parametrize("name", RACES)
def test_the_picture_of_a_race_says_all(name: str) -> None:
    """Well formed, with every square in its place; tokens stand on squares, or side by side at the start and the finish."""
    for rules, state in list(at_least_one(states(name)))[::7]:
        picture = rules.svg(state)
        root = ElementTree.fromstring(picture)
        squares = placed(root)
        assert "".join(squares[number][0] for number in range(1, 64)) == TRACK[1:-1]
        # The way goes from each square to one beside or above it.
        for one, other in pairwise(range(1, 64)):
            (x, y), (x_2, y_2) = squares[one][1], squares[other][1]
            assert (abs(x - x_2), y - y_2) in ((100, 0), (0, 112))
        tokens = [group for group in root.iter(f"{SVG}g") if (group.findtext(f"{SVG}title") or "").startswith("player ")]
        names = [str(token.findtext(f"{SVG}title")) for token in tokens]
        # On the track, and beside what the player has.
        assert sorted(names) == sorted([f"player {player}" for player in range(1, rules.players + 1)] * 2)
        for hare, player in zip(written_hares(rules.format(state)), range(1, rules.players + 1), strict=True):
            token = next(one for one, named in zip(tokens, names, strict=True) if named == f"player {player}")
            x, y = map(float, re.findall(r"[\d.]+", token.get("transform", ""))[:2])
            if hare[0] in squares:
                assert max(abs(x - squares[hare[0]][1][0]), abs(y - squares[hare[0]][1][1])) < 46
            else:
                assert (y > squares[1][1][1] + 56) == (hare[0] == 0)
            square, carrots, held = f"square {hare[0]} (", f"{hare[1]} carrot", f"{hare[2]} lettuce"
            sentence = rules.described(state).split(". ")[player - 1]
            assert all(word in sentence for word in (f"Player {player} is on", square, carrots, held))
        assert root.findtext(f"{SVG}desc") == rules.described(state)


def test_who_waits_is_marked_and_said() -> None:
    """Two bars on the token, a word below what the player has; nothing is said by colour alone, so `mono` draws the same shapes."""
    rules: Any = load_rules("harehedgehog-players=3")
    state = rules.parse("7:12:2e,23:151:3m,64:0:0#1 1")
    root = ElementTree.fromstring(rules.svg(state))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert (titles.count("eats a lettuce"), titles.count("misses a turn")) == (1, 1)
    assert "is home, place 1" in rules.described(state)
    colours = r"#[0-9a-f]{6}"
    plain, mono = (re.sub(f"{colours}|t[0-9a-f]{{10}}", "", svg.board(rules, state, theme=theme)) for theme in ("light", "mono"))
    assert plain == mono
    assert set(re.findall(colours, svg.board(rules, state, theme="mono"))) == {"#ffffff", "#000000", "#e6e6e6"}


@pytest.mark.parametrize("name", PIGS)
def test_pictures_of_pig(name: str) -> None:
    """The scores, the total and who is to move can be read; bars are as long as the scores, and never longer than the target."""
    for rules, state in at_least_one(states(name, 1)):
        *scores, player, total, rolling = state
        text = rules.drawn(state)
        assert max(map(len, text.splitlines())) <= 80
        lines = re.findall(r"^([> ]) +(\d+) +(\d+) \|(=*)(\+*)\.*\|$", text, re.MULTILINE)
        assert [int(line[2]) for line in lines] == scores
        for score, (mark, number, _, sure, hoped) in zip(scores, lines, strict=True):
            assert len(sure) == min(40, 40 * score // rules.target)
            assert len(sure + hoped) <= 40
            assert (mark == ">") == (max(scores) < rules.target and int(number) == player + 1)
        root = ElementTree.fromstring(rules.svg(state))
        assert max(float(bar.get("width", "0")) for bar in root.iter(f"{SVG}rect") if bar.get("height") == "40") == 380
        words = rules.described(state)
        assert all(f"player {number} has {score}" in words for number, score in enumerate(scores, start=1))
        assert max(scores) >= rules.target or f"total of the turn is {total}." in words
        assert bool(rolling) == ("throws the" in words)
        assert (f", turn total {total}" in text) == (max(scores) < rules.target)


@pytest.mark.parametrize("name", [*RACES, *PIGS, "kalah"])
def test_pictures_are_those_of_the_board_function(name: str) -> None:
    """`svg.board` takes any game that draws, scales the picture and knows its themes; pictures share no identifiers."""
    rules: Any = load_rules(name)
    pictures = [svg.board(name, rules.format(rules.initial), size=300, theme=theme) for theme in ("light", "dark", "mono")]
    assert len(set(pictures)) == 3
    identifiers = [set(re.findall(r'id="([^"]*)"', picture)) for picture in pictures]
    assert not identifiers[0] & identifiers[1]
    for picture, known in zip(pictures, identifiers, strict=True):
        root = ElementTree.fromstring(picture)
        assert max(float(root.get(side, "0")) for side in ("width", "height")) == pytest.approx(300)
        assert {use.get("href", "")[1:] for use in root.iter(f"{SVG}use")} <= known
        assert picture == svg.board(rules, rules.initial, size=300, theme=("light", "dark", "mono")[pictures.index(picture)])


def numbers_of(text: str) -> tuple[list[int], list[int]]:
    """The rows of a position from its text, each with its store behind it."""
    south, north, _ = text.split()
    return [*map(int, south.split(","))], [*map(int, north.split(","))]


@pytest.mark.parametrize("name", ["kalah", "kalah-pits=1-seeds=9", "kalah-pits=6-seeds=4", "kalah-pits=9-seeds=9"])
def test_pictures_of_kalah_say_all(name: str) -> None:
    """The pits with their seeds, anticlockwise, the row that is to move, and the same with characters and in words."""
    rules: Any = load_rules(name)
    for position in at_least_one(list(playout(rules, Random(3)))[::5]):
        south, north = numbers_of(rules.format(position))
        mover = rules.to_move(position)
        circles = [*ElementTree.fromstring(rules.svg(position)).iter(f"{SVG}circle")]
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
