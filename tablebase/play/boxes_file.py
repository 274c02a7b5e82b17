"""Matchboxes in a JSON file: written as a whole or not at all, and checked when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError, quoted
from tablebase.files.inputs import read_text
from tablebase.files.outputs import write_text
from tablebase.game.notation import render, render_move
from tablebase.play.matchboxes import Bead, Matchboxes

FORMAT = "matchboxes 1"
CURE = "name another file, or delete it"


def save_boxes(path: Path, boxes: Matchboxes) -> None:
    """Write boxes to a file, which is replaced only when all is written."""
    write_text(path, f"{json.dumps(_document(boxes), indent=1)}\n", "name another file with --boxes")


def load_boxes(path: Path, boxes: Matchboxes) -> None:
    """Fill boxes as a file says.

    `TablebaseError` if it cannot be read, is damaged, or holds the boxes of another game, start or side.
    """
    try:
        document = json.loads(read_text(path, CURE, what="a file of matchboxes"))
    except (ValueError, RecursionError) as fault:
        raise TablebaseError(f"{path} is not a file of matchboxes: {CURE}") from fault
    expected = _document(boxes)
    if not isinstance(document, dict) or document.keys() != expected.keys() or document["format"] != FORMAT:
        raise TablebaseError(f"{path} is not a file of matchboxes: {CURE}")
    for key in ("game", "start", "side"):
        if document[key] != expected[key]:
            difference = f"{quoted(str(document[key]))}, not {expected[key]!r}"
            raise TablebaseError(f"{path} holds matchboxes of another {key} ({difference}): {CURE}")
    _fill(path, boxes, document)


def _document(boxes: Matchboxes) -> dict[str, Any]:
    """The boxes as data that JSON can represent."""
    game = boxes.game
    return {
        "format": FORMAT,
        "game": game.name,
        "start": render(game, boxes.start),
        "side": game.sides[boxes.side].letter,
        "won": {side.letter: count for side, count in zip(game.sides, boxes.won, strict=True)},
        "boxes": {render(game, position): [render_move(game, bead.move) for bead in box] for position, box in boxes.boxes.items()},
    }


def _fill(path: Path, boxes: Matchboxes, document: Mapping[str, Any]) -> None:
    """Take games and beads over from a document, all or nothing."""
    game, won, contents = boxes.game, document["won"], document["boxes"]
    letters = [side.letter for side in game.sides]
    if not isinstance(won, dict) or list(won) != letters or any(type(count) is not int or count < 0 for count in won.values()):
        raise TablebaseError(f"{path} does not say how many games each side has won: {CURE}")
    full = {render(game, position): (position, box) for position, box in boxes.full_boxes().items()}
    if not isinstance(contents, dict) or contents.keys() != full.keys():
        raise TablebaseError(f"{path} does not have the matchboxes of {game.name}: {CURE}")
    left: dict[Any, list[Bead]] = {}
    for text, (position, beads) in full.items():
        left[position] = [bead for bead in beads if _holds(contents[text], render_move(game, bead.move))]
        if [render_move(game, bead.move) for bead in left[position]] != contents[text]:
            raise TablebaseError(f"{path} has other beads in the box {text} than its moves: {CURE}")
    boxes.boxes, boxes.won = left, [won[letter] for letter in letters]


def _holds(moves: object, move: str) -> bool:
    return isinstance(moves, list) and move in moves
