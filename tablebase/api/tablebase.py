"""An open tablebase: what `tablebase.open` returns.

Queries come in pairs: `probe_…` raises `MissingTableError` if a table has not been built, `get_…` returns a default
instead. A missing table can never be mistaken for a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from tablebase.api.collection import Collection
from tablebase.errors import MissingTableError, NotationError, quoted
from tablebase.game import Game
from tablebase.game.game_arguments import as_asked, as_chance_game
from tablebase.game.moves import Position
from tablebase.game.plain_arguments import as_list, as_number, as_options, as_path, as_size, as_text
from tablebase.game.stochastic import StochasticGame
from tablebase.probe.answers import LOST, Line, Probe
from tablebase.probe.many import Answers
from tablebase.probe.prober import Prober
from tablebase.probe.squares import checked_squares
from tablebase.slices.indexing import Squares
from tablebase.slices.material import parse_material
from tablebase.tables.values import Value

if TYPE_CHECKING:
    from tablebase.search import Engine
    from tablebase.stochastic.state_prober import StateAnswer, StateProbers

Default = TypeVar("Default")


class Tablebase(Collection):
    """A folder of tables, open for queries. Safe to use from several threads, and from processes however they are started.

    Parameters
    ----------
    folder : str or Path
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    cache : int or str, optional
        Memory for decompressed chunks of tables, in bytes or as a text such as ``1G``; by default 256 MiB.

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

    def __init__(self, folder: str | Path, catalog: str | None = None, cache: int | str | None = None) -> None:
        super().__init__(as_path("folder", folder), None if catalog is None else as_text("catalog", catalog))
        self._cache = None if cache is None else as_size("cache", cache)
        self.prober = Prober(self.folder, self._cache)

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
        """Close all files, and those of its queries; whatever is asked afterwards is a `TablebaseError`."""
        super().close()
        self.prober.close()
        if "state_probers" in vars(self):
            self.state_probers.close()

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
        rules, asked, lost = self._asked(game, position)
        return LOST if lost else self.prober.value(rules, asked)

    def get_value(self, game: str | Game, position: str | Position, default: Default | None = None) -> Value | Default | None:
        """Like `probe_value`, but returns `default` if the table is missing."""
        try:
            return self.probe_value(game, position)
        except MissingTableError:
            return default

    @overload
    def probe(self, game: Game, position: str | Position, *, strict: bool = False) -> Probe: ...

    @overload
    def probe(self, game: StochasticGame, position: str) -> StateAnswer: ...

    @overload
    def probe(self, game: str, position: str | Position, *, strict: bool = False) -> Any: ...

    def probe(self, game: str | Game | StochasticGame, position: str | Position, *, strict: bool = False) -> Probe | StateAnswer:
        """Outcome, distance and all moves; of a game of chance, bounds of the chance to win.

        Parameters and errors are those of `probe_value`. If only the table that a move leads to is missing, the move's value
        is None; if `strict`, that is a `MissingTableError`, too.
        """
        chance = as_chance_game(game)
        if chance is not None:
            self._require_open()
            state = chance.parse(as_text("a position", position))
            return self.state_probers.of(chance).probe(state)
        assert not isinstance(game, StochasticGame)
        rules, asked, lost = self._asked(game, position)
        return Probe(rules, asked, LOST, ()) if lost else self.prober.probe(rules, asked, strict=strict)

    @cached_property
    def state_probers(self) -> StateProbers:
        """Probers of games of chance, whose chunks are kept with those of tables."""
        # Loaded here because Numba is slow to load.
        from tablebase.stochastic.state_prober import StateProbers

        return StateProbers(self.folder, self.prober.store.chunks)

    def get(self, game: str | Game, position: str | Position, default: Default | None = None) -> Any | Default | None:
        """Like `probe`, but returns `default` if a table is missing."""
        try:
            return self.probe(game, position)
        except MissingTableError:
            return default

    def probe_values(self, game: str | Game, positions: Sequence[str | Position]) -> list[Value]:
        """Outcomes and distances of many positions; see `probe_many` for those that have none.

        Parameters
        ----------
        game : str or Game
        positions : sequence of str or Position

        Raises
        ------
        MissingTableError, NotationError
            As `probe_value`, for the first of the positions that has no answer.
        """
        answers = self.probe_many(game, positions)
        for place in sorted(answers.errors):
            raise answers.errors[place]
        return [value for value in answers.values() if value is not None]

    def get_values(
        self, game: str | Game, positions: Sequence[str | Position], default: Default | None = None
    ) -> list[Value | Default | None]:
        """Like `probe_values`, but with `default` for each position that has no answer."""
        return [default if value is None else value for value in self.probe_many(game, positions).values()]

    def probe_many(self, game: str | Game, positions: Sequence[str | Position], *, strict: bool = False) -> Answers:
        """An answer for each of many positions, or the reason why it has none; much faster than one by one.

        Parameters
        ----------
        game : str or Game
        positions : sequence of str or Position
        strict : bool
            Whether a position has no answer if the table that one of its moves leads to is missing.

        Returns
        -------
        Answers
            A sequence of `Probe` and `Unanswered`, with all outcomes and distances as arrays.

        Examples
        --------
        >>> answers = tables.probe_many("doushouqi", texts)  # doctest: +SKIP
        >>> answers.outcomes, answers.distances, answers.errors  # doctest: +SKIP
        """
        rules, example = self._game(game), "['7/7/7/7/3c3/7/7/R6/7 w']"
        return Answers(self.prober, rules, as_list("positions", positions, example), strict=strict)

    def probe_squares(
        self, game: str | Game, material: str, side: int, squares: Squares, *, check: bool = True
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
            The square of each piece, in the order of the material.
        check : bool
            Whether to check that each row is a position in which the game is not over. Without it, a row that is not has a
            meaningless value, or an `IndexError`.

        Returns
        -------
        outcomes : ndarray of int8, shape (positions,)
            1 for a win of the side to move, 0 for a draw, -1 for a loss.
        distances : ndarray of int16, shape (positions,)
            Plies, -1 for a draw.

        Raises
        ------
        SquaresError
            If a row is not a position; it names the first one and the reason.
        NotationError
            If the array has another shape or type.
        MissingTableError
            If the table has not been built.
        """
        rules = self._game(game)
        if not isinstance(side, (int, np.integer)) or side not in (0, 1):
            raise NotationError(f"the side to move is 0 or 1, not {quoted(side)}")
        wanted = parse_material(rules, material)
        rows = checked_squares(rules, wanted, side, squares) if check else squares
        return self.prober.values_at(rules, wanted, side, rows)

    def line(self, game: str | Game, position: str | Position, plies: int | None = None) -> Line:
        """The optimal line: a probe of the position, and of each position that the best moves lead to.

        It ends when the best move wins at once, when there is no legal move, in a draw as soon as a position repeats, or
        after `plies` plies.
        """
        most = None if plies is None else as_number("plies", plies)
        rules, asked, lost = self._asked(game, position)
        return Line([Probe(rules, asked, LOST, ())] if lost else self.prober.line(rules, asked, most), most)

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

        rules = self._game(game)
        return Engine(rules, self.prober, Options(**as_options(Options, options)))

    def _asked(self, game: str | Game, position: str | Position) -> tuple[Game, Position, bool]:
        """The game, the position, and whether the last move has won in it."""
        rules = self._game(game)
        return rules, *as_asked(rules, position)
