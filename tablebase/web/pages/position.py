"""The page of a position of any game: its value, its moves and draws, the line; a board is also there to set up another one."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.errors import MissingTableError, NotationError, RulesError
from tablebase.game import Game
from tablebase.game.installed import load_rules
from tablebase.game.moves import Position, mirrored, swapped
from tablebase.game.notation import check_pieces
from tablebase.game.rules import Rules, legal
from tablebase.positions.indexing import is_buildable
from tablebase.positions.material import material_name, material_of
from tablebase.positions.shown_features import features_at
from tablebase.probe.answers import RatedMove
from tablebase.probe.explained import ONLY
from tablebase.probe.lines import Line
from tablebase.web.context import tables_of
from tablebase.web.pages import words
from tablebase.web.pages.addresses import addresses_of, named_position, spelled
from tablebase.web.pages.pictures import drawing
from tablebase.web.pages.rendering import missing, page

LINE = 24
"""Positions of a line with chance, which does not end by itself."""

router = APIRouter()


@router.get("/{game}/position")
@router.get("/{game}/position/", name="position_of_form")
def by_text(request: Request, game: str, position: str | None = None) -> Response:
    """Leads to the address of a position that was written into a form; without one, to the start."""
    rules = load_rules(game)
    asked = rules.initial if position is None or not position.strip() else named_position(rules, position.strip())
    return RedirectResponse(addresses_of(request).position(rules.name, rules.format(asked)), 303)


@router.get("/{game}/position/{position:path}")
def position(request: Request, game: str, position: str) -> Response:
    """A position: whatever can stand on the board is shown, and its value if the game goes on in it."""
    rules: Any = load_rules(game)
    asked = named_position(rules, position)
    text = rules.format(asked)
    # Of the ways to write a position, one is its address.
    if (game, position) != (rules.name, spelled(text)):
        return RedirectResponse(addresses_of(request).position(rules.name, text), 307)
    status, found = _found(request, rules, asked)
    on_squares = "squares" in rules.can
    shown: dict[str, Any] = {
        "game": rules,
        "section": "position",
        **drawing(rules, asked),
        "material": _material(rules, asked) if on_squares else None,
        "turns": _turns(rules, asked) if on_squares else [],
        "start": rules.format(rules.initial),
        **dict.fromkeys(("answer", "line", "line_is_certain", "line_missing", "missing", "over", "unrated", "error")),
        **dict.fromkeys(("groups", "features"), ()),
    }
    return page(request, "position.html", status=status, **{**shown, **found})


def _found(request: Request, game: Rules[Any], asked: Any) -> tuple[int, dict[str, Any]]:
    try:
        game.check(asked)
    except NotationError as error:
        return 400, {"error": f"{error}."}
    over = words.ending(game, asked)
    if over is not None:
        return 200, {"over": over}
    text = game.format(asked)
    own = {"features": features_at(game, asked)}
    try:
        answer = tables_of(request).probe(game, text)
    except MissingTableError as error:
        return 404, {"missing": missing(request, game, error), "groups": _unrated(game, asked), **own}
    except RulesError as error:
        # Games of more than two have no tables.
        return 200, {"unrated": f"{words.capital(str(error))}.", "groups": _unrated(game, asked)}
    return 200, {"answer": answer, "groups": words.groups(answer.moves), **_line(request, game, text), **own}


def _unrated(game: Rules[Any], asked: Any) -> list[words.MoveGroup]:
    return words.groups([RatedMove(game, asked, move, child, None) for move, child in legal(game, asked).items()])


def _material(game: Game, asked: Position) -> str | None:
    """The name of the material, if the pieces are those of one that can have a table."""
    try:
        check_pieces(game, asked)
    except NotationError:
        return None
    material = material_of(game, asked)
    return material_name(game, material) if is_buildable(game, material) else None


def _turns(game: Game, asked: Position) -> list[tuple[str, str]]:
    found = {
        f"{game.sides[1 - asked.side].name} to move": Position(asked.pieces, 1 - asked.side),
        "Mirror": None if game.mirror is None else mirrored(game, asked),
        "Swap colours": None if game.swap is None else swapped(game, asked),
        "Clear": Position((), asked.side),
        "Start": game.initial,
    }
    return [(label, game.format(one)) for label, one in found.items() if one is not None]


def _line(request: Request, game: Rules[Any], text: str) -> dict[str, Any]:
    """The line of best moves; if a table that it needs is missing, the name of its material."""
    try:
        line = tables_of(request).line(game, text, LINE if game.repetitions is None else None)
    except MissingTableError as error:
        return {"line": None, "line_missing": error.material}
    return {"line": plies_of(line), "line_is_certain": line.is_certain}


def plies_of(line: Line) -> list[dict[str, Any]]:
    """The rows of a line, each with its position in words, what its other moves give, and the move or the draw that led to it."""
    game: Rules[Any] = line[0].game
    rows: list[dict[str, Any]] = []
    last, step = None, ""
    explained = line.explained
    for number, row in enumerate(explained):
        probe = line[number] if number < len(line) else None
        asked = game.parse(row["position"]) if probe is None else probe.asked
        over = words.ending(game, asked) if probe is None or probe.step is None else None
        said = over or (words.verdict(probe) if probe else "The game is over")
        rows.append({**row, "last": last, "step": step, "said": said, "why": explained.sentences[number]})
        last = row["best"]
        # The pictures of a board show who moves.
        made = last if not last or "squares" in game.can else words.happened(game, asked, last, drawn=bool(probe and probe.draws))
        step = (made or "") + ONLY * bool(row["is_only"])
    return rows
