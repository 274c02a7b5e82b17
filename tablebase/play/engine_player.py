"""The player ``engine``: it searches ahead, and ends in the tables where there are any."""

from __future__ import annotations

from random import Random

from tablebase.errors import TablebaseError, quoted
from tablebase.game.moves import Position
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.player_records import read_yes
from tablebase.probe.prober import Prober
from tablebase.search import Engine, Options, Repetition
from tablebase.tables.folder import check_folder

NODES = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
"""Positions that each level may search for a line, the first for level 1. Time plays no part, so games can be repeated."""
LEVEL = 5
"""The level if none is set."""
LINES = 3
"""Lines among which a weak level chooses."""
CARELESSNESS = 20
"""Hundredths of a piece that a line may be worse for each level below the first one that is not weak."""
SURE = 6
"""The first level that is not weak: it searches one line, and plays it."""


class EnginePlayer(Player):
    """Makes the move that a search finds best; at a weak level one of the moves that look almost as good.

    Where the result is proved, by the search or by a table, every level makes a best move. The level is a number from 1 to 10.
    With `nodes`, positions to search for a move, it is as careful as the strong levels. Without tables, or where the seat's
    folder does not exist, it searches alone.
    """

    def __init__(self, seat: Seat, level: int = LEVEL, nodes: int | None = None, *, tables: bool = True) -> None:
        super().__init__(f"the engine at level {level} plays" if nodes is None else f"the engine at {nodes:,} positions plays")
        check_folder(seat.folder)
        weakness = max(0, SURE - level) if nodes is None else 0
        self._lines = LINES if weakness else 1
        self._nodes = NODES[level - 1] * self._lines if nodes is None else nodes
        self._margin = CARELESSNESS * weakness
        self._prober = Prober(seat.folder) if tables and seat.folder.exists() else None
        self._engine = Engine(seat.rules, self._prober, Options(repetition=Repetition.DRAW))

    def choose(self, match: Match[Position], random: Random) -> str:
        """One of the best lines' first moves; errors are those of `Engine.analyse`."""
        found = list(self._engine.analyse(match.position, nodes=self._nodes, lines=self._lines, past=match.positions[:-1]))
        lines = [line for line in found if line.depth == found[-1].depth]
        # Once the best line is proved, only its equals are as good.
        least = lines[0].score - (0 if lines[0].value else self._margin)
        chosen = random.choice([line for line in lines if line.score >= least])
        if chosen.value is not None:
            self.remark = chosen.verdict if chosen.depth else f"{chosen.verdict} (from the table)"
        elif chosen.depth:
            self.remark = f"{chosen.verdict} at depth {chosen.depth}"
        else:
            # The search has not even looked one ply ahead.
            self.remark = "random move"
            return random.choice(list(match.legal()))
        return str(chosen.best)

    def close(self) -> None:
        """Close all files."""
        if self._prober is not None:
            self._prober.close()


def make(seat: Seat, level: int | str | None = None, nodes: str | None = None, tables: str = "yes") -> EnginePlayer:
    """The player ``engine``."""
    uses_tables = read_yes("tables", tables)
    if nodes is None:
        number = LEVEL if level is None else level if isinstance(level, int) else whole_number(level)
        if number is None or not 1 <= number <= len(NODES):
            raise TablebaseError(f"the engine level must be a number from 1 to {len(NODES)}, not {quoted(str(level))}")
        return EnginePlayer(seat, number, tables=uses_tables)
    if level is not None:
        raise TablebaseError("cannot set both level and nodes for the player 'engine': set either level or nodes")
    limit = whole_number(nodes)
    if not limit:
        raise TablebaseError(f"the setting nodes must be {WHOLE_NUMBER} and at least 1, not {quoted(nodes)}")
    return EnginePlayer(seat, nodes=limit, tables=uses_tables)
