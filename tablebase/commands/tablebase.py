"""An open tablebase. `probe…` raises `MissingTableError` if a table is missing, `get…` returns a default: never a draw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, overload

from tablebase.commands import lib
from tablebase.commands.arguments import as_optional, shortened
from tablebase.commands.collection import Collection
from tablebase.commands.parameters import PYTHON_ONLY, AnyPosition, GameName, Shell
from tablebase.errors import MissingTableError, NotationError, quoted
from tablebase.game.plain_arguments import as_list, as_number, as_options, as_path, as_size, as_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablebase.game import Game
    from tablebase.game.game_arguments import AnyGame
    from tablebase.game.moves import Position
    from tablebase.game.rules import Rules
    from tablebase.game.values import AnyValue, Value
    from tablebase.positions.indexing import Squares
    from tablebase.probe.answers import Probe
    from tablebase.probe.batch import Answers
    from tablebase.probe.lines import Line
    from tablebase.probe.source import ProbeResults
    from tablebase.search import Engine

Default = TypeVar("Default")


class Tablebase(Collection):
    """An open folder of tables, which threads and child processes can share.

    Methods raise `MissingTableError` if a table is missing; the error contains the command that builds the table. Methods raise
    `NotationError` for an invalid position or material, and another `TablebaseError` for other invalid arguments or a closed
    tablebase. The attribute `prober` is the underlying `Prober`, which accepts `Game` and `Position` objects.

    Parameters
    ----------
    catalog : str, optional
        URL of the PostgreSQL database for the catalog (the list of all tables); by default, an SQLite file in the folder.
    cache : int or str, optional
        Cache size for decompressed table data, in bytes or as text such as ``1G``; by default, 256 MiB.

    Examples
    --------
    >>> import tablebase
    >>> with tablebase.open("data") as tables:  # doctest: +SKIP
    ...     answer = tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w")
    ...     print(answer.outcome, answer.distance, answer.best)
    """

    def __init__(self, folder: str | Path, catalog: str | None = None, cache: int | str | None = None) -> None:
        super().__init__(as_path("folder", folder), None if catalog is None else as_text("catalog", catalog))
        lib.folder.check_folder(self.folder, built=True)
        self._cache = None if cache is None else as_size("cache", cache)
        self.prober = lib.prober.Prober(self.folder, self._cache)

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
        """Close all files and cancel open queries; later queries raise `TablebaseError`."""
        super().close()
        self.prober.close()

    @overload
    def probe_value(self, game: Game, position: str | Position) -> Value: ...

    @overload
    def probe_value(self, game: AnyGame, position: Any) -> Any: ...

    def probe_value(self, game: AnyGame, position: Any) -> AnyValue:
        """Return the outcome and distance for the side to move; in games with chance, bounds on the probability of winning."""
        rules, asked = self._asked(game, position)
        return self.prober.of(rules).value(asked, rules.viewer(asked))

    def get_value(self, game: AnyGame, position: Any, default: Default | None = None) -> Any | Default | None:
        """Like `probe_value`, but return `default` if the table is missing."""
        try:
            return self.probe_value(game, position)
        except MissingTableError:
            return default

    def probe(
        self,
        game: GameName,
        position: Annotated[Any, PYTHON_ONLY],
        *,
        strict: bool = False,
        turns: Annotated[int | None, Shell(metavar="T", least=1)] = None,
    ) -> Probe:
        """Look up a position's value and moves, best move first.

        A move has the value None if it leads to a missing table.

        Parameters
        ----------
        strict : bool
            Stop with an error if a position is invalid, or if the table for a position, or for the position after one of its
            moves, is missing.
        turns : int, optional
            In games with chance, also show the probability of winning within this number of turns.
        """
        rules, asked = self._asked(game, position)
        return self.prober.of(rules).probe(asked, strict=strict, turns=as_optional(as_number, "turns", turns))

    def get(self, game: AnyGame, position: Any, default: Default | None = None) -> Any | Default | None:
        """Like `probe`, but return `default` if a table is missing."""
        try:
            return self.probe(game, position)
        except MissingTableError:
            return default

    @overload
    def probe_values(self, game: Game, positions: Sequence[str | Position]) -> list[Value]: ...

    @overload
    def probe_values(self, game: AnyGame, positions: Sequence[Any]) -> list[Any]: ...

    def probe_values(self, game: AnyGame, positions: Sequence[Any]) -> list[Any]:
        """Return a list of the results of `probe_value`; raise an error at the first position without a value."""
        answers = self.probe_many(game, positions)
        # Errors are known once the values are.
        values = answers.values()
        if answers.errors:
            raise answers.errors[min(answers.errors)]
        return shortened(values)

    def get_values(self, game: AnyGame, positions: Sequence[Any], default: Default | None = None) -> list[Any | Default | None]:
        """Like `probe_values`, but return `default` for each position without a value."""
        return shortened([default if value is None else value for value in self.probe_many(game, positions).values()])

    @overload
    def probe_many(self, game: Game, positions: Sequence[str | Position], *, strict: bool = False) -> Answers: ...

    @overload
    def probe_many(self, game: AnyGame, positions: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> Any: ...

    def probe_many(
        self, game: AnyGame, positions: Sequence[Any], *, strict: bool = False, turns: int | None = None
    ) -> ProbeResults:
        """Probe many positions; in games without chance, this is much faster than probing positions one by one.

        Parameters
        ----------
        positions : sequence of str or Position
            For a `CompiledGame`, also an array of positions encoded as integers, which are not checked and must be valid.
        strict : bool
            Return an error for a position if one of its moves leads to a missing table.
        turns : int, optional
            In games with chance, also compute the probability of winning within this number of turns.

        Returns
        -------
        Answers
            A sequence that contains, for each position, a `Probe` or an `Unanswered` object with the error. The attributes
            `outcomes` and `distances` are arrays; in games with chance, `lower` and `upper` are arrays of bounds on the
            probability of winning.
        """
        rules = self._rules(game)
        source = self.prober.of(rules)
        is_array = source.takes_numbers and getattr(positions, "ndim", 0) == 1 and positions.dtype.kind in "iu"  # type: ignore[attr-defined]
        asked = positions if is_array else as_list("positions", positions, f"[{rules.format(rules.initial)!r}]")
        return source.many(asked, strict=strict, turns=as_optional(as_number, "turns", turns))

    def probe_squares(
        self, game: str | Game, material: str, side: int, squares: Squares, *, check: bool = True
    ) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Return arrays of outcomes and distances for many positions of one material.

        Parameters
        ----------
        material : str
            Name of the material, such as ``RCvW``.
        side : int
            The side to move, 0 or 1.
        squares : ndarray of int8, shape (positions, pieces)
            Square of each piece, in the order of the pieces in `material`.
        check : bool
            Check that each row is a legal position of an unfinished game. Without this check, invalid rows give meaningless
            values or raise `IndexError`.

        Returns
        -------
        outcomes : ndarray of int8, shape (positions,)
            1 for a win of the side to move, 0 for a draw, -1 for a loss.
        distances : ndarray of int16, shape (positions,)
            Distance in plies, -1 for a draw.

        Raises
        ------
        SquaresError
            If a row is not a valid position; the error contains the first invalid row and the reason.
        NotationError
            If the array has the wrong shape or type.
        """
        import numpy as np

        rules = self._game(game)
        if not isinstance(side, (int, np.integer)) or side not in (0, 1):
            raise NotationError(f"invalid side to move {quoted(side)}: expected 0 or 1")
        wanted = lib.material.parse_material(rules, material)
        rows = lib.squares.checked_squares(rules, wanted, side, squares) if check else squares
        return self.prober.slices(rules).values_at(wanted, side, rows)

    def line(
        self,
        game: GameName,
        position: AnyPosition = None,
        plies: Annotated[int | None, Shell(metavar="N", least=0)] = None,
    ) -> Line:
        """Show best play from a position to the end of the game.

        Each position of the line is probed, starting with `position`; at each chance event, the most likely outcome is chosen.
        The line ends at the end of the game, before a winning move, at a repeated drawn position, or after `plies` plies. In
        games with chance, the line contains at most 1,000 positions.

        Parameters
        ----------
        position : str or Position, optional
            First position of the line; by default, the initial position.
        plies : int, optional
            Stop after this number of plies (moves by one side).
        """
        most = as_optional(as_number, "plies", plies)
        rules = self._rules(game)
        return self.prober.line(rules, lib.game_arguments.as_asked(rules, rules.initial if position is None else position), most)

    def engine(self, game: str | Game, **options: Any) -> Engine:
        """Return a search engine that uses these tables until the tablebase is closed.

        The keyword arguments are fields of `tablebase.search.Options`, such as ``exact`` and ``threads``.
        """
        rules = self._game(game)
        return lib.search.Engine(rules, self.prober, lib.search.Options(**as_options(lib.search.Options, options)))

    def _asked(self, game: AnyGame, position: Any) -> tuple[Rules[Any], Any]:
        rules = self._rules(game)
        return rules, lib.game_arguments.as_asked(rules, position)
