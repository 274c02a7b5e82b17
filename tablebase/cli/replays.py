"""Games that `match --output` has written, shown ply by ply: what `line --replay` does."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tablebase.cli.options import Format
from tablebase.errors import MissingTableError, RulesError, TablebaseError
from tablebase.files.inputs import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tablebase.game import Game
    from tablebase.game.moves import Position
    from tablebase.game.stochastic import StochasticGame
    from tablebase.play.game_texts import GameText
    from tablebase.probe.prober import Prober


def replay(
    rules: Game | StochasticGame, path: Path, number: int, folder: Path, plies: int | None, *, boards: bool, style: Format
) -> None:
    """Show the positions of a game with the moves that were made, and what the tables say where there are any."""
    from contextlib import ExitStack, closing

    from tablebase.cli.output import say, write_rows
    from tablebase.game import Game
    from tablebase.play.game_texts import replayed
    from tablebase.probe.prober import Prober

    if not isinstance(rules, Game):
        raise RulesError(f"{rules.name} has no pieces on squares, and its games are not written: leave out --replay")
    text = _read(path, number)
    positions = replayed(rules, text)
    last = len(positions) if plies is None else min(plies + 1, len(positions))
    with ExitStack() as stack:
        prober = stack.enter_context(closing(Prober(folder))) if folder.exists() else None
        rows = [_row(rules, text, positions, ply, prober) for ply in range(last)]
    if boards and style is Format.TABLE:
        _write_boards(rules, text, positions[:last])
    else:
        write_rows(rows, style)
    say(f"game {text.number}, {text.players[0]} against {text.players[1]}: {text.why}")


def _read(path: Path, number: int) -> GameText:
    """The game of this number in a file."""
    from tablebase.play.game_texts import read_games

    content = read_text(path, "name the file that match --output has written")
    numbers = []
    for text in read_games(content):
        if text.number == number:
            return text
        numbers.append(text.number)
    raise TablebaseError(f"{path} has no game {number}: it has {len(numbers)} games")


def _row(game: Game, text: GameText, positions: Sequence[Position], ply: int, prober: Prober | None) -> dict[str, Any]:
    """A ply of a game, with the move that follows it."""
    from tablebase.game.notation import render
    from tablebase.game.values import fields_of

    position = positions[ply]
    move = text.moves[ply] if ply < len(text.moves) else None
    answer = None
    # The last position may be none of a table, with a piece on a goal or without pieces of a side.
    if prober is not None and ply < len(text.moves):
        with suppress(MissingTableError):
            answer = prober.probe(game, position)
    return {
        "ply": ply,
        "side": game.sides[position.side].letter,
        "move": move,
        **fields_of(None if answer is None else answer.value),
        "best": None if answer is None else answer.best,
        "position": render(game, position),
    }


def _write_boards(game: Game, text: GameText, positions: Sequence[Position]) -> None:
    """Draw the board after every move."""
    from tablebase.cli.output import write_board

    for ply, position in enumerate(positions):
        made = text.moves[ply - 1] if ply else None
        sys.stdout.write(f"\n{ply}. {made}\n\n" if ply else f"{text.start}\n\n")
        write_board(game, position, made)
