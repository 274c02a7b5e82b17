"""Proofs of many positions: compared with tables that are hidden from them, or of positions that no table holds.

`hidden` draws positions of three and four pieces at random, proves what it can with the tables of fewer pieces only, and
compares every result with the position's own table. `new` draws positions of more pieces, with as many on each side as
possible, until enough are decided by proofs of some size, and prints them. Both check each proof with `scripts/check_proof.py`.

Examples
--------
::

    python scripts/prove_positions.py hidden --count 1000 --data data
    python scripts/prove_positions.py new --count 12 --data data
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from check_proof import faults

from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import render
from tablebase.game.registry import load_game
from tablebase.probe.answers import in_words
from tablebase.probe.prober import Prober
from tablebase.search.proof_trees import Proof, Reason, extract
from tablebase.search.proofs import Verdict, find_proof

SMALLEST = 500
"""Positions of a proof that is worth printing."""


class Tried(NamedTuple):
    """A position, what was found, and its proof."""

    position: Position
    verdict: Verdict
    proof: Proof | None


def attempt(game: Game, position: Position, prober: Prober, nodes: int, most: int) -> Tried:
    """Try to prove a position, and check the proof."""
    verdict = find_proof(game, position, prober, nodes=nodes, most_pieces=most)
    proof = None
    if verdict.outcome is not None and verdict.search is not None:
        proof = extract(verdict.search, position, verdict.outcome)
        if wrong := list(faults(list(proof.text()), prober)):
            raise SystemExit(f"{render(game, position)} has a proof that is none: {wrong[0]}")
    return Tried(position, verdict, proof)


def drawn(game: Game, pieces: int, random: Random) -> Position:
    """A placement of this many different pieces, divided evenly, in which the game is not over."""
    halves = pieces // 2, pieces - pieces // 2
    while True:
        kinds = [
            kind
            for side in (0, 1)
            for kind in random.sample([k for k in range(len(game.kinds)) if game.side_of(k) == side], halves[side])
        ]
        squares = [random.choice(game.kinds[kind].squares) for kind in kinds]
        position = Position(tuple(sorted(zip(kinds, squares, strict=True))), random.randrange(2))
        if len(set(squares)) == pieces and legal_moves(game, position):
            return position


def check_hidden(game: Game, prober: Prober, count: int, nodes: int, seed: int) -> int:
    """Compare proofs with tables that they were not allowed to use; print and return the number of differences."""
    random, rows, wrong = Random(seed), [], 0
    for pieces in (3, 4):
        tried = [attempt(game, drawn(game, pieces, random), prober, nodes, pieces - 1) for _ in range(count // 2)]
        results: Counter[str] = Counter()
        for one in tried:
            truth = prober.value(game, one.position).outcome
            agrees = one.verdict.outcome is truth
            results["not decided" if one.verdict.outcome is None else "agree" if agrees else "differ"] += 1
            results["draws"] += truth is Outcome.DRAW
        wrong += results["differ"]
        rows.append(
            {
                "pieces": pieces,
                "positions": len(tried),
                **{name: results[name] for name in ("agree", "differ", "not decided", "draws")},
                **_sizes(tried),
            }
        )
    write_rows(rows, Format.TABLE)
    return wrong


def _sizes(tried: Sequence[Tried]) -> dict[str, object]:
    """Sizes of proofs and times of searches."""
    sizes = [one.proof.size for one in tried if one.proof is not None] or [0]
    seconds = [one.verdict.seconds for one in tried]
    return {
        "median size": round(statistics.median(sizes)),
        "largest": max(sizes),
        "seconds in all": round(sum(seconds)),
        "longest": round(max(seconds), 1),
    }


def find_new(game: Game, prober: Prober, count: int, nodes: int, seed: int) -> None:
    """Print positions of six, seven and eight pieces with proofs of some size."""
    random, found, tries = Random(seed), 0, 0
    while found < count:
        position = drawn(game, 6 + found % 3, random)
        tries += 1
        one = attempt(game, position, prober, nodes, len(position.pieces) - 1)
        if one.proof is None or one.proof.size < SMALLEST:
            continue
        found += 1
        line, last = one.proof.line()
        ending = f" ({in_words(prober.value(game, last))} by the table)" if one.proof.nodes[last].reason is Reason.TABLE else ""
        effort = f"{one.verdict.nodes:,} nodes, {one.verdict.seconds:.1f} s"
        print(f"{render(game, position)}: {one.proof.outcome}, {one.proof.size:,} positions, {effort}")
        print(f"    {len(line)} plies: {' '.join(line)}{ending}", flush=True)
    print(f"{found} of {tries} positions drawn")


def main() -> None:
    """Run one of the experiments; the exit code is 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=["hidden", "new"])
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--count", type=int, default=1_000, help="positions")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes of each search")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game, prober = load_game("doushouqi"), Prober(given.data)
    if given.experiment == "hidden":
        sys.exit(check_hidden(game, prober, given.count, given.nodes, given.seed) > 0)
    find_new(game, prober, given.count, given.nodes, given.seed)


if __name__ == "__main__":
    main()
