"""A game as plain immutable data, and the vocabulary in which a rules module describes it.

`tablebase.game.moves` plays by a `Game`, `tablebase.positions.indexing` numbers its positions, and solvers compile it to arrays.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game.capabilities import part
from tablebase.game.features import Feature
from tablebase.game.moves import GOAL, Position, decided, has_escaped, legal_moves, played, won_before
from tablebase.game.notation import LOST, board_picture, check_in_play, check_placement, read, read_move, render, render_move
from tablebase.game.rules import OVER, Ending, Rules
from tablebase.game.types import Board, Escape, Evaluation, Kind, Outcome, Side, Step, Terrain
from tablebase.game.validation import errors
from tablebase.game.values import EXACT

_BETWEEN = re.compile("[-x: ]")
_MOVE = re.compile("[a-z][0-9]{1,2}[a-z][0-9]{1,2}")


@dataclass(frozen=True)
class Game(Rules[Position]):
    """A game with pieces on squares, defined by data instead of functions.

    A side that has no pieces on its turn has lost.

    Parameters
    ----------
    name : str
        Name of the game, used on the command line and for the folder of its tables.
    title : str
        Name of the game as shown to users.
    board : Board
        Squares of the board.
    sides : tuple of Side
        The two sides; side 0 comes first in the names of materials.
    kinds : tuple of Kind
        Kinds of pieces of both sides, side 0 first; the kind number of a piece is an index into this tuple.
    start : str
        The initial position as text.
    no_move : Outcome
        Outcome for a side to move that has no legal move, either a draw (stalemate) or a loss.
    max_pieces : int
        Number of pieces in the initial position; no table has more pieces.
    mirror : tuple of int, optional
        Mirror image of each square, if reflection is a symmetry of the rules.
    swap : tuple of int, optional
        Image of each square under an exchange of colours, if this exchange is a symmetry of the rules. Each kind of piece is
        replaced by its twin, the enemy kind with the same letter in the opposite case.
    escape : Escape, optional
        Rule by which one side wins when its piece escapes from the enemy pieces.
    features : tuple of Feature
        Computed properties of positions, for SQL queries and pattern searches.
    terrain : tuple of Terrain
        Terrain that is shown on squares; the rules do not depend on terrain.
    evaluation : Evaluation, optional
        Evaluation for the search engine; by default, material and mobility. Tables do not depend on the evaluation.
    """

    name: str
    title: str
    board: Board
    sides: tuple[Side, Side]
    kinds: tuple[Kind, ...]
    start: str
    no_move: Outcome
    max_pieces: int
    mirror: tuple[int, ...] | None = None
    swap: tuple[int, ...] | None = None
    escape: Escape | None = None
    features: tuple[Feature, ...] = ()
    terrain: tuple[Terrain, ...] = ()
    evaluation: Evaluation | None = None

    players = 2
    can = frozenset(
        {"counting", "exact values", "game graphs", "learning", "materials", "paired matches", "patterns", "search", "squares"}
    )
    parts: ClassVar[Mapping[str, str]] = {
        "tables": "tablebase.building.slice_kind:SliceTables",
        "values": "tablebase.probe.from_slices:SliceSource",
        "checks": "tablebase.testing.suite:CHECKS",
        "counts": "tablebase.graph.counting:count",
        "lines": "tablebase.search.perft:LINES",
        "picture": "tablebase.svg.pictures:on_squares",
        "svg": "tablebase.svg.pictures:board",
        "terminal": "tablebase.commands.output:write_board",
        "page": "tablebase.web.pages.pictures:on_squares",
    }
    value_fields = EXACT
    repetitions = 3
    most_turns_each = None

    def __post_init__(self) -> None:
        # No solver could work with it.
        for error in errors(self):
            raise RulesError(f"{self.name}: {error}")

    def legend(self) -> str:
        """Return an explanation of the symbols for empty squares, or an empty string."""
        return ", ".join(f"{one.symbol} {one.name}" for one in self.terrain)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        # All that it holds would fill a book.
        return f"Game({self.name!r})"

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.digest))

    @cached_property
    def by_symbol(self) -> Mapping[str, int]:
        """Dict from the symbol of a piece to its kind number."""
        return {kind.symbol: number for number, kind in enumerate(self.kinds)}

    @cached_property
    def twins(self) -> tuple[int, ...]:
        """For each kind, the number of the enemy kind that replaces it in an exchange of colours; only for games with `swap`."""
        return tuple(self.by_symbol[kind.symbol.swapcase()] for kind in self.kinds)

    def side_of(self, kind: int) -> int:
        """Return the side that owns the pieces with this kind number."""
        return self.kinds[kind].side

    @property
    def runner_side(self) -> int | None:
        """The side that can win by an escape; None if the game has no escape rule."""
        return None if self.escape is None else self.side_of(self.by_symbol[self.escape.runner])

    def renamed(self, name: str) -> Game:
        """Return a copy of the game with a different name and therefore a different digest."""
        return replace(self, name=name)

    @property
    def initial(self) -> Position:
        """The initial position."""
        return self.parse(self.start)

    def parse(self, text: str) -> Position:
        """Parse a position, even if it cannot occur in a game; set `Position.won` if a piece is on a winning square."""
        return self._marked(read(self, text))

    def given(self, position: Any) -> Position:
        """Check a `Position` and return it, with `won` set after a winning move; raise `NotationError` for invalid squares."""
        if not isinstance(position, Position):
            return super().given(position)
        check_placement(self, position)
        return position if position.won else self._marked(position)

    def _marked(self, position: Position) -> Position:
        won = won_before(self, position)
        return position._replace(won=won) if won else position

    def format(self, position: Position) -> str:
        """Return a position as text, which consists of the rows of the board and the side to move, as in `start`."""
        return render(self, position)

    def check(self, position: Position) -> None:
        """Raise `NotationError` if a position cannot occur in a game, either during play or after a winning move."""
        if position.won and won_before(self, position):
            return
        check_in_play(self, position)
        movers = [(self.kinds[kind], square) for kind, square in position.pieces if self.side_of(kind) != position.side]
        if position.won and not any(step.wins and step.target == square for kind, square in movers for step in kind.steps):
            winner = self.sides[1 - position.side].name
            raise NotationError(f"{winner} has not won (no piece on a winning square): remove {LOST!r} from the position")

    def to_move(self, position: Position) -> int:
        """Return the side to move, 0 or 1, or `OVER` if the game is over."""
        return position.side if self.result(position) is None else OVER

    def viewer(self, position: Position) -> int:
        """Return the side to move, even if the game is over; by default, values are given from the point of view of this side."""
        return position.side

    def side(self, position: Position) -> str:
        """Return the letter of the side to move, even if the game is over."""
        return self.sides[position.side].letter

    def moves(self, position: Position) -> dict[str, Position]:
        """Return a dict from the text of each legal move to the next position; among equal texts, a winning move is kept."""
        after: dict[str, Position] = {}
        for move in [] if position.won else legal_moves(self, position):
            child, text = played(self, position, move), render_move(self, move)
            if child.won or text not in after:
                after[text] = child
        return dict(sorted(after.items()))

    def move_text(self, position: Position, move: str) -> str:
        """Describe a move by the names of the moving piece and any captured piece, as in ``rat takes elephant``."""
        origin, target = read_move(self, move)
        names = {square: self.kinds[kind].name for kind, square in position.pieces}
        return f"{names[origin]} takes {names[target]}" if target in names else names[origin]

    def words(self, position: Position, move: str) -> str:  # noqa: ARG002
        """Return the text of a move without a description, because the board shows which piece moves."""
        return move

    def made_by(self, position: Position, move: str) -> list[str]:
        """Return properties of a move, such as ``capture`` or the name of the terrain that the piece enters."""
        origin, target = read_move(self, move)
        entered = [one.name for one in self.terrain if target in one.squares and origin not in one.squares]
        return [*(["capture"] if any(square == target for _, square in position.pieces) else []), *entered]

    def svg(self, position: Position) -> str:
        """Return a picture of the board as SVG text."""
        return str(part(self, "svg")(self, position))

    def drawn(self, position: Position) -> str:
        """Return the board as text, without colours."""
        return board_picture(self, position)

    def read_move(self, word: str) -> str:
        """Return the standard text of a move that a user has typed, such as ``a1a2`` for ``a1-a2``."""
        move = _BETWEEN.sub("", word)
        if not _MOVE.fullmatch(move):
            raise NotationError(f"{quoted(word)} is not a move: write the start and end squares of the move, as in a1a2")
        return move

    def result(self, position: Position) -> Ending | None:
        """Return the ending of the game, or None if the game is not over; repetitions are not considered."""
        to_move = self.sides[position.side].name
        if position.won:
            away = [(self.kinds[kind].name, square) for kind, square in position.pieces if square not in self.kinds[kind].homes]
            said = f"{to_move} has no pieces left"
            if position.won == GOAL:
                said = f"{self.sides[1 - position.side].name} has won with the last move"
                said = f"the {away[0][0]} has reached {self.board.names[away[0][1]]}" if away else said
            return Ending.of_two(1 - position.side, position.won, said)
        outcome = decided(self, position)
        if outcome is None:
            return None
        winner = {Outcome.WIN: position.side, Outcome.LOSS: 1 - position.side}.get(outcome)
        # Having no legal move comes first in the rules, so an escape is the reason only if the runner has won.
        if self.escape is not None and winner == self.runner_side and has_escaped(self, position):
            return Ending.of_two(winner, "escaped", f"the {self.kinds[self.by_symbol[self.escape.runner]].name} has escaped")
        return Ending.of_two(winner, "no move", f"{to_move} has no legal move")

    @cached_property
    def digest(self) -> str:
        """Hexadecimal SHA-256 digest of all rules that determine the contents of tables."""
        # As JSON data, without what does not affect a table, such as titles, features and the start.
        rules: dict[str, object] = {
            "cells": self.board.cells,
            "kinds": [
                [kind.symbol, kind.side, kind.limit, kind.squares, sorted(map(_step_key, kind.steps))] for kind in self.kinds
            ],
            "mirror": self.mirror,
            "name": self.name,
            "no_move": self.no_move,
            "sides": [side.letter for side in self.sides],
            "swap": self.swap,
        }
        # Omitted where unused, so that the digests of games without tiers or escapes do not depend on them.
        if any(kind.tiered for kind in self.kinds):
            rules["tiered"] = "".join(kind.symbol for kind in self.kinds if kind.tiered)
        if self.escape is not None:
            zones = {
                symbol: sorted((square, sorted(zone)) for square, zone in of.items()) for symbol, of in self.escape.guarded.items()
            }
            rules["escape"] = self.escape.runner, sorted(zones.items()), self.escape.room, sorted(self.escape.to_move)
        text = json.dumps(rules, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _step_key(step: Step) -> tuple[int, int, list[int], bool, str, bool]:
    victims = "".join(sorted(step.victims))
    return step.origin, step.target, sorted(step.empty), step.quiet, victims, step.wins
