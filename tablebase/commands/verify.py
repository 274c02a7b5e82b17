"""Check tables from Python: `tablebase.verify`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from logging import ERROR
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_catalog, as_counts, as_folder, as_texts, checked
from tablebase.commands.calls import Call
from tablebase.commands.parameters import CHECK_FAILED, Shell
from tablebase.compute.messages import brief, say
from tablebase.compute.progress import progress
from tablebase.errors import ArgumentError
from tablebase.game.plain_arguments import usable_workers
from tablebase.game.rules import Rules

if TYPE_CHECKING:
    from tablebase.building.options import TableQuery
    from tablebase.checking.checksums import Checks


@brief
@dataclass(frozen=True)
class VerifyResult:
    """The outcome of a check.

    Parameters
    ----------
    tables : int
        Tables that were checked.
    faults : mapping of str to str
        What is wrong, for each table that is not correct.
    quick : bool
        Whether the bytes alone were checked, and no positions.
    compared : int or None
        Tables whose values were compared with published ones; None without these.
    """

    tables: int
    faults: Mapping[str, str] = field(default_factory=dict)
    quick: bool = False
    compared: int | None = None

    @property
    def correct(self) -> int:
        """Number of correct tables."""
        return self.tables - len(self.faults)

    def _repr_html_(self) -> str:
        from tablebase.probe.html import titled_table

        rows = [{"table": name, "fault": fault} for name, fault in self.faults.items()]
        return titled_table(f"correct tables: {self.correct} of {self.tables}", [], rows)


@checked
def verify(
    game: shared.OptionalGame = None,
    *,
    size: shared.Size = None,
    variant: shared.Variant = None,
    pieces: shared.Pieces = None,
    material: shared.Materials = None,
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    workers: shared.Workers = None,
    published: Annotated[str | Path | None, Shell(metavar="FILE")] = None,
    quick: bool = False,
    verbose: shared.Verbose = False,
) -> VerifyResult:
    """Check every byte and every position of the tables.

    A bar (without a terminal or a notebook, a line each minute), faults and a summary are written to standard error.

    Parameters
    ----------
    game : str, Game or StochasticGame, optional
        Name of a game, or a Python file with the rules of a game; optional with --quick, which then checks all games.
    size, variant, pieces, material, data, catalog, workers, verbose : see `tablebase.build`; by default all tables of the game
    published : str or Path, optional
        CSV file with published checksums of table values, to compare with the checksums of your tables.
    quick : bool
        Check only the bytes of the files, not the positions.

    Returns
    -------
    VerifyResult
        Its `faults` are empty if all tables are correct; a fault is not an error.
    """
    from tablebase.building.kinds import table_kind
    from tablebase.building.options import TableQuery
    from tablebase.checking.published import read_published
    from tablebase.game.game_arguments import as_rules, refuse_given

    given = size or variant or pieces is not None or material
    query = TableQuery(as_counts(pieces), as_texts("material", material))
    folder, url, listed = as_folder(data), as_catalog(catalog), None if published is None else Path(published)
    rules = None if game is None else as_rules(game, size, variant)
    if quick:
        if listed is not None:
            raise ArgumentError("--published compares values, which --quick does not read: leave one of them out")
        if rules is None and given:
            raise ArgumentError("name the game of the tables that are to be checked: which these are depends on it")
        return _verify_files(rules, query, folder, url, usable_workers(workers), verbose)
    if rules is None:
        raise ArgumentError("name the game whose positions are to be checked, or check the bytes of all tables with --quick")
    refuse_given(rules, pieces=pieces, material=material, published=published)
    expected = read_published(listed, rules) if listed else {}
    total, results = table_kind(rules).verify(query, folder, workers, expected, url)
    found = _checked(f"verify {rules.name}", total, results, verbose=verbose, compiles=True)
    result = VerifyResult(total, _faults(found), compared=len(found.keys() & expected.keys()) if listed else None)
    say(f"correct tables: {result.correct} of {result.tables}")
    if listed:
        say(f"tables that {listed} lists, too: {result.compared} of {total}")
    return result


def show_verify(call: Call) -> int | None:
    """Exit with `CHECK_FAILED` if a table is not correct; all else is written while tables are checked.

    Without options, this command checks all tables of the game in the folder 'data' and uses all processors. If it finds an error,
    the exit code is 1.
    """
    return CHECK_FAILED if call().faults else None


def _verify_files(
    game: Rules[Any] | None, query: TableQuery, folder: Path, catalog: str | None, threads: int, verbose: bool
) -> VerifyResult:
    """Check the bytes of a game's tables, or of all tables that the catalog lists, also those of other rules."""
    from tablebase.building.transfer import entries_asked_for
    from tablebase.catalog.catalog import entries_of
    from tablebase.checking.checksums import verify_files

    if game is not None:
        entries = entries_asked_for(game, query.pieces, list(query.materials) or None, folder, catalog)
    else:
        entries = list(entries_of(folder, catalog).values())
    title = f"verify {folder if game is None else game.name}"
    good = "the bytes are those that were written"
    found = _checked(title, len(entries), verify_files(folder, entries, threads), good, verbose=verbose)
    result = VerifyResult(len(entries), _faults(found), quick=True)
    say(f"tables whose bytes are as they were written: {result.correct} of {result.tables}; positions were not checked")
    return result


def _checked(
    title: str, total: int, results: Checks, good: str = "correct", *, verbose: bool, compiles: bool = False
) -> dict[str, str | None]:
    """Show the checks of tables; what is wrong with each, None if it is correct."""
    found: dict[str, str | None] = {}
    with progress(title, "tables", total, verbose=verbose, compiles=compiles) as shown, closing(results):
        for name, fault in results:
            found[name] = fault
            shown.update()
            if fault is None:
                shown.note(f"{name}: {good}")
            else:
                shown.write(f"error: {fault}", ERROR)
    return found


def _faults(found: dict[str, str | None]) -> dict[str, str]:
    return {name: fault for name, fault in found.items() if fault is not None}
