"""The player ``engine``: it searches ahead, and ends in the tables where there are any."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tablebase.errors import TablebaseError, quoted
from tablebase.game.moves import Position
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.probe.prober import Prober
from tablebase.search import Analysis, Engine, Options, Repetition
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

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> game = load_game("hexapawn")
    >>> start = game.parse("2p/P2/2P w")
    >>> with EnginePlayer(Seat(game, start, side=0), tables=False) as player:
    ...     print(player.choose(Match(game, start), Random(1)), player.remark)
    a2a3 win in 1
    """

    def __init__(self, seat: Seat, level: int = LEVEL, nodes: int | None = None, *, tables: bool = True) -> None:
        super().__init__(f"the engine at level {level} plays" if nodes is None else f"the engine at {nodes:,} positions plays")
        check_folder(seat.folder)
        weakness = max(0, SURE - level) if nodes is None else 0
        self._lines = LINES if weakness else 1
        self._nodes = NODES[level - 1] * self._lines if nodes is None else nodes
        self._margin = CARELESSNESS * weakness
        self._prober = Prober(seat.folder) if tables and seat.folder.exists() else None
        self._engine = Engine(seat.pieces, self._prober, Options(repetition=Repetition.DRAW))

    def choose(self, match: Match[Position], random: Random) -> str:
        """One of the best lines' first moves; errors are those of `Engine.analyse`."""
        found = self._engine.analyse(match.position, nodes=self._nodes, lines=self._lines, past=match.positions[:-1])
        chosen = random.choice(almost_best(list(found), self._margin))
        self.remark = _remark(chosen)
        return random.choice(list(match.legal())) if _is_blind(chosen) else str(chosen.best)

    def close(self) -> None:
        """Close all files."""
        if self._prober is not None:
            self._prober.close()


def almost_best(answers: Sequence[Analysis], margin: int) -> list[Analysis]:
    """The lines of the last depth that are at most so much worse than the best one; once that is proved, its equals."""
    lines = [answer for answer in answers if answer.depth == answers[-1].depth]
    best = lines[0]
    return [line for line in lines if line.score >= best.score - (0 if best.value else margin)]


def _is_blind(line: Analysis) -> bool:
    """Whether the search has not even looked one ply ahead."""
    return line.depth == 0 and line.value is None


def _remark(line: Analysis) -> str:
    """What it thinks of its move, in a few words."""
    if _is_blind(line):
        return "any move"
    if line.value is None:
        return f"{line.verdict} at depth {line.depth}"
    return line.verdict if line.depth else f"{line.verdict} by the table"


def parse_level(level: int | str) -> int:
    """The number that a level is given as; `TablebaseError` if there is no such level."""
    number = level if isinstance(level, int) else whole_number(level)
    if number is None or not 1 <= number <= len(NODES):
        raise TablebaseError(f"the level must be a number from 1 to {len(NODES)}, not {quoted(str(level))}")
    return number


def _parse_nodes(text: str) -> int:
    """A number of positions; `TablebaseError` if it is none."""
    number = whole_number(text)
    if not number:
        raise TablebaseError(f"nodes must be {WHOLE_NUMBER}, at least 1, not {quoted(text)}")
    return number


def make(seat: Seat, level: int | str | None = None, nodes: str | None = None, tables: str = "yes") -> EnginePlayer:
    """The player ``engine``."""
    if tables not in ("yes", "no"):
        raise TablebaseError(f"tables must be yes or no, not {quoted(tables)}")
    if nodes is not None and level is not None:
        raise TablebaseError("level and nodes both say how much the engine searches: give one of them")
    limit = None if nodes is None else _parse_nodes(nodes)
    return EnginePlayer(seat, LEVEL if level is None else parse_level(level), limit, tables=tables == "yes")
