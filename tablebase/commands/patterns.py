"""Features, rules and trees that predict outcomes: patterns, and positions for other programs that learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tablebase.commands import lib
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_column_names, as_counts, checked, known_features
from tablebase.commands.calls import Call
from tablebase.commands.cataloged import Cataloged
from tablebase.commands.parameters import PYTHON_ONLY, Output, Shell
from tablebase.errors import MissingExtraError
from tablebase.game.plain_arguments import as_number, as_text, as_texts, usable_workers
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    from tablebase.commands.findings import Findings
    from tablebase.mining.patterns.pattern_search import Dataset, Patterns, Search

_PAGE = "Also write an HTML page with tables and charts to this file."
Run = Annotated[Callable[[list["Search"]], Iterable["Patterns"]] | None, PYTHON_ONLY]


class PatternSearches(Cataloged):
    """The tables of a folder, to be searched for patterns."""

    @checked
    def patterns(
        self,
        game: shared.GameName,
        *,
        material: shared.Materials = None,
        pieces: shared.Pieces = None,
        pool: bool = False,
        target: Literal["outcome", "distance", "only_move"] = "outcome",
        outcome: shared.OutcomeName | None = None,
        features: shared.Features = None,
        conditions: Annotated[int, Shell(metavar="N", least=1, most=3)] = 2,
        support: Annotated[float, Shell(metavar="SHARE")] = 0.0,
        depth: Annotated[int, Shell(metavar="N", least=0, most=8)] = 3,
        workers: shared.Threads = None,
        run: Run = None,
    ) -> Findings:
        """Find features, rules and decision trees that predict outcomes.

        Each set of pieces is analysed separately, unless `pool` is True. The results are not stored in the catalog.

        Parameters
        ----------
        pool : bool
            Analyse the positions of all sets of pieces together.
        target : str
            Column to predict; 'only_move' is true if only one move keeps the outcome.
        outcome : str, optional
            Use only positions with this outcome. For the target 'distance', choose win or loss; for 'only_move', win or draw.
        conditions : int
            Maximum number of conditions in a rule, from 1 to 3.
        support : float
            Minimum share of positions (0 to 1) covered by a rule or by a leaf of a tree.
        depth : int
            Maximum depth of the decision trees; 0 for no trees.
        game, material, pieces, features, workers : see `export`
        run : callable, optional
            Function that is called with all searches, runs them and returns the results to keep; by default, all results.

        Raises
        ------
        MissingExtraError
            If `depth` is greater than 0 and scikit-learn is not installed.
        """
        rules, wanted = self._game(game, "patterns"), lib.levels.target_of(as_text("target", target), outcome)
        settings = lib.pattern_search.PatternSettings(wanted, depth, conditions, support)
        if depth and not lib.trees.available():
            raise MissingExtraError("trees", "patterns")
        named, counts = as_texts("material", material), as_counts(pieces)
        selection = lib.selection.select_by_name(rules, self.folder, named, counts, catalog=self._url)
        known = known_features(rules, features)
        with closing(lib.store.Store(self.folder)) as store:
            planned = lib.pattern_search.searches(rules, store, selection, known, usable_workers(workers), settings, pool)
            return lib.findings.Findings(run(planned) if run else (one.run() for one in planned))

    @checked
    def dataset(
        self,
        game: shared.GameName,
        material: shared.Materials = None,
        *,
        pieces: shared.Pieces = None,
        target: Literal["outcome", "distance", "only_move"] = "outcome",
        outcome: shared.OutcomeName | None = None,
        columns: str | Iterable[str] | None = None,
        features: shared.Features = None,
        limit: int | None = 200_000,
        seed: int = 0,
        workers: shared.Threads = None,
    ) -> Dataset:
        """Return positions as arrays `X`, `y` and `groups`, for scikit-learn and other machine learning libraries.

        This method does not require scikit-learn or pandas. The default columns and the sample are the same as in `patterns` with
        ``pool=True``.

        Parameters
        ----------
        columns : str or iterable of str, optional
            Columns of `X`; by default, all features, the file and rank of each piece, and the type of each piece if it varies.
        limit : int, optional
            Approximate maximum number of positions; a larger set is sampled at random. None selects all positions.
        seed : int
            Seed for the random sample.
        game, material, pieces, target, outcome, features, workers : see `patterns`
        """
        names, most = as_column_names(columns), None if limit is None else as_number("limit", limit, 1)
        found: list[Dataset] = []

        def read(planned: list[Search]) -> list[Patterns]:
            found.extend(search.dataset(names, most, as_number("seed", seed)) for search in planned)
            return []

        of: dict[str, Any] = {"material": material, "pieces": pieces, "outcome": outcome, "features": features, "workers": workers}
        self.patterns(game, **of, target=target, pool=True, depth=0, run=read)
        return found[0]


def show_patterns(
    call: Call,
    *,
    top: Annotated[int, Shell(help="Number of features and of pairs to show, best first.", metavar="N", least=1)] = 10,
    output: Annotated[Path | None, Shell(help=_PAGE, metavar="FILE", output=Output.FILE)] = None,
) -> None:
    """Without options, this command analyses all tables of the game in the folder 'data' and finds features and rules that
    predict the outcome. Each set of pieces is analysed separately. The results are also stored in the catalog.
    """
    from importlib.resources import files

    if call.given.get("depth", 3) and not lib.trees.available():
        say(str(MissingExtraError("trees", "patterns")))
        call.given["depth"] = 0
    if output is not None:
        lib.outputs.check_output(output, lib.report.HINT, inputs=[call.given.get("features")])
    lib.reindex.prepare_catalog(call.folder, call.catalog)

    def run(planned: list[Search]) -> Iterable[Patterns]:
        written, kept = tee(lib.findings.stored(planned, call.folder, call.catalog))
        lib.findings.write_findings(written, len(planned), top, call.style)
        return kept

    found = call(run=run)
    if output is not None:
        lib.report.write_report(output, found, top, (files("tablebase.web") / "static" / "pages.css").read_text(encoding="utf-8"))
        say(f"wrote {output}: {len(found)} {'set' if len(found) == 1 else 'sets'} of positions")
