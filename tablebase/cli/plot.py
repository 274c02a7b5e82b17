"""The command that draws: plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import CORES, DEFAULT_DATA, Data, GameName, Pieces, Size, Threads, Variant, chosen_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tablebase.catalog.catalog import Catalog
    from tablebase.charts.selection import ChartSlices


class Chart(StrEnum):
    """What can be drawn."""

    DISTANCES = "distances"
    SQUARES = "squares"
    DRAWS = "draws"
    PARITY = "parity"


class ShownOutcome(StrEnum):
    """Values of --outcome."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"


CHARTS_OF_OPTION = {
    "--piece": (Chart.SQUARES, Chart.PARITY),
    "--outcome": (Chart.DISTANCES, Chart.SQUARES),
    "--log": (Chart.DISTANCES,),
}
"""Options that apply only to some charts."""


@dataclass(frozen=True)
class Request:
    """What to draw, as given by the options."""

    catalog: Catalog
    slices: ChartSlices
    pieces: tuple[int, ...]
    outcome: ShownOutcome | None
    log: bool
    workers: int


def plot(
    chart: Annotated[Chart, typer.Argument(metavar="CHART", help="distances, squares, draws or parity.")],
    game: GameName,
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="Picture to write: FILE.png, FILE.svg or FILE.pdf.")],
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Annotated[
        list[str] | None,
        typer.Option("--material", metavar="RCvW", help="This material, or a pattern such as '?v?' or 'R*v*'; may be repeated."),
    ] = None,
    side: Annotated[str | None, typer.Option("--side", metavar="w", help="Only slices with this side to move.")] = None,
    piece: Annotated[
        list[int] | None,
        typer.Option("--piece", metavar="N", help="Number of a piece of the material, from 1; for parity, give it twice."),
    ] = None,
    outcome: Annotated[
        ShownOutcome | None,
        typer.Option("--outcome", help="Outcome to show; by default win for squares, win and loss for distances."),
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="Draw distances on a logarithmic scale.")] = False,
    data: Data = DEFAULT_DATA,
    workers: Threads = CORES,
) -> None:
    """Draw a chart of the tables built so far. Outcomes are for the side to move."""
    from tablebase.catalog.catalog import Catalog
    from tablebase.charts.selection import select_slices
    from tablebase.cli.output import say

    _check_options(chart, {"--piece": piece, "--outcome": outcome, "--log": log})
    _check_drawing(output)
    rules = chosen_game(game, size, variant)
    catalog = Catalog(data)
    try:
        slices = select_slices(rules, catalog, pieces, material or [], side)
        figure = DRAW[chart](Request(catalog, slices, tuple(piece or ()), outcome, log, workers))
    finally:
        catalog.close()

    from tablebase.charts.drawing import save

    save(figure, output)
    say(f"wrote {output}: {chart.value} of {slices.caption}")


def _check_options(chart: Chart, given: dict[str, object]) -> None:
    """Refuse options that do not apply to the chart."""
    from tablebase.errors import TablebaseError

    for option, charts in CHARTS_OF_OPTION.items():
        if given[option] and chart not in charts:
            raise TablebaseError(f"{option} is for {' and '.join(charts)}, not for {chart.value}: omit it")


def _check_drawing(output: Path) -> None:
    """Check that Matplotlib is installed and the suffix is known, before anything is counted."""
    from importlib.util import find_spec

    from tablebase.errors import MissingExtraError

    if find_spec("matplotlib") is None:
        raise MissingExtraError("pictures", "plot")

    from tablebase.charts.drawing import check_suffix

    check_suffix(output)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar, as a function of the indices done and their total."""
    from tablebase.cli.progress import progress

    with progress(f"plot {name}", "positions") as shown:
        yield shown.reach


def _distances(request: Request) -> Figure:
    from tablebase.charts.drawing import draw_distances
    from tablebase.charts.tallies import count_distances
    from tablebase.errors import TablebaseError
    from tablebase.game import Outcome

    if request.outcome is ShownOutcome.DRAW:
        raise TablebaseError("a draw has no distance: choose --outcome win or --outcome loss")
    counts = count_distances(request.catalog, request.slices)
    if request.outcome is not None:
        outcome = Outcome(request.outcome.value)
        counts = {outcome: counts[outcome]}
    return draw_distances(request.slices.caption, counts, request.slices.outcomes, request.log)


def _squares(request: Request) -> Figure:
    from tablebase.charts.drawing import draw_squares
    from tablebase.charts.tallies import count_squares
    from tablebase.errors import TablebaseError
    from tablebase.game import Outcome

    if len(request.pieces) > 1:
        raise TablebaseError("squares shows one piece: give --piece once")
    slices, piece = request.slices, (request.pieces or (1,))[0]
    with _progress(slices.game.name) as tick:
        tally = count_squares(slices, request.catalog.folder, piece, request.workers, tick)
    outcome = Outcome((request.outcome or ShownOutcome.WIN).value)
    return draw_squares(slices.caption, slices.piece_name(piece), slices.game.board, tally, outcome)


def _draws(request: Request) -> Figure:
    from tablebase.charts.drawing import draw_draws
    from tablebase.charts.tallies import draw_matrices

    first, second = request.slices.game.sides
    return draw_draws(request.slices.caption, (first.name, second.name), draw_matrices(request.slices))


def _parity(request: Request) -> Figure:
    from tablebase.charts.drawing import draw_parity
    from tablebase.charts.tallies import count_parity, parity_pair

    slices = request.slices
    pair = parity_pair(slices, request.pieces)
    with _progress(slices.game.name) as tick:
        tally = count_parity(slices, request.catalog.folder, pair, request.workers, tick)
    return draw_parity(slices.caption, (slices.piece_name(pair[0]), slices.piece_name(pair[1])), tally)


DRAW: dict[Chart, Callable[[Request], Figure]] = {
    Chart.DISTANCES: _distances,
    Chart.SQUARES: _squares,
    Chart.DRAWS: _draws,
    Chart.PARITY: _parity,
}
COMMANDS = (plot,)
