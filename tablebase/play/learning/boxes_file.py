"""Matchboxes of one side or of both in a JSON file: written as a whole or not at all, and checked when read.

Players in several processes may learn into one file: each holds its lock from reading to writing, so that no game is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError, quoted
from tablebase.files.inputs import check_regular, read_text
from tablebase.files.outputs import check_output, lock_of, locked, write_text
from tablebase.game.moves import Position
from tablebase.game.notation import render, render_move
from tablebase.play.learning.matchboxes import Bead, Matchboxes

FORMAT = "matchboxes 2"
CURE, OTHER = "name another file, or delete it", "name another file with --boxes"
PATIENCE = 30.0
"""Seconds to wait for other players of a file, which need some milliseconds."""


@contextmanager
def updated(path: Path, boxes: Matchboxes) -> Iterator[None]:
    """Fill boxes as a file says, if there is one, and save what the block makes of them; other players of the file wait."""
    check_output(path, OTHER)
    with locked(lock_of(path), f"another player keeps its matchboxes in {path}, and does not finish: {OTHER}", PATIENCE):
        if path.exists():
            load_boxes(path, boxes)
        yield
        save_boxes(path, boxes)


def save_boxes(path: Path, boxes: Matchboxes) -> None:
    """Write the boxes of a side to a file, which keeps those of the other side; it is replaced only when all is written."""
    sides = {**(_sides(path, boxes) if path.is_file() else {}), boxes.game.sides[boxes.side].letter: _contents(boxes)}
    ordered = {side.letter: sides[side.letter] for side in boxes.game.sides if side.letter in sides}
    document = {**_heading(boxes), "sides": ordered}
    write_text(path, f"{json.dumps(document, indent=1)}\n", OTHER)


def load_boxes(path: Path, boxes: Matchboxes) -> None:
    """Fill boxes as a file says; if it has only those of the other side, nothing changes.

    `TablebaseError` if it cannot be read, is damaged, or holds the boxes of another game or start.
    """
    sides, letter = _sides(path, boxes), boxes.game.sides[boxes.side].letter
    if letter in sides:
        _fill(path, boxes, sides[letter])


def _sides(path: Path, boxes: Matchboxes) -> dict[str, Any]:
    """The content of a file by side; it must belong to the same game and start."""
    check_regular(path, OTHER)
    try:
        document = json.loads(read_text(path, CURE, what="a file of matchboxes"))
    except (ValueError, RecursionError) as fault:
        raise _damaged(path) from fault
    heading = _heading(boxes)
    if not isinstance(document, dict) or document.keys() != heading.keys() | {"sides"} or document["format"] != FORMAT:
        raise _damaged(path)
    for key in ("game", "start"):
        if document[key] != heading[key]:
            difference = f"{quoted(document[key])}, not {heading[key]!r}"
            raise TablebaseError(f"{path} holds matchboxes of another {key} ({difference}): {CURE}")
    sides = document["sides"]
    if not isinstance(sides, dict) or not sides.keys() <= {side.letter for side in boxes.game.sides}:
        raise _damaged(path)
    return sides


def _damaged(path: Path) -> TablebaseError:
    return TablebaseError(f"{path} is not a file of matchboxes: {CURE}")


def _heading(boxes: Matchboxes) -> dict[str, str]:
    """Fields shared by both sides."""
    return {"format": FORMAT, "game": boxes.game.name, "start": render(boxes.game, boxes.start)}


def _contents(boxes: Matchboxes) -> dict[str, Any]:
    """The boxes of a side, and the games that it has played."""
    game = boxes.game
    return {
        "won": {side.letter: count for side, count in zip(game.sides, boxes.won, strict=True)},
        "boxes": {render(game, position): [render_move(game, bead.move) for bead in box] for position, box in boxes.boxes.items()},
    }


def _fill(path: Path, boxes: Matchboxes, content: Any) -> None:
    """Read the games and beads of a side, all or nothing."""
    if not isinstance(content, dict) or content.keys() != {"won", "boxes"}:
        raise _damaged(path)
    game, won, contents = boxes.game, content["won"], content["boxes"]
    letters = [side.letter for side in game.sides]
    if not isinstance(won, dict) or list(won) != letters or any(type(count) is not int or count < 0 for count in won.values()):
        raise TablebaseError(f"{path} does not say how many games each side has won: {CURE}")
    full = boxes.full_boxes()
    if not isinstance(contents, dict) or contents.keys() != {render(game, position) for position in full}:
        raise TablebaseError(f"{path} does not have the matchboxes of {game.name}: {CURE}")
    left: dict[Position, list[Bead]] = {}
    for position, beads in full.items():
        moves, text = {render_move(game, bead.move): bead for bead in beads}, render(game, position)
        kept = contents[text]
        if not isinstance(kept, list) or kept != [move for move in moves if move in kept]:
            raise TablebaseError(f"{path} has other beads in the box {text} than its moves: {CURE}")
        left[position] = [moves[move] for move in kept]
    boxes.boxes, boxes.won = left, [won[letter] for letter in letters]
