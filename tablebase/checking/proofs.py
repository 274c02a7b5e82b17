"""Check proofs that `prove` has written, position by position.

This uses the rules, their moves, and the tables that a proof ends with; nothing of the search that has found the proof.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tablebase.errors import TablebaseError
from tablebase.game import Outcome
from tablebase.game.installed import load_game
from tablebase.game.moves import Move, Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import read, render_move
from tablebase.probe.prober import Prober

HEAD = {"game": str, "rules": str, "position": str, "outcome": str, "positions": int}
NODE = {"position": str, "rank": int, "reason": str}


def read_proof(text: str) -> list[dict[str, Any]]:
    """The objects of a proof, one a line: what is proved, then the positions. Raises `TablebaseError` if it is no such text."""
    try:
        rows = [json.loads(line) for line in text.splitlines()]
    except (ValueError, RecursionError) as error:
        raise TablebaseError("a line is not valid JSON") from error
    if not rows:
        raise TablebaseError("the file is empty")
    for row, fields in zip(rows, [HEAD, *[NODE] * (len(rows) - 1)], strict=True):
        if not isinstance(row, dict) or not all(type(row.get(name)) is kind for name, kind in fields.items()):
            raise TablebaseError(f"each line needs the fields {', '.join(fields)}")
    return rows


def proof_errors(rows: Sequence[dict[str, Any]], prober: Prober | None) -> Iterator[str]:
    """Yield errors of a proof, a sentence each; nothing if it holds. Without a prober, no table can be part of it."""
    head, *nodes = rows
    check = _ProofCheck(head, nodes, prober)
    if head["rules"] != check.game.digest:
        yield "the proof was made with different rules of the game"
        return
    if check.root not in check.nodes or head["outcome"] not in (Outcome.WIN, Outcome.LOSS):
        yield "the first position is not proved"
    if len(check.nodes) != len(nodes) or len(nodes) != head["positions"]:
        yield "some positions are missing or repeated"
    for position, node in check.nodes.items():
        error = check.error(position)
        if error is not None:
            yield f"{node['position']}: {error}"


class _ProofCheck:
    def __init__(self, head: dict[str, Any], nodes: list[dict[str, Any]], prober: Prober | None) -> None:
        self.game = load_game(head["game"])
        self.root = read(self.game, head["position"])
        self.nodes = {read(self.game, node["position"]): node for node in nodes}
        self._winner = self.root.side if head["outcome"] == Outcome.WIN else 1 - self.root.side
        self._prober = prober

    def error(self, position: Position) -> str | None:
        """Return an error of a position of the proof; None without one."""
        node = self.nodes[position]
        moves = {render_move(self.game, move): move for move in legal_moves(self.game, position)}
        wanted = Outcome.WIN if position.side == self._winner else Outcome.LOSS
        if node["reason"] == "over":
            return None if not moves and decided(self.game, position) is wanted else "the game has not ended as claimed"
        if node["reason"] == "table":
            return self._error_of_table(position, wanted)
        if (position.side == self._winner) != (node["reason"] == "move"):
            return "the wrong side is to move"
        if position.side == self._winner:
            move = moves.get(str(node.get("move")))
            return f"the move {node.get('move')} is not legal" if move is None else self._error_of_move(position, move)
        if not moves:
            return "the opponent has no legal move"
        return next((error for move in moves.values() if (error := self._error_of_move(position, move))), None)

    def _error_of_table(self, position: Position, wanted: Outcome) -> str | None:
        if position == self.root or self._prober is None:
            return "the position cannot be proved by a table"
        try:
            return None if self._prober.slices(self.game).look_up(position).outcome is wanted else "the table has a different value"
        except TablebaseError as error:
            return str(error)

    def _error_of_move(self, position: Position, move: Move) -> str | None:
        text = render_move(self.game, move)
        if wins_at_once(self.game, position, move):
            return None if position.side == self._winner else f"the reply {text} wins"
        child = self.nodes.get(play(position, move))
        if child is None:
            return f"the move {text} leads to a position outside the proof"
        return None if child["rank"] < self.nodes[position]["rank"] else f"the rank does not decrease after the move {text}"
