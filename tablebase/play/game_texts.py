"""Games as text: who played, from which position, all moves, and how it ended.

The form is that of PGN (S. Edwards, *Portable Game Notation Specification and Implementation Guide*, 1994), with moves as they
are written everywhere here and without their numbers::

    [Game "doushouqi"]
    [Round "1"]
    [White "engine:level=3"]
    [Black "engine:level=5"]
    [Start "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w"]
    [Opening "4"]
    [Result "0-1"]
    [Termination "Black wins: goal"]

    a1a2 g9g8 …
    0-1

The first player is the one of side 0; `Opening` counts the plies that were chosen at random.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.game.notation import parse, render_move, whole_number

RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
"""How a game that a side has won, or nobody, ends in text."""
WIDTH = 100
"""Characters of a line of moves."""
_TAG = re.compile(r'\[(\w+) ("(?:[^"\\]|\\.)*")\]')


@dataclass(frozen=True)
class GameText:
    """A game that was played."""

    game: str  # the full name
    number: int  # in its match, from 1
    players: tuple[str, str]  # of side 0 and of side 1
    start: str  # the position that it began with
    opening: int  # plies from there on that were chosen at random
    moves: tuple[str, ...]
    winner: int | None  # the side that has won; None for a draw
    why: str  # how it ended, in words


def write_game(text: GameText) -> str:
    """A game as text, with an empty line at its end.

    Examples
    --------
    >>> one = GameText("hexapawn", 1, ("tables", "engine"), "3/P1p/3 w", 0, ("a2a3",), 0, "White wins: goal")
    >>> [read_back] = read_games(write_game(one))
    >>> read_back == one
    True
    """
    tags = {
        "Game": text.game,
        "Round": text.number,
        "White": text.players[0],
        "Black": text.players[1],
        "Start": text.start,
        "Opening": text.opening,
        "Result": RESULTS[text.winner],
        "Termination": text.why,
    }
    lines = [f"[{name} {json.dumps(str(value), ensure_ascii=False)}]" for name, value in tags.items()]
    return "\n".join([*lines, "", *wrap(" ".join(text.moves), WIDTH), RESULTS[text.winner], "", ""])


def read_games(text: str) -> Iterator[GameText]:
    """All games of a text; `NotationError` if it is not such a text."""
    tags: dict[str, str] = {}
    moves: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if found := _TAG.fullmatch(line.strip()):
            try:
                tags[found[1]] = str(json.loads(found[2]))
            except ValueError:
                raise NotationError(f"line {number}, {quoted(line)}, is not a tag: write a name and a text in quotes") from None
            continue
        words = line.split()
        if words and words[-1] in RESULTS.values():
            yield _game(tags, [*moves, *words[:-1]], words[-1], number)
            tags, moves = {}, []
        else:
            moves += words
    if tags or moves:
        raise NotationError("the last game has no result: end its moves with 1-0, 0-1 or 1/2-1/2")


def _game(tags: dict[str, str], moves: list[str], result: str, line: int) -> GameText:
    """A game whose last line is this one."""
    needed = ("Game", "Round", "White", "Black", "Start", "Opening", "Result", "Termination")
    for name in needed:
        if name not in tags:
            raise NotationError(f"the game that ends in line {line} has no tag {name}")
    number, opening = whole_number(tags["Round"]), whole_number(tags["Opening"])
    if number is None or opening is None or tags["Result"] != result:
        raise NotationError(f"the tags Round, Opening and Result of the game that ends in line {line} do not fit its moves")
    winner = next(side for side, text in RESULTS.items() if text == result)
    players = tags["White"], tags["Black"]
    return GameText(tags["Game"], number, players, tags["Start"], opening, tuple(moves), winner, tags["Termination"])


def replayed(game: Game, text: GameText) -> list[Position]:
    """The positions of a game, the first one included; in the last one it may be over.

    `TablebaseError` if it is a game of other rules, or one of its moves is not legal.
    """
    if text.game != game.name:
        raise TablebaseError(f"game {text.number} is one of {text.game}, not of {game.name}: name that game")
    positions, over = [parse(game, text.start)], False
    for number, word in enumerate(text.moves, start=1):
        legal = {} if over else {render_move(game, move): move for move in legal_moves(game, positions[-1])}
        if word not in legal:
            raise NotationError(f"move {number} of game {text.number}, {quoted(word)}, is not legal")
        over = wins_at_once(game, positions[-1], legal[word])
        positions.append(play(positions[-1], legal[word]))
    return positions
