"""Look after the folder of the tables: verify, reindex and prune."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from logging import ERROR
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands import lib
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_catalog, as_counts, as_folder, checked
from tablebase.commands.calls import Call
from tablebase.commands.parameters import CHECK_FAILED, PYTHON_ONLY, Shell
from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game.plain_arguments import as_texts, usable_workers
from tablebase.system.compute.messages import brief, say

if TYPE_CHECKING:
    from tablebase.building.prune import Prunable
    from tablebase.building.reindex import Rebuilt
    from tablebase.checking.checksums import Checks


@brief
@dataclass(frozen=True)
class VerifyResult:
    """Result of a verification: number of checked `tables`, `errors` by table, and number `compared` with published checksums."""

    tables: int  # all that were checked
    errors: Mapping[str, str] = field(default_factory=dict)  # by table
    quick: bool = False  # True if only the bytes were checked, and no positions
    compared: int | None = None  # tables that a list with published values contains

    @property
    def correct(self) -> int:
        """Number of correct tables."""
        return self.tables - len(self.errors)

    @property
    def exit_code(self) -> int:
        """Exit code of `tablebase verify`: 0 if all tables are correct, otherwise 1."""
        return CHECK_FAILED if self.errors else 0

    def _repr_html_(self) -> str:
        rows = [{"table": name, "fault": error} for name, error in self.errors.items()]
        return lib.html.titled_table(f"correct tables: {self.correct} of {self.tables}", [], rows)


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

    By default, all tables of the game are checked, using all processors. If a table has an error, the exit code of the command is
    1.

    Progress, errors and a summary are written to standard error.

    Parameters
    ----------
    game : str, Game or StochasticGame, optional
        Name of a game, or a Python file that defines a game; not needed for a quick check, which covers all games by default.
    size, variant, pieces, material, data, catalog, workers, verbose : see `tablebase.build`; by default, all tables of the game
    published : str or Path, optional
        CSV file with published checksums of table values, to compare with the checksums of your tables.
    quick : bool
        Check only the bytes of the files, not the positions.

    Returns
    -------
    VerifyResult
        Result of the verification; `errors` is empty if all tables are correct.
    """
    query = lib.options.TableQuery(as_counts(pieces), as_texts("material", material))
    folder, url, listed = as_folder(data), as_catalog(catalog), None if published is None else Path(published)
    rules = None if game is None else lib.game_arguments.as_rules(game, size, variant)
    if quick:
        if listed is not None:
            raise ArgumentError("cannot use --published with --quick: leave out --published or --quick")
        if rules is None and (size or variant or pieces is not None or material):
            raise ArgumentError("cannot use --size, --variant, --pieces or --material without GAME: add GAME")
        threads, entries = usable_workers(workers), list(lib.catalog.entries_of(folder, url).values()) if rules is None else []
        if rules is not None:
            entries = lib.transfer.entries_asked_for(rules, query.pieces, list(query.materials) or None, folder, url)
        title, good = f"verify {rules.name if rules else folder}", "bytes unchanged"
        _, errors = _checked(title, len(entries), lib.checksums.verify_files(folder, entries, threads), good, verbose=verbose)
        result = VerifyResult(len(entries), errors, quick=True)
        say(f"tables with unchanged bytes: {result.correct} of {result.tables}; positions were not checked")
        return result
    if rules is None:
        raise ArgumentError("missing GAME: give a game, or add --quick to verify only the checksums of all tables")
    lib.game_arguments.refuse_given(rules, pieces=pieces, material=material, published=published)
    expected = lib.published.read_published(listed, rules) if listed else {}
    total, results = lib.kind.table_kind(rules).verify(query, folder, workers, expected, url)
    names, errors = _checked(f"verify {rules.name}", total, results, verbose=verbose, compiles=True)
    result = VerifyResult(total, errors, compared=len(names & expected.keys()) if listed else None)
    say(f"correct tables: {result.correct} of {result.tables}")
    if listed:
        say(f"tables also listed in {listed}: {result.compared} of {total}")
    return result


