"""The command that draws: plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import CORES, DEFAULT_DATA, Data, Exactly, GameName, Size, Threads, Variant, chosen_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tablebase.catalog.catalog import Catalog
    from tablebase.charts.selection import Choice


class Chart(StrEnum):
    """What can be drawn."""

    DISTANCES = "distances"
    SQUARES = "squares"
    DRAWS = "draws"
    PARITY = "parity"


class Shown(StrEnum):
    """Outcomes that can be asked for."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"


OF_SOME = {
    "--piece": (Chart.SQUARES, Chart.PARITY),
    "--outcome": (Chart.DISTANCES, Chart.SQUARES),
    "--log": (Chart.DISTANCES,),
}
"""Options that mean something for some charts alone."""


@dataclass(frozen=True)
class Wanted:
    """What is asked for, as the options say it."""

    catalog: Catalog
    choice: Choice
    pieces: tuple[int, ...]
    outcome: Shown | None
    log: bool
    workers: int


def plot(
    chart: Annotated[Chart, typer.Argument(metavar="CHART", help="distances, squares, draws or parity.")],
    game: GameName,
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The picture: FILE.png, FILE.svg or FILE.pdf.")],
    size: Size = None,
    variant: Variant = None,
    pieces: Exactly = None,
    material: Annotated[
        list[str] | None,
        typer.Option("--material", metavar="RCvW", help="This material, or a pattern such as '?v?' or 'R*v*'; may be given again."),
    ] = None,
    side: Annotated[str | None, typer.Option("--side", metavar="w", help="Just with this side to move.")] = None,
    piece: Annotated[
        list[int] | None,
        typer.Option("--piece", metavar="N", help="Which piece of the material, from 1; for parity, give it twice."),
    ] = None,
    outcome: Annotated[
        Shown | None, typer.Option("--outcome", help="Which one squares shows, by default win; distances shows both by default.")
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="Draw distances on a logarithmic scale.")] = False,
    data: Data = DEFAULT_DATA,
    workers: Threads = CORES,
) -> None:
    """Draw a chart of the tables that are built; outcomes are always those of the side to move."""
    from tablebase.catalog.catalog import Catalog
    from tablebase.charts.selection import choose
    from tablebase.cli.output import say

    _check_options(chart, {"--piece": piece, "--outcome": outcome, "--log": log})
    _check_drawing(output)
    rules = chosen_game(game, size, variant)
    catalog = Catalog(data)
    try:
        choice = choose(rules, catalog, pieces, material or [], side)
        figure = DRAWN[chart](Wanted(catalog, choice, tuple(piece or ()), outcome, log, workers))
    finally:
        catalog.close()

    from tablebase.charts.drawing import save

    save(figure, output)
    say(f"wrote {output}: {chart.value} of {choice.caption}")


def _check_options(chart: Chart, given: dict[str, object]) -> None:
    """See that no option is given that the chart has no use for."""
    from tablebase.errors import TablebaseError

    for option, charts in OF_SOME.items():
        if given[option] and chart not in charts:
            raise TablebaseError(f"{option} is for {' and '.join(charts)}, not for {chart.value}: leave it away")


def _check_drawing(output: Path) -> None:
    """See that there is something to draw with, before anything is counted."""
    from importlib.util import find_spec

    from tablebase.errors import TablebaseError

    if find_spec("matplotlib") is None:
        raise TablebaseError("a picture needs matplotlib: install it with pip install 'tablebase[plot]'")

    from tablebase.charts.drawing import check_suffix

    check_suffix(output)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None]]:
    """A bar, and what to tell it."""
    from tqdm import tqdm

    with tqdm(desc=f"plot {name}", unit="pos", unit_scale=True, leave=False) as bar:

        def tick(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tick


def _distances(wanted: Wanted) -> Figure:
    from tablebase.charts.drawing import draw_distances
    from tablebase.charts.tallies import count_distances
    from tablebase.errors import TablebaseError
    from tablebase.game import Outcome

    if wanted.outcome is Shown.DRAW:
        raise TablebaseError("a draw has no distance: ask for --outcome win or --outcome loss")
    found = count_distances(wanted.catalog, wanted.choice)
    if wanted.outcome is not None:
        found = {Outcome(wanted.outcome.value): found[Outcome(wanted.outcome.value)]}
    return draw_distances(wanted.choice.caption, found, wanted.choice.outcomes, wanted.log)


def _squares(wanted: Wanted) -> Figure:
    from tablebase.charts.drawing import draw_squares
    from tablebase.charts.tallies import count_squares
    from tablebase.errors import TablebaseError
    from tablebase.game import Outcome

    if len(wanted.pieces) > 1:
        raise TablebaseError("squares shows one piece: give --piece once")
    choice, piece = wanted.choice, (wanted.pieces or (1,))[0]
    with _progress(choice.game.name) as tick:
        tally = count_squares(choice, wanted.catalog.folder, piece, wanted.workers, tick)
    outcome = Outcome((wanted.outcome or Shown.WIN).value)
    return draw_squares(choice.caption, choice.piece_name(piece), choice.game.board, tally, outcome)


def _draws(wanted: Wanted) -> Figure:
    from tablebase.charts.drawing import draw_draws
    from tablebase.charts.tallies import draw_matrices

    first, second = wanted.choice.game.sides
    return draw_draws(wanted.choice.caption, (first.name, second.name), draw_matrices(wanted.choice))


def _parity(wanted: Wanted) -> Figure:
    from tablebase.charts.drawing import draw_parity
    from tablebase.charts.tallies import count_parity, parity_pair

    choice = wanted.choice
    pair = parity_pair(choice, wanted.pieces)
    with _progress(choice.game.name) as tick:
        tally = count_parity(choice, wanted.catalog.folder, pair, wanted.workers, tick)
    return draw_parity(choice.caption, (choice.piece_name(pair[0]), choice.piece_name(pair[1])), tally)


DRAWN: dict[Chart, Callable[[Wanted], Figure]] = {
    Chart.DISTANCES: _distances,
    Chart.SQUARES: _squares,
    Chart.DRAWS: _draws,
    Chart.PARITY: _parity,
}
COMMANDS = (plot,)
