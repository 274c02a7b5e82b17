"""Check proofs that `tablebase prove --output FILE` has written, position by position.

Of the package, this uses the rules, their moves, and the tables that a proof ends with; nothing of the search that has found
the proof. For each position it looks whether the moves exist that the proof names, whether all replies are there, whether
ranks fall along every move, and whether tables say what the proof says of them.

Examples
--------
::

    tablebase prove doushouqi "4e2/2w4/1E5/7/7/7/4L1R/7/1D5 w" --output proof.jsonl
    python scripts/check_proof.py proof.jsonl --data data
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError
from tablebase.files.inputs import read_text
from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import read, render_move
from tablebase.game.registry import load_game
from tablebase.probe.prober import Prober


def faults(lines: list[str], prober: Prober | None) -> Iterator[str]:
    """What is wrong with a proof, a sentence each; nothing if it is one."""
    head, *rows = map(json.loads, lines)
    game = load_game(head["game"])
    if head["rules"] != game.digest:
        yield "it was made under other rules"
        return
    root = read(game, head["position"])
    winner = root.side if head["outcome"] == Outcome.WIN else 1 - root.side
    nodes = {read(game, row["position"]): row for row in rows}
    if root not in nodes or head["outcome"] not in (Outcome.WIN, Outcome.LOSS):
        yield "it does not prove its first position"
    if len(nodes) != len(rows) or len(rows) != head["positions"]:
        yield "positions are missing, or there twice"
    for position, row in nodes.items():
        fault = _fault(game, position, row, nodes, winner, root, prober)
        if fault is not None:
            yield f"{row['position']}: {fault}"


def _fault(
    game: Game,
    position: Position,
    row: dict[str, Any],
    nodes: dict[Position, dict[str, Any]],
    winner: int,
    root: Position,
    prober: Prober | None,
) -> str | None:
    """What is wrong with a position of a proof; None if nothing is."""
    moves = {render_move(game, move): move for move in legal_moves(game, position)}
    wanted = Outcome.WIN if position.side == winner else Outcome.LOSS
    if row["reason"] == "over":
        return None if not moves and decided(game, position) is wanted else "the game is not won there"
    if row["reason"] == "table":
        if position == root or prober is None:
            return "there is no table to ask"
        try:
            return None if prober.value(game, position).outcome is wanted else "the table says something else"
        except TablebaseError as error:
            return str(error)
    if (position.side == winner) != (row["reason"] == "move"):
        return "the wrong side is to move"
    if position.side == winner:
        if row["move"] not in moves:
            return f"there is no move {row['move']}"
        return _leads_down(game, position, moves[row["move"]], row, nodes, winning=True)
    if not moves:
        return "there is no reply"
    return next((fault for move in moves.values() if (fault := _leads_down(game, position, move, row, nodes, winning=False))), None)


def _leads_down(
    game: Game, position: Position, move: Move, row: dict[str, Any], nodes: dict[Position, dict[str, Any]], *, winning: bool
) -> str | None:
    """What is wrong with a move of a proof, by the winner or by the other side."""
    text = render_move(game, move)
    if wins_at_once(game, position, move):
        return None if winning else f"the reply {text} wins"
    child = nodes.get(play(position, move))
    if child is None:
        return f"{text} leads out of the proof"
    return None if child["rank"] < row["rank"] else f"{text} leads to a rank that is not lower"


def main() -> None:
    """Check files, and exit with 1 if one of them is no proof."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    given = parser.parse_args()
    prober = Prober(given.data) if given.data.exists() else None
    wrong = 0
    for path in given.files:
        lines = read_text(path, "name a proof").splitlines()
        head, found = json.loads(lines[0]), list(faults(lines, prober))
        wrong += bool(found)
        verdict = found[0] if found else f"{head['outcome']} of {head['position']}, {head['positions']:,} positions checked"
        print(f"{path}: {verdict}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
