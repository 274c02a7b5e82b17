"""The picture of a board: what `tablebase.svg.board` draws."""

from __future__ import annotations

from collections.abc import Sequence

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.game_arguments import as_game, as_placement
from tablebase.game.moves import Position
from tablebase.svg import ground, marks, tokens
from tablebase.svg.markup import Svg, element, picture
from tablebase.svg.themes import Theme, as_theme

SIZES = (16, 10_000)
"""The least and the greatest size of a picture, in pixels."""


def board(
    game: str | Game,
    position: str | Position,
    *,
    last_move: marks.AnyMove | None = None,
    arrows: Sequence[marks.AnyArrow] = (),
    size: int = 400,
    theme: str | Theme = "light",
) -> Svg:
    """A position as a picture.

    Parameters
    ----------
    game : str or Game
    position : str or Position
        Of a game that goes on or is over.
    last_move : str, Move or pair of str, optional
        The move that led to it, whose squares are framed: ``a1a2``, or the names of two squares.
    arrows : sequence
        Moves in the same forms, or pairs of such a move and a colour: ``green`` (by default), ``red``, ``blue`` or
        ``orange``. A move need not be legal.
    size : int
        The longer side of the picture, in pixels.
    theme : str or Theme
        ``light``, ``dark``, ``mono`` (black, white and grey), or colours of your own.

    Returns
    -------
    Svg
        A text, the same for the same arguments.

    Raises
    ------
    NotationError
        If the text is not a position of the game, or one of the moves is none.
    RulesError
        If there is no such game, or it has no pieces on squares.
    TablebaseError
        If there is no such size, theme or colour.

    Examples
    --------
    >>> board("hexapawn", "ppp/3/PPP w", arrows=["a1a2", ("b1b2", "red")])[:35]
    '<svg viewBox="0 0 356 356" width="4'
    """
    rules = as_game(game)
    placement, colours = as_placement(rules, position), as_theme(theme)
    if not isinstance(size, int) or not SIZES[0] <= size <= SIZES[1]:
        raise TablebaseError(f"the size of a picture is a number of pixels from {SIZES[0]} to {SIZES[1]}, not {size!r}")
    grid = ground.Grid(rules.board)
    ends = None if last_move is None else marks.as_ends(rules, last_move)
    chosen = marks.as_arrows(rules, arrows)
    scale = size / max(grid.width, grid.height)
    definitions = [*ground.definitions(rules), *tokens.definitions(rules, placement, colours)]
    root = element(
        "svg",
        element("title", text=f"{rules.title}: {rules.sides[placement.side].name} to move"),
        element("desc", text=in_words(rules, placement, ends, chosen)),
        element("defs", *definitions),
        element("rect", width=grid.width, height=grid.height, fill=colours.page.fill),
        *ground.squares(rules, grid, colours),
        ground.names(grid, colours),
        tokens.side_to_move(rules, placement, grid, colours),
        *([] if ends is None else [marks.frames(ends, grid, colours)]),
        *tokens.pieces(rules, placement, grid),
        *(marks.drawn_arrow(arrow, grid, colours) for arrow in chosen),
        viewBox=f"0 0 {grid.width} {grid.height}",
        width=grid.width * scale,
        height=grid.height * scale,
        role="img",
    )
    return picture(root)


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
