"""The picture of a position: what `tablebase.svg.board` draws, a board of squares, or what the rules or their pictures draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from tablebase.errors import ArgumentError, RulesError
from tablebase.game import Game
from tablebase.game.capabilities import refuse
from tablebase.game.game_arguments import AnyGame, as_any_game
from tablebase.game.moves import Position
from tablebase.game.rules import Rules
from tablebase.svg import ground, marks, tokens
from tablebase.svg.foreign import box_of, read_picture
from tablebase.svg.markup import Svg, framed, picture
from tablebase.svg.themes import Theme, as_theme

INK = "currentColor"
"""The colour that follows the theme in pictures by rules."""
SIZES = (16, 10_000)
"""The least and the greatest size of a picture, in pixels."""


def board(
    game: AnyGame,
    position: Any,
    *,
    last_move: marks.AnyMove | None = None,
    arrows: Sequence[marks.AnyArrow] = (),
    size: int = 400,
    theme: str | Theme = "light",
) -> Svg:
    """Draw a position.

    Parameters
    ----------
    game : str or Rules
        Name of the game, or the game itself.
    position : str or position of the game
        Position to draw; the game may be over.
    last_move : str, Move or pair of str, optional
        Last move, as text such as ``a1a2`` or as the names of two squares; its squares are framed.
    arrows : sequence
        Moves to draw as arrows, in the formats of `last_move`, or pairs of a move and a colour. The colours are ``green`` (the
        default), ``red``, ``blue`` and ``orange``. The moves do not have to be legal. Games without squares support neither
        `last_move` nor `arrows`.
    size : int
        Length of the longer side of the picture, in pixels.
    theme : str or Theme
        Colour theme ``light``, ``dark`` or ``mono`` (black, white and grey), or custom colours. Games that override the method
        ``svg`` ignore the theme.

    Returns
    -------
    Svg
        The picture as SVG text; equal arguments produce identical text.

    Raises
    ------
    NotationError
        If the position or a move is invalid.
    RulesError
        If the game is unknown or has no pictures.
    TablebaseError
        If the size, the theme or a colour is invalid.

    Examples
    --------
    >>> board("hexapawn", "ppp/3/PPP w", arrows=["a1b2"])[:35]
    '<svg viewBox="0 0 356 356" width="4'
    """
    rules = as_any_game(game)
    as_theme(theme)
    if not isinstance(size, int) or not SIZES[0] <= size <= SIZES[1]:
        raise ArgumentError(f"the size of a picture must be a number of pixels from {SIZES[0]} to {SIZES[1]}, not {size!r}")
    placed = rules.parse(position) if isinstance(position, str) else rules.given(position)
    refuse(rules, "squares", last_move=last_move, arrows=arrows or None)
    root = rules.shown(placed, last_move, arrows, theme)
    _, _, width, height = box_of(root)
    scale = size / max(width, height)
    root.attrib |= {"width": f"{round(width * scale, 2):g}", "height": f"{round(height * scale, 2):g}"}
    return picture(root)


def moved(rules: Rules[Any], position: Any, last: str | None, best: str | None, **options: Any) -> Svg:
    """A position with the last move, and an arrow for the best one, where there are squares; options are those of `board`."""
    marked = {"last_move": last, "arrows": [best] if best else []} if "squares" in rules.can else {}
    return board(rules, position, **{**marked, **options})


def check_pictures(rules: Rules[Any], hint: str) -> None:
    """Raise `RulesError` unless there are pictures of a game's positions."""
    if not has_pictures(rules):
        raise _undrawn(rules, hint)


def _undrawn(rules: Rules[Any], hint: str) -> RulesError:
    return RulesError(f"{rules.name} does not support pictures: {hint}")


def has_pictures(rules: Rules[Any]) -> bool:
    """Return whether there are pictures of a game's positions."""
    return rules.svg(rules.initial) is not None


def of_rules(rules: Rules[Any], position: Any, _last: Any, _arrows: Any, theme: str | Theme) -> Element:
    """Draw with the module of pictures next to the rules, or with the rules in their own colours; nothing is marked."""
    drawn = rules.svg(position) if rules.pictures is None else rules.pictures.svg(rules, position, theme)
    if drawn is None:
        raise _undrawn(rules, "use text or JSON instead")
    root = read_picture(drawn)
    if rules.pictures is None:
        # That of lines with `INK`.
        root.attrib.setdefault("color", as_theme(theme).page.line)
    return root


def on_squares(
    rules: Game, placement: Position, last_move: marks.AnyMove | None, arrows: Sequence[marks.AnyArrow], theme: str | Theme
) -> Element:
    """The board of a game of pieces on squares."""
    colours = as_theme(theme)
    grid = ground.Grid(rules.board)
    ends = None if last_move is None else marks.as_ends(rules, last_move)
    chosen = marks.as_arrows(rules, arrows)
    definitions = [*ground.definitions(rules), *tokens.definitions(rules, placement, colours)]
    words = f"{rules.title}: {rules.sides[placement.side].name} to move", in_words(rules, placement, ends, chosen)
    parts = (
        *ground.squares(rules, grid, colours),
        ground.names(grid, colours),
        tokens.side_to_move(rules, placement, grid, colours),
        *([] if ends is None else [marks.frames(ends, grid, colours)]),
        *tokens.pieces(rules, placement, grid),
        *(marks.drawn_arrow(arrow, grid, colours) for arrow in chosen),
    )
    return framed(words, (grid.width, grid.height), colours.page.fill, definitions, parts, size=400)


def in_words(game: Game, position: Position, last_move: tuple[int, int] | None, arrows: Sequence[marks.Arrow]) -> str:
    """A picture as sentences: the pieces of each side, the last move, the arrows."""
    names, sentences = game.board.names, []
    for number, side in enumerate(game.sides):
        owned = [f"{game.kinds[kind].name} {names[square]}" for kind, square in position.pieces if game.side_of(kind) == number]
        sentences.append(f"{side.name}: {', '.join(owned) or 'no pieces'}.")
    if last_move is not None:
        sentences.append(f"Last move: {names[last_move[0]]}{names[last_move[1]]}.")
    if arrows:
        sentences.append(f"Arrows: {', '.join(marks.in_words(arrow, game.board.names) for arrow in arrows)}.")
    return " ".join(sentences)
