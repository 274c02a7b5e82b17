"""Positions of games of every kind, drawn for a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tablebase.cli.output import legend, write_board
from tablebase.game.moves import legal_moves
from tablebase.game.notation import render_move
from tablebase.play.player import pieces_of

if TYPE_CHECKING:
    from tablebase.game.rules import Rules
    from tablebase.play.match import Match


def write_position(match: Match[Any]) -> None:
    """Draw the position of a match: the board with the last move, or one line of text where there is no board."""
    game = pieces_of(match.rules)
    if game is None:
        sys.stdout.write(f"{match.rules.format(match.position)}\n")
        return
    last = None
    if match.events:
        made = match.events[-1].text
        last = next(move for move in legal_moves(game, match.positions[-2]) if render_move(game, move) == made)
    write_board(game, match.position, last, over=match.ending() is not None)


def legend_of(rules: Rules[Any]) -> str:
    """What the symbols of empty squares stand for; empty if there is nothing to explain."""
    game = pieces_of(rules)
    return "" if game is None else legend(game)
