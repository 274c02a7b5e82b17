"""Matchboxes to print, cut out and use: a label for each box, with its position, an arrow for each move, and its beads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from tablebase.game.moves import Position
from tablebase.game.notation import render, render_move
from tablebase.play.learning.matchboxes import Bead, Matchboxes
from tablebase.svg.foreign import nested, read_picture
from tablebase.svg.marks import INLAYS
from tablebase.svg.markup import HEIGHT as CAPITAL
from tablebase.svg.markup import STEP, Svg, element, lettering, picture
from tablebase.svg.pictures import board
from tablebase.svg.sheets import Sheet, sheet
from tablebase.svg.themes import ARROWS, Theme, as_theme

WIDTH, HEIGHT = 520, 360
"""Of a label, in tenths of a millimetre: that of a common matchbox."""
BOARD, EDGE = 330, 15
"""The longer side of the board, and how far it keeps from the edge."""
COLUMN, TOP, BOTTOM = 438, 112, 325
"""The middle of the column with the beads, and where they begin and end."""
BEAD, SPACING = 20, 58
"""Radius of a bead, and from one to the next; less where there are many."""
NUMBER, LETTER = 34, 17
"""Heights of the capital letters of a box's number, and of all others."""
CUT: dict[str, Any] = {"stroke_dasharray": "12 8", "stroke_width": 2, "fill": "none"}


class Box(NamedTuple):
    """A box, as it is listed."""

    number: int
    move: int  # the moves of both sides up to the one that it makes, counted from 1
    position: Position
    full: tuple[Bead, ...]
    """Its beads before the first game, by the texts of their moves."""
    left: tuple[Bead, ...]


def numbered(boxes: Matchboxes) -> list[Box]:
    """The boxes in the order in which games need them: by the number of moves before, then by their text."""
    full, start = boxes.full_boxes(), next(iter(boxes.tree))
    # The least number of moves to each position.
    plies = {start: 0}
    for position in (waiting := [start]):
        for bead in boxes.tree[position]:
            if bead.after is not None and bead.after not in plies:
                plies[bead.after] = plies[position] + 1
                waiting.append(bead.after)
    order = sorted(full, key=lambda position: (plies[position], render(boxes.game, position)))

    def listed(beads: Sequence[Bead]) -> tuple[Bead, ...]:
        return tuple(sorted(beads, key=lambda bead: render_move(boxes.game, bead.move)))

    return [
        Box(number, plies[position] + 1, position, listed(full[position]), listed(boxes.boxes[position]))
        for number, position in enumerate(order, start=1)
    ]


def box_sheet(boxes: Matchboxes, page: str = "a4", theme: str | Theme = "light") -> Sheet:
    """The labels of all boxes; beads that have been taken away are empty rings with a cross."""
    colours = as_theme(theme)
    labels = [_label(boxes, box, colours) for box in numbered(boxes)]
    return sheet(labels, title="\n".join(_heading(boxes)), page=page, width=WIDTH / 10, gap=0, theme=colours)


def _heading(boxes: Matchboxes) -> Iterator[str]:
    game = boxes.game
    side = game.sides[boxes.side].name
    yield f"{game.title}: the {len(boxes.boxes):,} boxes of {side}, from {render(game, boxes.start)}"
    if boxes.beads == boxes.total and not any(boxes.won):
        yield f"before the first game: {boxes.total:,} beads"
    else:
        won = ", ".join(f"{one.name} {count:,}" for one, count in zip(game.sides, boxes.won, strict=True))
        yield f"games won: {won}; beads left: {boxes.beads:,} of {boxes.total:,}"
    mirrored = "; each box also serves the mirror image of its position" if boxes.share and game.mirror is not None else ""
    yield f"Cut along the lines. Each filled circle is a bead in the box{mirrored}."


def _label(boxes: Matchboxes, box: Box, theme: Theme) -> Svg:
    game = boxes.game
    colours = {bead: ARROWS[number % len(ARROWS)] for number, bead in enumerate(box.full)}
    drawn = read_picture(board(game, box.position, arrows=[(bead.move, colour) for bead, colour in colours.items()], theme=theme))
    _, _, width, height = map(float, drawn.attrib["viewBox"].split())
    scale = BOARD / max(width, height)
    step = min(SPACING, (BOTTOM - TOP) / len(box.full))
    beads = [
        part
        for number, (bead, colour) in enumerate(colours.items())
        for part in _bead(render_move(game, bead.move), colour, bead in box.left, TOP + step * (number + 0.5), step, theme)
    ]
    words = [
        *lettering(str(box.number), COLUMN, EDGE + NUMBER, NUMBER),
        *lettering(f"move {box.move}", COLUMN, EDGE + 2 * NUMBER + LETTER / 2, LETTER),
        *([] if box.left else lettering("empty", COLUMN, BOTTOM + LETTER, LETTER)),
    ]
    root = element(
        "svg",
        element("title", text=f"box {box.number}, move {box.move}: {render(game, box.position)}"),
        element("path", d=f"M0 0H{WIDTH}M0 {HEIGHT}H{WIDTH}M0 0V{HEIGHT}M{WIDTH} 0V{HEIGHT}", stroke=theme.page.line, **CUT),
        nested(drawn, "board", EDGE, (HEIGHT - height * scale) / 2, width * scale, height * scale),
        *beads,
        element("g", *words, stroke=theme.page.line, fill=theme.page.line, stroke_width=0.9, stroke_linecap="round"),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
    )
    return picture(root)


def _bead(move: str, colour: str, is_left: bool, y: float, step: float, theme: Theme) -> Sequence[Element]:
    """A bead beside its move: with the inlay of its arrow, or, if it has been taken away, as a ring with a cross."""
    radius, paint = min(BEAD, 0.4 * step), theme.arrows[colour]
    height = min(LETTER, 0.5 * step)
    across = height * STEP / CAPITAL * len(move)
    left = COLUMN - (2 * radius + 0.7 * radius + across) / 2
    x = left + radius
    name = element("title", text=f"{move} ({colour})" if is_left else f"{move} ({colour}), taken away")
    words: dict[str, Any] = {"stroke": theme.page.line, "fill": theme.page.line, "stroke_width": 0.9, "stroke_linecap": "round"}
    text = element("g", *lettering(move, left + 2.7 * radius + across / 2, y, height), **words)
    if not is_left:
        half = 0.55 * radius
        cross = f"M{x - half:.2f} {y - half:.2f}l{2 * half:.2f} {2 * half:.2f}m0 {-2 * half:.2f}l{-2 * half:.2f} {2 * half:.2f}"
        line: dict[str, Any] = {"fill": "none", "stroke": paint, "stroke_width": 3}
        ring = element("circle", cx=x, cy=y, r=radius - 1.5, stroke_dasharray=f"{radius * pi / 8:.2f}", **line)
        return [element("g", name, ring, element("path", d=cross, **line)), text]
    parts = [name, element("circle", cx=x, cy=y, r=radius, fill=paint)]
    inlay = INLAYS[colour]
    if inlay is not None:
        line = {"stroke": theme.page.fill, "stroke_width": radius / 4, "stroke_linecap": "round", **inlay}
        parts.append(element("path", d=f"M{x - 0.6 * radius:.2f} {y:.2f}h{1.2 * radius:.2f}", fill="none", **line))
    return [element("g", *parts), text]
