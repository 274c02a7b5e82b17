"""Labels of matchboxes: which boxes and beads they show, before and after training, and that nothing leaves its label."""

import re
from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree.ElementTree import Element

import pytest
from support.checks import at_least_one, thinned
from support.pictures import SVG, parsed, title_of

import tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.notation import parse, render, render_move
from tablebase.play.learning.box_sheet import HEIGHT, WIDTH, box_sheet, numbered
from tablebase.play.learning.matchboxes import Matchboxes, grow_tree
from tablebase.svg import sheets
from tablebase.svg.themes import ARROWS

GAME = load_game("hexapawn")
TREE = grow_tree(GAME, parse(GAME, GAME.start))


def trained(games: int) -> Matchboxes:
    boxes, random = Matchboxes(GAME, 1, TREE), Random(1)
    for _ in range(games):
        full = [box for box, beads in boxes.boxes.items() if beads]
        drawn = boxes.draw(random.choice(full), random)
        assert drawn is not None
        boxes.finish([drawn], winner=0)
    return boxes


def labels(page: str) -> list[Element]:
    return parsed(page).findall(f"{SVG}svg")


def circles_of(label: Element) -> list[Element]:
    """The circles of beads, which lie in groups of their own beside the board."""
    return [circle for group in label.findall(f"{SVG}g") for circle in group.findall(f"{SVG}circle")]


def beads_of(label: Element) -> list[str]:
    return [str(title_of(group)) for group in label.findall(f"{SVG}g") if group.find(f"{SVG}circle") is not None]


def test_a_label_for_each_box_before_the_first_game() -> None:
    """19 boxes with 45 beads on one page of A4; each has its position, an arrow and a bead of the same colour for each move."""
    boxes = Matchboxes(GAME, 1, TREE)
    sheet = box_sheet(boxes)
    [page] = sheet
    found = labels(page)
    listed = numbered(boxes)
    assert len(found) == len(listed) == 19
    assert sum(len(beads_of(label)) for label in found) == 45
    assert [one.move for one in listed] == [2] * 2 + [4] * 10 + [6] * 7
    for label, box in zip(found, listed, strict=True):
        assert title_of(label) == f"box {box.number}, move {box.move}: {render(GAME, box.position)}"
        moves = [render_move(GAME, bead.move) for bead in box.full]
        assert moves == sorted(moves)
        expected = [f"{move} ({colour})" for move, colour in zip(moves, ARROWS, strict=False)]
        assert beads_of(label) == expected
        [board] = label.findall(f"{SVG}svg")
        arrows = re.search("Arrows: (.*)[.]", str(board.findtext(f"{SVG}desc")))
        assert arrows is not None
        assert arrows[1].split(", ") == expected
    assert "before the first game: 45 beads" in sheet.title


def test_what_training_leaves() -> None:
    """A bead that has been taken away is a ring without a fill; a box without any is called empty."""
    boxes = trained(30)
    [page] = box_sheet(boxes)
    taken = 0
    for label, box in zip(labels(page), numbered(boxes), strict=True):
        assert len(box.left) == len(boxes.boxes[box.position])
        for title, circle, bead in zip(beads_of(label), circles_of(label), box.full, strict=True):
            gone = bead not in box.left
            taken += gone
            assert title.endswith(", taken away") == gone
            assert (circle.get("fill") == "none") == gone
        words = label.findall(f"{SVG}g")[-1]
        letters = len(f"{box.number}move{box.move}") + (0 if box.left else len("empty"))
        assert len(words.findall(f"{SVG}path")) == letters
    assert taken == 30
    assert not all(boxes.boxes.values())
    assert "games won: White 30, Black 0; beads left: 15 of 45" in box_sheet(boxes).title


@pytest.mark.parametrize("name", thinned(["hexapawn", "hexapawn-3x4", "foxhounds-4x4"], 2))
@pytest.mark.parametrize("side", [0, 1])
def test_nothing_leaves_its_label(name: str, side: int) -> None:
    """Also with many moves: beads lie beside the board, one below the other, and within the label."""
    game = load_game(name)
    boxes = Matchboxes(game, side, grow_tree(game, parse(game, game.start)))
    boxes.boxes = dict(sorted(boxes.boxes.items())[:60])
    full = boxes.full_boxes()
    boxes.full_boxes = lambda: {box: full[box] for box in boxes.boxes}  # type: ignore[method-assign]
    for page in box_sheet(boxes, page="letter"):
        for label in labels(page):
            assert label.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"
            [board] = label.findall(f"{SVG}svg")
            right = float(board.attrib["x"]) + float(board.attrib["width"])
            assert float(board.attrib["y"]) > 0
            assert float(board.attrib["y"]) + float(board.attrib["height"]) < HEIGHT
            rings = [[float(one.attrib[key]) for key in ("cx", "cy", "r")] for one in circles_of(label)]
            assert all(x - radius > right and x + radius < WIDTH and y + radius < HEIGHT for x, y, radius in rings)
            assert all(y + radius < below - radius for (_, y, radius), (_, below, _) in pairwise(rings))
            paths = [path for group in label.findall(f"{SVG}g") for path in group.findall(f"{SVG}path")]
            letters = at_least_one(re.match(r"translate\(([-0-9.]+) ([-0-9.]+)\)", one.get("transform", "")) for one in paths)
            places = [(float(one[1]), float(one[2])) for one in letters if one]
            assert all(0 < x < WIDTH - 12 and 0 < y < HEIGHT - 12 for x, y in places)


def test_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with all beads, those of a file, and of the other side; what is refused."""
    rows = tablebase.boxes("hexapawn")
    assert len(rows) == 19
    assert sum(len(row["beads"].split()) for row in rows) == 45
    assert rows.sheet() == box_sheet(rows.matchboxes)
    boxes = trained(12)
    boxes.save(tmp_path / "boxes.json")
    left = tablebase.boxes("hexapawn", boxes=tmp_path / "boxes.json")
    assert sum(len(row["taken"].split()) for row in left) == 12
    assert [sorted((row["beads"] + " " + row["taken"]).split()) for row in left] == [row["beads"].split() for row in rows]
    white = tablebase.boxes("hexapawn", side="w")
    assert (len(white), white[0]["move"], white[0]["position"]) == (18, 1, "ppp/3/PPP w")
    assert len(tablebase.boxes("hexapawn", "ppp/1P1/P1P b")) < 18
    monkeypatch.setattr(sheets, "MOST", 18)
    with pytest.raises(TablebaseError, match="a sheet must have 1 to 18 boards, not 19"):
        rows.sheet()
