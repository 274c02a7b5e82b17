"""Facts about moves of Dou Shou Qi, counted twice: by statements of `mine`, and by a plain loop that shares no code with it.

The loop lists the moves of all positions of a slice with the vectorised move generator, and probes the position after each
move. It takes about a minute for three pieces.

Examples
--------
Tables of two and three pieces::

    tablebase build doushouqi --pieces 3
    python scripts/move_facts.py --data data
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tablebase
from tablebase.game import Game, load_game
from tablebase.probe.prober import Prober
from tablebase.slices.conversions import ENDS, STAYS, slot_conversions
from tablebase.slices.indexing import Squares, layout_of
from tablebase.slices.location import slices
from tablebase.slices.material import Material
from tablebase.slices.movegen import MoveGenerator

WIN, DRAW, LOSS = 1, 0, -1
BLOCK = 1 << 16
Facts = Counter[str]
Signs = NDArray[np.int8]

STATEMENTS = {
    "won positions": "SELECT count(*) FROM distinct_positions WHERE pieces = {pieces} AND outcome = 'win'",
    "won positions with an only move": """
        SELECT count(only_move) FROM distinct_positions WHERE pieces = {pieces} AND outcome = 'win'""",
    "drawn positions": "SELECT count(*) FROM distinct_positions WHERE pieces = {pieces} AND outcome = 'draw'",
    "drawn positions with an only move": """
        SELECT count(only_move) FROM distinct_positions WHERE pieces = {pieces} AND outcome = 'draw'""",
    "zugzwang": "SELECT count(*) FROM distinct_positions WHERE pieces = {pieces} AND zugzwang",
    "zugzwang, lost for both": """
        SELECT count(*) FROM distinct_positions a JOIN positions b ON b.position = a.twin
        WHERE a.pieces = {pieces} AND b.pieces = {pieces} AND a.zugzwang AND b.zugzwang
        AND a.outcome = 'loss' AND b.outcome = 'loss'""",
    "moves in won positions": "SELECT count(*) FROM distinct_moves WHERE pieces = {pieces} AND position_outcome = 'win'",
    "captures in won positions": """
        SELECT count(captures) FROM distinct_moves WHERE pieces = {pieces} AND position_outcome = 'win'""",
    "jumps in won positions": """
        SELECT count(*) FROM distinct_moves WHERE pieces = {pieces} AND position_outcome = 'win' AND jump""",
    "only moves that capture": """
        SELECT count(captures) FROM distinct_moves WHERE pieces = {pieces} AND position_outcome = 'win' AND is_only""",
    "only moves that jump": """
        SELECT count(*) FROM distinct_moves WHERE pieces = {pieces} AND position_outcome = 'win' AND is_only AND jump""",
    "captures that give a win away": """
        SELECT count(captures) FROM distinct_moves
        WHERE pieces = {pieces} AND position_outcome = 'win' AND outcome <> 'win'""",
}
"""What is counted, and how `mine` counts it."""


class Slice:
    """A slice, and a plain count of its moves.

    Parameters
    ----------
    prober : Prober
    game : Game
    material : Material
    """

    def __init__(self, prober: Prober, game: Game, material: Material) -> None:
        self.prober, self.game, self.material = prober, game, material
        self.layout = layout_of(game, material)
        self.by_piece = [self.layout.slots.index(piece) for piece in range(material.pieces)]
        self.conversions = slot_conversions(game, material)
        self.cells = np.array(game.board.cells)

    def facts(self) -> Facts:
        """The counts of the slice with side 0 to move."""
        facts = Facts()
        for begin in range(0, self.layout.size, BLOCK):
            index = np.arange(begin, min(begin + BLOCK, self.layout.size))
            squares, legal = self.layout.squares_many(index)
            self._count(squares[legal], self.layout.weights_many(index[legal]), facts)
        return facts

    def _count(self, squares: Squares, weights: NDArray[np.int64], facts: Facts) -> None:
        """Add the counts of some positions."""
        here = self._outcomes(self.material, 0, squares[:, self.by_piece])
        other = self._outcomes(self.material, 1, squares[:, self.by_piece])
        keeping = np.zeros((3, len(squares)), dtype=np.int64)
        going = np.zeros(len(squares), dtype=bool)
        for batch in MoveGenerator(self.layout, 0).moves(squares):
            going[batch.rows] = True
            before, slot = squares[batch.rows], int(np.argmax(batch.squares[0] != squares[batch.rows[0]]))
            worth = self._worth(batch.destination, batch.squares)
            way = np.abs(self.cells[before[:, slot]] - self.cells[batch.squares[:, slot]]).max(axis=1)
            captures, jumps = np.full(len(batch.rows), batch.victim is not None), way > 1
            keeps, won = worth == here[batch.rows], here[batch.rows] == WIN
            for number, sort in enumerate((keeps, keeps & captures, keeps & jumps)):
                keeping[number, batch.rows] += sort
            weight = weights[batch.rows]
            facts["moves in won positions"] += int(weight[won].sum())
            facts["captures in won positions"] += int(weight[won & captures].sum())
            facts["jumps in won positions"] += int(weight[won & jumps].sum())
            facts["captures that give a win away"] += int(weight[won & captures & (worth != WIN)].sum())
        others_go = np.zeros(len(squares), dtype=bool)
        for batch in MoveGenerator(self.layout, 1).moves(squares):
            others_go[batch.rows] = True
        only, zugzwang = keeping[0] == 1, (here + other < 0) & going & others_go
        for name, sort in (
            ("won positions", here == WIN),
            ("won positions with an only move", (here == WIN) & only),
            ("drawn positions", here == DRAW),
            ("drawn positions with an only move", (here == DRAW) & only),
            ("zugzwang", zugzwang),
            ("zugzwang, lost for both", zugzwang & (here == LOSS) & (other == LOSS)),
            ("only moves that capture", (here == WIN) & only & (keeping[1] == 1)),
            ("only moves that jump", (here == WIN) & only & (keeping[2] == 1)),
        ):
            facts[name] += int(weights[sort].sum())

    def _worth(self, destination: int, after: Squares) -> Signs:
        """The outcomes of moves for the mover."""
        if destination == ENDS:
            return np.full(len(after), WIN, dtype=np.int8)
        if destination == STAYS:
            return -self._outcomes(self.material, 1, after[:, self.by_piece])
        conversion = self.conversions[destination - 1]
        return -self._outcomes(conversion.child, conversion.side, after[:, list(conversion.rest)])

    def _outcomes(self, material: Material, side: int, squares: Squares) -> Signs:
        return self.prober.values_at(self.game, material, side, squares)[0]


def main() -> None:
    """Count both ways, print the counts, and fail if they differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--pieces", type=int, default=3, help="number of pieces")
    arguments = parser.parse_args()
    game, prober = load_game("doushouqi"), Prober(arguments.data)
    plain = Facts()
    for slice_ in slices(game, arguments.pieces):
        if slice_.distinct:
            plain.update(Slice(prober, game, slice_.material).facts())
    prober.close()
    differing = 0
    with tablebase.open(arguments.data) as tables:
        for name, statement in STATEMENTS.items():
            [(mined,)] = tables.query(game, statement.format(pieces=arguments.pieces)).fetchall()
            differing += mined != plain[name]
            print(f"{name:36} {mined:15,} {plain[name]:15,}")
    if differing:
        raise SystemExit(f"{differing} counts differ")


if __name__ == "__main__":
    main()
