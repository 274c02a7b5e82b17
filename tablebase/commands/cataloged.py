"""Contents of a folder's catalog: counts of tables, and statements over them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.commands import lib, process
from tablebase.commands.arguments import as_counts, shortened
from tablebase.commands.calls import Call, from_input
from tablebase.commands.parameters import By, Format, GameName, Pieces, Statement, Timeout
from tablebase.commands.registry import check_verb
from tablebase.game.plain_arguments import as_number, as_seconds, as_text
from tablebase.system.compute.messages import listed, say

if TYPE_CHECKING:
    from tablebase.catalog.catalog import Catalog
    from tablebase.commands.catalog_statements import CatalogRows
    from tablebase.commands.descriptions import Statistics
    from tablebase.game import Game
    from tablebase.game.game_arguments import AnyGame
    from tablebase.game.rules import Rules


class Cataloged:
    """A folder of tables with its catalog."""

    def __init__(self, folder: Path, catalog: str | None = None) -> None:
        self._folder, self._url = folder, catalog
        self._is_closed = False

    @property
    def folder(self) -> Path:
        """Path of the folder that contains the tables."""
        return self._folder

    def close(self) -> None:
        """Refuse further queries."""
        self._is_closed = True

    def sql(self, statement: Statement, timeout: Timeout = None) -> CatalogRows:
        """Query the catalog (the list of all tables) with SQL.

        Parameters
        ----------
        statement : str
            One read-only SELECT statement.
        timeout : float, optional
            Time limit in seconds; a longer query raises `TimeLimitError`.
        """
        text, limit = as_text("a statement", statement), None if timeout is None else as_seconds("timeout", timeout)
        with self._catalog() as catalog:
            return lib.catalog_statements.select(catalog, text, limit)

    def stats(self, game: GameName, by: By = "pieces", pieces: Pieces = None) -> Statistics[Any]:
        """Count won, lost and drawn positions in the tables of a game.

        Wins and losses are counted for the side to move; equivalent positions that are not stored are included.

        Parameters
        ----------
        by : str
            Show one row for each number of pieces (pieces) or for each set of pieces (material).
        pieces : int, range or str, optional
            Use only tables with this number of pieces, or a number in this range.

        Returns
        -------
        Statistics
            A list of `Counts`; for games defined by functions, a list of rows as in ``tablebase stats --format json``.
        """
        rules = self._rules(game)
        lib.game_arguments.refuse_given(rules, pieces=pieces, by=None if by == "pieces" else by)
        counts = as_counts(pieces)
        with self._catalog() as catalog:
            found, gone = lib.descriptions.statistics(catalog, rules, by, counts), catalog.gone(rules)
            totals = lib.descriptions.statistics(catalog, rules, "pieces", counts).rows
        if gone:
            found.remarks.append(f"left out because of missing files in {self.folder}: {listed(gone)}")
        counted = [(one["slices"], one["of_slices"], one["pieces"]) for one in totals if "of_slices" in one]
        partial = [f"{slices:,} of {every:,} with {pieces} pieces" for slices, every, pieces in counted if slices != every]
        if partial:
            found.remarks.append(f"partial: not all slices are built ({', '.join(partial)})")
        return found

    def materials(self, game: str | Game, pieces: int | None = None) -> list[str]:
        """Return the names of all materials that have tables; with `pieces`, only materials with this number of pieces."""
        pieces = None if pieces is None else as_number("pieces", pieces)
        counts = self.stats(self._game(game, "materials"), "material")
        return shortened(list(dict.fromkeys(str(line.material) for line in counts if pieces in (None, line.pieces))))

    def describe(self, game: str | Game, material: str | None = None) -> dict[str, Any]:
        """Return a description of a game, or of a material such as ``RCvW``, as JSON data.

        The description of a game contains its title, board, sides, pieces, initial position and table counts. The description of
        a material contains its pieces and statistics for each side to move.
        """
        with self._catalog() as catalog:
            rules, found = self._game(game), lib.descriptions
            one = found.describe_game(catalog, rules) if material is None else found.describe_material(catalog, rules, material)
            return shortened(one)

    def _require_open(self) -> None:
        if self._is_closed:
            raise lib.store.closed(self.folder)

    def _game(self, game: AnyGame, verb: str | None = None) -> Game:
        """The game of a query, unless the tables have been closed; `RulesError` if a verb does not take it."""
        if verb is not None:
            check_verb(verb, self._rules(game))
        self._require_open()
        return lib.game.load_game(game)

    def _rules(self, game: AnyGame) -> Rules[Any]:
        self._require_open()
        return lib.game_arguments.as_any_game(game)

    def _catalog(self) -> closing[Catalog]:
        self._require_open()
        return closing(lib.catalog.Catalog(self.folder, catalog=self._url))


def show_stats(call: Call) -> None:
    """Without options, this command reads the tables in the folder 'data' and shows one row for each number of pieces. Wins and
    losses are counted for the side to move. The counts include positions that are not stored because they are equivalent to
    stored positions.
    """
    found = call()
    columns = [name for name in found.rows[0] if name != "of_slices" or call.style is Format.JSON]
    call.write(found.rows, columns, keys=1 + 1 * ("side" in columns))
    for remark in found.remarks:
        say(remark)


def show_sql(call: Call) -> int:
    """Without options, this command runs the statement on the catalog in the folder 'data' and prints all rows. Statements cannot
    change the catalog. To query positions, use 'tablebase mine'.
    """
    call.given["statement"] = from_input(call.given["statement"])

    def answer() -> None:
        found = call()
        call.write([dict(zip(found.columns, row, strict=True)) for row in found.fetchall()], found.columns)

    return process.run_statement(answer, call.given.get("timeout"))
