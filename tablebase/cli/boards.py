"""Boards on a terminal, in colours if it has any."""

from __future__ import annotations

import sys

from tablebase.cli.output import UNLIMITED
from tablebase.game import Game
from tablebase.game.moves import Move, Position
from tablebase.game.notation import RANK_WIDTH, board_picture

SIDES = ("bold cyan", "bold red")
TERRAIN = ("blue", "yellow", "magenta", "green")
LAST_MOVE = "bold green"


def write_board(game: Game, position: Position, last: Move | None = None, *, over: bool = False) -> None:
    """Draw a position with text.

    Parameters
    ----------
    game : Game
    position : Position
    last : Move, optional
        The move that led to it, whose squares are marked.
    over : bool
        Whether the game is over, so that no side is to move.
    """
    from rich.console import Console
    from rich.text import Text

    lines = board_picture(game, position, last).splitlines()[: -1 if over else None]
    styles = dict(zip((one.symbol for one in game.terrain), TERRAIN, strict=False))
    styles |= {kind.symbol: SIDES[kind.side] for kind in game.kinds} | dict.fromkeys("[]", LAST_MOVE)
    text = Text()
    for line in lines[: game.board.height]:
        text.append(line[: RANK_WIDTH - 1])
        for character in line[RANK_WIDTH - 1 :]:
            text.append(character, styles.get(character))
        text.append("\n")
    text.append("\n".join(lines[game.board.height :]))
    # Without a terminal, and where NO_COLOR is set, this writes no colours.
    Console(file=sys.stdout, width=UNLIMITED, highlight=False).print(text)


def legend(game: Game) -> str:
    """What the symbols of empty squares stand for; empty if there is nothing to explain."""
    return ", ".join(f"{one.symbol} {one.name}" for one in game.terrain)
