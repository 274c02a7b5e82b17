"""Proofs as data: which move wins where, and which rules or tables the proof ends with.

A proof names, for each position that can come up, why the attacker wins there:

- ``move``: the attacker is to move, and this move leads to a position of the proof, or wins at once;
- ``replies``: the other side is to move, and each of its moves leads to a position of the proof;
- ``over``: the game is over, and the attacker has won;
- ``table``: the table of the position says so.

Each position has a *rank*, and moves lead to lower ranks only; so nothing is proved by going round in a circle. As text, a
proof is JSON, an object a line: the first one says what is proved, and each following one is a position.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import render, render_move
from tablebase.search.proof_search import ProofSearch


class ProofReason(StrEnum):
    """Reason why the attacker wins in a position of a proof."""

    MOVE = "move"
    REPLIES = "replies"
    OVER = "over"
    TABLE = "table"


@dataclass(frozen=True)
class ProofNode:
    """A position of a proof."""

    position: Position
    rank: int  # larger than those of the positions that it leads to
    reason: ProofReason
    # The attacker's move, or all replies; without a position where the move wins at once.
    moves: tuple[tuple[str, Position | None], ...] = ()


@dataclass(frozen=True)
class Proof:
    """A proof that a position is won or lost."""

    game: Game
    position: Position
    outcome: Outcome  # for the side to move
    nodes: dict[Position, ProofNode]

    @property
    def size(self) -> int:
        """Number of positions."""
        return len(self.nodes)

    def line(self) -> tuple[tuple[str, ...], Position]:
        """The moves of its longest line, and the position before a move that wins at once, or at the end."""
        longest = self._lengths()
        position, moves = self.position, []
        while (node := self.nodes[position]).moves:
            text, child = max(node.moves, key=lambda move: -1 if move[1] is None else longest[move[1]])
            moves.append(text)
            if child is None:
                break
            position = child
        return tuple(moves), position

    def plies(self) -> int:
        """The length of its longest line."""
        return self._lengths()[self.position]

    def _lengths(self) -> dict[Position, int]:
        longest: dict[Position, int] = {}
        for node in sorted(self.nodes.values(), key=lambda node: node.rank):
            longest[node.position] = max((1 + (0 if child is None else longest[child]) for _, child in node.moves), default=0)
        return longest

    def text(self) -> Iterator[str]:
        """The lines of its text."""
        game = self.game
        head = {"game": game.name, "rules": game.digest, "position": render(game, self.position), "outcome": str(self.outcome)}
        yield json.dumps(head | {"positions": self.size})
        for node in sorted(self.nodes.values(), key=lambda node: -node.rank):
            row = {"position": render(game, node.position), "rank": node.rank, "reason": str(node.reason)}
            yield json.dumps(row | ({"move": node.moves[0][0]} if node.reason is ProofReason.MOVE else {}))


def extract(search: ProofSearch, position: Position, outcome: Outcome) -> Proof:
    """The proof that a search, the attacker's, has found of a position."""
    nodes: dict[Position, ProofNode] = {}
    waiting = [position]
    while waiting:
        here = waiting.pop()
        if here not in nodes:
            rank, replies, attacks = search.rank(here), search.expand(here), here.side == search.attacker
            if rank == 0 and not (attacks and any(child.position is None for child in replies)):
                nodes[here] = ProofNode(here, rank, ProofReason.TABLE if replies else ProofReason.OVER)
                continue
            chosen = (search.winning(here),) if attacks else replies
            moves = tuple((render_move(search.game, child.move), child.position) for child in chosen)
            nodes[here] = ProofNode(here, rank, ProofReason.MOVE if attacks else ProofReason.REPLIES, moves)
            waiting += [child for _, child in moves if child is not None]
    return Proof(search.game, position, outcome, nodes)
