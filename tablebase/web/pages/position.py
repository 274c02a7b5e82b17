"""The page of a position: its value, its moves, the optimal line, and a board to set up another one."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.errors import MissingTableError, NotationError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position, mirrored, swapped
from tablebase.game.notation import check_pieces, render
from tablebase.probe.answers import Line
from tablebase.slices.indexing import is_buildable
from tablebase.slices.material import material_name, material_of
from tablebase.web.context import tables_of
from tablebase.web.pages import words
from tablebase.web.pages.addresses import addresses_of, named_placement, read_start
from tablebase.web.pages.pictures import board_data, description
from tablebase.web.pages.rendering import missing, page

router = APIRouter()


@router.get("/{game}/position")
@router.get("/{game}/position/", name="position_of_form")
def by_text(request: Request, game: str, position: str | None = None) -> Response:
    """Leads to the address of a position that was written into a form; without one, to the start."""
    rules = load_game(game)
    text = rules.start if position is None or not position.strip() else position.strip()
    return RedirectResponse(addresses_of(request).position(rules, named_placement(rules, text)), 303)


@router.get("/{game}/position/{position:path}")
def position(request: Request, game: str, position: str) -> Response:
    """A position: whatever can stand on the board is shown, and its value if the game goes on in it."""
    rules = load_game(game)
    asked = named_placement(rules, position)
    # Of the ways to write a position, one is its address.
    if (game, position) != (rules.name, render(rules, asked).replace(" ", "_")):
        return RedirectResponse(addresses_of(request).position(rules, asked), 307)
    status, found = _found(request, rules, asked)
    return page(request, "position.html", status=status, **{**_shown(rules, asked), **found})


def _found(request: Request, game: Game, asked: Position) -> tuple[int, dict[str, Any]]:
    """The status of the page, and what is known of the position."""
    try:
        check_pieces(game, asked)
    except NotationError as fault:
        over = words.ending(game, asked)
        return (400, {"fault": f"{fault}."}) if over is None else (200, {"over": over})
    try:
        answer = tables_of(request).probe(game, asked)
    except MissingTableError as fault:
        return 404, {"missing": missing(request, game, fault)}
    return 200, {"answer": answer, "groups": words.groups(answer.moves), **_line(request, game, asked)}


def _shown(game: Game, asked: Position) -> dict[str, Any]:
    """What is shown of every position, legal or not."""
    material = material_of(game, asked) if _has_material(game, asked) else None
    return {
        "game": game,
        "section": "position",
        "asked": asked,
        "text": render(game, asked),
        "alt": description(game, asked),
        "material": None if material is None else material_name(game, material),
        "turns": _turns(game, asked),
        "board": board_data(game, asked),
        "answer": None,
        "groups": [],
        "line": None,
        "line_missing": None,
        "missing": None,
        "over": None,
        "fault": None,
    }


def _has_material(game: Game, asked: Position) -> bool:
    """Whether the pieces are those of a material that can have a table."""
    try:
        check_pieces(game, asked)
    except NotationError:
        return False
    return is_buildable(game, material_of(game, asked))


def _turns(game: Game, asked: Position) -> list[tuple[str, str]]:
    """Other positions to go to from this one: a label and a text for each."""
    other = game.sides[1 - asked.side].name
    found = [(f"{other} to move", render(game, Position(asked.pieces, 1 - asked.side)))]
    if game.mirror is not None:
        found.append(("Mirror", render(game, mirrored(game, asked))))
    if game.swap is not None:
        found.append(("Swap colours", render(game, swapped(game, asked))))
    found.append(("Clear", render(game, Position((), asked.side))))
    found.append(("Start", render(game, read_start(game))))
    return found


def _line(request: Request, game: Game, asked: Position) -> dict[str, Any]:
    """The optimal line; if a table that it needs is missing, the name of its material."""
    try:
        line = tables_of(request).line(game, asked)
    except MissingTableError as fault:
        return {"line": None, "line_missing": fault.material}
    return {"line": plies_of(line)}


def plies_of(line: Line) -> list[dict[str, Any]]:
    """The rows of a line, each with its position in words, and the move that led to it."""
    last, rows = None, []
    game = line[0].game
    for number, row in enumerate(line.to_dict()):
        probe = line[number] if number < len(line) else None
        over = None if probe else words.ending(game, game.parse(row["position"]))
        rows.append({**row, "last": last, "said": words.verdict(probe) if probe else over or "The game is over"})
        last = row["best"]
    return rows