def _checked(
    title: str, total: int, results: Checks, good: str = "correct", *, verbose: bool, compiles: bool = False
) -> tuple[set[str], dict[str, str]]:
    names, errors = set[str](), dict[str, str]()
    with lib.progress.progress(title, "tables", total, verbose=verbose, compiles=compiles) as shown, closing(results):
        for name, error in results:
            names.add(name)
            shown.update()
            if error is None:
                shown.note(f"{name}: {good}")
            else:
                errors[name] = error
                shown.write(f"error: {error}", ERROR)
    return names, errors


@checked
def reindex(data: shared.Data = None, catalog: shared.CatalogUrl = None) -> Rebuilt:
    """Rebuild the catalog (list of all tables) from the table files.

    Parameters
    ----------
    data, catalog : see `tablebase.build`
    """
    folder = as_folder(data)
    if not folder.is_dir():
        raise TablebaseError(f"folder {folder} not found: check the path given to --data")
    return lib.reindex.reindex(folder, as_catalog(catalog))


def show_reindex(call: Call) -> None:
    """Without options, this command reads all tables in the folder 'data' and writes the file 'catalog.sqlite' in that folder."""
    done = call()
    tables = f"{sum(done.tables.values())} tables of {', '.join(done.tables) or 'no game'}"
    say(f"catalog of {as_folder(call.given.get('data'))} rebuilt from {tables}{lib.reindex.left_out(done)}")


@checked
def prune(
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    *,
    yes: bool = False,
    agreed: Annotated[Callable[[Sequence[Any]], bool] | None, PYTHON_ONLY] = None,
) -> list[Prunable]:
    """Remove outdated tables and files left by interrupted commands.

    Parameters
    ----------
    data, catalog : see `tablebase.build`
    yes : bool
        Remove the files without asking for confirmation.
    agreed : callable, optional
        Callback for confirmation, called with the removable files; the files are removed if the callback returns True.

    Returns
    -------
    list of Prunable
        All removable files, each with its size and the reason for its removal, even if nothing was removed.
    """
    found: list[Prunable] = []

    def decided(items: list[Prunable]) -> bool:
        found.extend(items)
        return agreed(items) if agreed else yes

    lib.prune.prune(as_folder(data), as_catalog(catalog), decided)
    return found


def show_prune(call: Call, *, kernels: bool = False) -> None:
    """Without options, this command lists the removable files in the folder 'data' and prompts for confirmation before removing
    them.

    Parameters
    ----------
    kernels : bool
        Remove only cached compiled code that this version of the program does not use.
    """
    total, removed = "", bool(call.given.get("yes"))

    def agreed(items: Sequence[Any]) -> bool:
        nonlocal total, removed
        rows = [asdict(item) for item in items]
        call.write(rows)
        total = f"{sum(row.get('files', 1) for row in rows):,} files, {sum(row['bytes'] for row in rows):,} bytes"
        if not removed and not sys.stdin.isatty():
            raise TablebaseError("nothing was removed: confirm the removal in a terminal, or run the command again with --yes")
        if not removed:
            sys.stdout.flush()
            sys.stderr.write(f"remove {total}? [y/N] ")
            sys.stderr.flush()
            removed = sys.stdin.readline().strip().lower() in ("y", "yes")
        return removed

    place = lib.kernel_cache.cache_parent() if kernels else as_folder(call.given.get("data"))
    if place is None:
        raise TablebaseError("home folder not found: set TABLEBASE_CACHE to a folder for compiled code")
    if kernels:
        lib.kernel_cache.prune_kernels(place, agreed)
    else:
        call(agreed=agreed)
    unchanged = "nothing was removed" if total else f"nothing to remove in {place}"
    say(f"removed from {place}: {total}" if removed and total else unchanged)
