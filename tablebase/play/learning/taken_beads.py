"""Beads that lost games have taken out of matchboxes, as a text: ``ppp/1P1/P1P_b:a3b2``, with spaces between.

Boxes are named by their positions, so that a text can be read and extended without finding all positions of the game.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tablebase.errors import TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import parse, render, render_move
from tablebase.play.learning.matchboxes import Bead, Draw, Matchboxes, all_beads, as_seen, distinct_beads, representative
from tablebase.play.match import Match

MOST = 100
"""The most beads in a text, so that it fits into an address."""
LONGEST = 300
"""Characters of a bead, more than any has."""


def read_taken(game: Game, text: str) -> tuple[Draw, ...]:
    """The beads of a text, each with its box; `TablebaseError` if one of them is not a bead of a box, or is named twice."""
    words = text.split()
    if len(words) > MOST:
        raise TablebaseError(f"{len(words):,} beads are taken: name at most {MOST}")
    taken: dict[Draw, None] = {}
    for word in words:
        draw = _read_bead(game, word)
        if draw in taken:
            raise TablebaseError(f"the bead {quoted(word)} is taken twice: name each once")
        taken[draw] = None
    return tuple(taken)


def write_taken(game: Game, taken: Iterable[Draw]) -> str:
    """The text of beads, in their order."""
    return " ".join(f"{render(game, draw.box).replace(' ', '_')}:{render_move(game, draw.bead.move)}" for draw in taken)


def remove_taken(boxes: Matchboxes, taken: Iterable[Draw]) -> None:
    """Take beads out of the boxes of a side; those of the other side do not matter."""
    for draw in taken:
        if draw.box.side == boxes.side:
            if draw.box not in boxes.boxes:
                raise TablebaseError(
                    f"there is no box for {render(boxes.game, draw.box)}, which no game reaches: do not name it among taken beads"
                )
            boxes.boxes[draw.box].remove(draw.bead)


def last_drawn(game: Game, match: Match[Position], side: int, taken: Collection[Draw]) -> Draw | None:
    """The last bead that the boxes of a side have drawn in a match, after others were taken; None if they have drawn none."""
    for before, event in zip(reversed(match.positions[:-1]), reversed(match.events), strict=True):
        if event.player == side:
            box = representative(game, before)
            left = [bead for bead in _full_box(game, box) if Draw(box, bead) not in taken]
            if left:
                made = [bead for bead in left if render_move(game, as_seen(game, bead, before)) == event.text]
                return Draw(box, made[0]) if made else None
            # A move at an empty box costs the bead drawn before it.
    return None


def _full_box(game: Game, box: Position) -> list[Bead]:
    return distinct_beads(game, box, all_beads(game, box))


def _read_bead(game: Game, word: str) -> Draw:
    text, _, move = word.rpartition(":")
    if not text or len(word) > LONGEST:
        first = representative(game, game.initial)
        example = write_taken(game, [Draw(first, _full_box(game, first)[0])])
        raise TablebaseError(f"{quoted(word)} is not a bead: write its box and its move, as in {example}")
    box = parse(game, text.replace("_", " "))
    game.check(box)
    shown = representative(game, box)
    if box != shown:
        raise TablebaseError(f"the box of {render(game, box)} is that of its mirror image: write {render(game, shown)}")
    beads = {render_move(game, bead.move): bead for bead in _full_box(game, box)}
    if move not in beads:
        raise TablebaseError(f"the box {render(game, box)} has no bead {quoted(move)}: choose one of {', '.join(beads)}")
    return Draw(box, beads[move])
