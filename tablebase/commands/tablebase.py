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
    """A folder of tables, open for queries. Safe to use from several threads, and from processes however they are started.

    Methods raise `MissingTableError`, with the command that builds the table, if a table is missing; `NotationError` if a text is
    not a position or a material; and another `TablebaseError` if an argument is wrong or the tablebase has been closed. The
    `prober` answers the same queries for `Game` and `Position` objects.

    Parameters
    ----------
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    cache : int or str, optional
        Memory for decompressed chunks of tables, in bytes or as a text such as ``1G``; by default 256 MiB.

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
        """Close all files, including the files of queries; further queries raise `TablebaseError`."""
        super().close()
        self.prober.close()

    @overload
    def probe_value(self, game: Game, position: str | Position) -> Value: ...

    @overload
    def probe_value(self, game: AnyGame, position: Any) -> Any: ...

    def probe_value(self, game: AnyGame, position: Any) -> AnyValue:
        """Outcome and distance for the side to move; of a game with chance, bounds of its chance to win."""
        rules, asked = self._asked(game, position)
        return self.prober.of(rules).value(asked, rules.viewer(asked))

    def get_value(self, game: AnyGame, position: Any, default: Default | None = None) -> Any | Default | None:
        """Like `probe_value`, but returns `default` if the table is missing."""
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
        """Show the value of a position and its moves, best move first.

        If only the table that a move leads to is missing, the move's value is None.

        Parameters
        ----------
        strict : bool
            Stop with an error at the first position that is invalid or needs a missing table.
        turns : int, optional
            In games with chance, also show the probability of winning within T turns.
        """
        rules, asked = self._asked(game, position)
        return self.prober.of(rules).probe(asked, strict=strict, turns=as_optional(as_number, "turns", turns))

    def get(self, game: AnyGame, position: Any, default: Default | None = None) -> Any | Default | None:
        """Like `probe`, but returns `default` if a table is missing."""
        try:
            return self.probe(game, position)
        except MissingTableError:
            return default

    @overload
    def probe_values(self, game: Game, positions: Sequence[str | Position]) -> list[Value]: ...

    @overload
    def probe_values(self, game: AnyGame, positions: Sequence[Any]) -> list[Any]: ...

    def probe_values(self, game: AnyGame, positions: Sequence[Any]) -> list[Any]:
        """Values of many positions, as `probe_value` has them, or its error for the first that has none; see `probe_many`."""
        answers = self.probe_many(game, positions)
        # Errors are known once the values are.
        values = answers.values()
        if answers.errors:
            raise answers.errors[min(answers.errors)]
        return shortened(values)

    def get_values(self, game: AnyGame, positions: Sequence[Any], default: Default | None = None) -> list[Any | Default | None]:
        """Like `probe_values`, but with `default` for each position that has no answer."""
        return shortened([default if value is None else value for value in self.probe_many(game, positions).values()])

    @overload
    def probe_many(self, game: Game, positions: Sequence[str | Position], *, strict: bool = False) -> Answers: ...

    @overload
    def probe_many(self, game: AnyGame, positions: Sequence[Any], *, strict: bool = False, turns: int | None = None) -> Any: ...

    def probe_many(
        self, game: AnyGame, positions: Sequence[Any], *, strict: bool = False, turns: int | None = None
    ) -> ProbeResults:
        """An answer for each of many positions, or the reason why it has none; without chance, much faster than one by one.

        Parameters
        ----------
        positions : sequence of str or Position
            Of a game by compiled functions also an array of whole numbers, which must be positions: this is not examined.
        strict : bool
            Give no answer for a position if the table that one of its moves leads to is missing.
        turns : int, optional
            In games with chance, also give the probability of winning within this number of turns.

        Returns
        -------
        Answers
            A sequence of `Probe` and `Unanswered`, with all outcomes and distances as arrays, and their values as a list; of a
            game with chance, with the bounds ``lower`` and ``upper`` as arrays.
        """
        rules = self._rules(game)
        source = self.prober.of(rules)
        is_array = source.takes_numbers and getattr(positions, "ndim", 0) == 1 and positions.dtype.kind in "iu"  # type: ignore[attr-defined]
        asked = positions if is_array else as_list("positions", positions, f"[{rules.format(rules.initial)!r}]")
        return source.many(asked, strict=strict, turns=as_optional(as_number, "turns", turns))

    def probe_squares(
        self, game: str | Game, material: str, side: int, squares: Squares, *, check: bool = True
    ) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Outcomes and distances of many positions of one material, as arrays.

        Parameters
        ----------
        material : str
            Such as ``RCvW``.
        side : int
            The side to move, 0 or 1.
        squares : ndarray of int8, shape (positions, pieces)
            The square of each piece, in the order of the material.
        check : bool
            Check that each row is a position in which the game is not over; otherwise, other rows have meaningless values, or raise
            `IndexError`.

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

        It has a probe of the position, and of each position that the best moves and the likeliest draws lead to. It ends when the
        game does or the best move wins immediately, in a draw as soon as a position repeats, or after `plies` plies; in a game with
        chance, after 1,000 positions.

        Parameters
        ----------
        position : str or Position, optional
            By default the start of the game.
        plies : int, optional
            Stop after N plies (moves by one side).
        """
        most = as_optional(as_number, "plies", plies)
        rules = self._rules(game)
        return self.prober.line(rules, lib.game_arguments.as_asked(rules, rules.initial if position is None else position), most)

    def engine(self, game: str | Game, **options: Any) -> Engine:
        """An engine that searches positions without a table, and ends its lines in these tables, while they are open.

        `options` are fields of `tablebase.search.Options`, such as ``exact`` and ``threads``.
        """
        rules = self._game(game)
        return lib.search.Engine(rules, self.prober, lib.search.Options(**as_options(lib.search.Options, options)))

    def _asked(self, game: AnyGame, position: Any) -> tuple[Rules[Any], Any]:
        rules = self._rules(game)
        return rules, lib.game_arguments.as_asked(rules, position)
