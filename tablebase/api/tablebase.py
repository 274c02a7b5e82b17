"""An open tablebase: what `tablebase.open` returns.

Queries come in pairs: `probe_…` raises `MissingTableError` if a table has not been built, `get_…` returns a default
instead. A missing table can never be mistaken for a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.api.collection import Collection
from tablebase.errors import MissingTableError, NotationError
from tablebase.game import Game
from tablebase.game.arguments import as_game, as_position
from tablebase.game.moves import Position
from tablebase.probe.answers import Line, Probe
from tablebase.probe.prober import Prober
from tablebase.slices.indexing import Squares
from tablebase.slices.material import parse_material
from tablebase.values import Value

if TYPE_CHECKING:
    from tablebase.search import Engine

Default = TypeVar("Default")


class Tablebase(Collection):
    """A folder of tables, open for queries. Safe to use from several threads, and from processes however they are started.

    Parameters
    ----------
    folder : str or Path
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    cache : int, optional
        Bytes of decompressed chunks of tables to keep; by default 256 MiB.

    Attributes
    ----------
    prober : Prober
        Answers the same queries for `Game` and `Position` objects.

    Raises
    ------
    TablebaseError
        If there is no such folder.

    Examples
    --------
    >>> import tablebase
    >>> with tablebase.open("data") as tables:  # doctest: +SKIP
    ...     answer = tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w")
    ...     print(answer.outcome, answer.distance, answer.best)
    """

    def __init__(self, folder: str | Path, catalog: str | None = None, cache: int | None = None) -> None:
        super().__init__(Path(folder), catalog)
        self._cache = cache
        self.prober = Prober(self.folder, cache)

    def __repr__(self) -> str:
        return f"Tablebase({str(self.folder)!r})"

    def __reduce__(self) -> tuple[type[Tablebase], tuple[Path, str | None, int | None]]:
        # A process that is not forked opens the folder itself.
        return Tablebase, (self.folder, self._url, self._cache)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files, and those of its queries."""
        super().close()
        self.prober.close()

    def probe_value(self, game: str | Game, position: str | Position) -> Value:
        """Outcome and distance for the side to move.

        Parameters
        ----------
        game : str or Game
        position : str or Position

        Raises
        ------
        MissingTableError
            If the table has not been built; the message names the table and the command that builds it.
        NotationError
            If the text is not a position of the game.
        """
        return self.prober.value(*_resolved(game, position))

    def get_value(self, game: str | Game, position: str | Position, default: Default | None = None) -> Value | Default | None:
        """Like `probe_value`, but returns `default` if the table is missing."""
        try:
            return self.probe_value(game, position)
        except MissingTableError:
            return default

    def probe(self, game: str | Game, position: str | Position, *, strict: bool = False) -> Probe:
        """Outcome, distance and all moves.

        Parameters and errors are those of `probe_value`. If only the table that a move leads to is missing, the move's value
        is None; if `strict`, that is a `MissingTableError`, too.
        """
        return self.prober.probe(*_resolved(game, position), strict=strict)

    def get(self, game: str | Game, position: str | Position, default: Default | None = None) -> Probe | Default | None:
        """Like `probe`, but returns `default` if a table is missing."""
        try:
            return self.probe(game, position)
        except MissingTableError:
            return default

    def probe_values(self, game: str | Game, positions: Sequence[str | Position]) -> list[Value]:
        """Outcomes and distances of many positions, each chunk of a table read once.

        Parameters
        ----------
        game : str or Game
        positions : sequence of str or Position

        Raises
        ------
        MissingTableError, NotationError
            As `probe_value`, for any of the positions.
        """
        rules = as_game(game)
        return self.prober.values(rules, [as_position(rules, position) for position in positions])

    def probe_squares(
        self, game: str | Game, material: str, side: int, squares: Squares
    ) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Outcomes and distances of many positions of one material, as arrays.

        Parameters
        ----------
        game : str or Game
        material : str
            Such as ``RCvW``.
        side : int
            The side to move, 0 or 1.
        squares : ndarray of int8, shape (positions, pieces)
            The square of each piece, in the order of the material. Each row must be a position; this is not checked.

        Returns
        -------
        outcomes : ndarray of int8, shape (positions,)
            1 for a win of the side to move, 0 for a draw, -1 for a loss.
        distances : ndarray of int16, shape (positions,)
            Plies, -1 for a draw.

        Raises
        ------
        MissingTableError
            If the table has not been built.
        """
        rules = as_game(game)
        if side not in (0, 1):
            raise NotationError(f"the side to move is 0 or 1, not {side!r}")
        return self.prober.values_at(rules, parse_material(rules, material), side, squares)

    def line(self, game: str | Game, position: str | Position, plies: int | None = None) -> Line:
        """The optimal line: a probe of the position, and of each position that the best moves lead to.

        It ends when the best move wins at once, when there is no legal move, in a draw as soon as a position repeats, or
        after `plies` plies.
        """
        return Line(self.prober.line(*_resolved(game, position), plies), plies)

    def engine(self, game: str | Game, **options: Any) -> Engine:
        """An engine that searches positions without a table, and ends its lines in these tables.

        It must not search after the tablebase has been closed.

        Parameters
        ----------
        game : str or Game
        **options
            Of `tablebase.search.Options`, such as ``exact`` and ``threads``.

        Raises
        ------
        TablebaseError
            If an option is out of range, or does not fit into memory.
        """
        from tablebase.search import Engine, Options

        return Engine(game, self.prober, Options(**options))


def _resolved(game: str | Game, position: str | Position) -> tuple[Game, Position]:
    """The game, and the position, in which the game must not be over."""
    rules = as_game(game)
    return rules, as_position(rules, position)
