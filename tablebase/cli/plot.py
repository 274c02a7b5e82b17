"""The command that draws: plot."""

from __future__ import annotations

from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules
from tablebase.game.plain_arguments import usable_workers


class Chart(StrEnum):
    """What can be drawn."""

    DISTANCES = "distances"
    SQUARES = "squares"
    DRAWS = "draws"
    PARITY = "parity"
    CHANCES = "chances"


CHARTS_OF_OPTION = {
    "--piece": (Chart.SQUARES, Chart.PARITY),
    "--outcome": (Chart.DISTANCES, Chart.SQUARES),
    "--log": (Chart.DISTANCES,),
    "--from": (Chart.CHANCES,),
    "--player": (Chart.CHANCES,),
    "--pieces": (Chart.DISTANCES, Chart.SQUARES, Chart.DRAWS, Chart.PARITY),
    "--material": (Chart.DISTANCES, Chart.SQUARES, Chart.DRAWS, Chart.PARITY),
}
"""Options that apply only to some charts."""
COUNTING = (Chart.SQUARES, Chart.PARITY)
"""Charts that read all positions of their slices."""


def plot(
    chart: Annotated[Chart, typer.Argument(metavar="CHART", help="distances, squares, draws, parity or chances.")],
    game: options.GameName,
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="Picture to write: FILE.png, FILE.svg or FILE.pdf.")],
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: Annotated[
        list[str] | None,
        typer.Option("--material", metavar="RCvW", help="This material, or a pattern such as '?v?' or 'R*v*'; may be repeated."),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option("--side", metavar="w", help="Only slices with this side to move; for chances, the side that exploits."),
    ] = None,
    piece: Annotated[
        list[int] | None,
        typer.Option("--piece", metavar="N", help="Number of a piece of the material, from 1; for parity, give it twice."),
    ] = None,
    outcome: Annotated[
        options.ShownOutcome | None,
        typer.Option("--outcome", help="Outcome to show; by default win for squares, win and loss for distances."),
    ] = None,
    log: Annotated[bool, typer.Option("--log", help="Draw distances on a logarithmic scale.")] = False,
    position: Annotated[
        str | None, typer.Option("--from", metavar="POSITION", help="For chances: where games begin, by default at the start.")
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option("--player", metavar="NAME", help="For chances: foxbox, ranking or tables, which errs; may be repeated."),
    ] = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Threads = None,
) -> None:
    """Draw a chart of tables, or of chances against weakened play.

    Outcomes are for the side to move.
    """
    from tablebase.charts.picture_files import check_picture

    given = {"--piece": piece, "--outcome": outcome, "--log": log, "--from": position, "--player": player}
    _check_options(chart, {**given, "--pieces": pieces, "--material": material})
    chosen = _drawing_options(chart, tuple(piece or ()), outcome, log)
    check_picture(output)
    from tablebase.catalog.catalog import Catalog
    from tablebase.charts.charted_slices import select_slices
    from tablebase.charts.drawing import save
    from tablebase.charts.figures import CHARTS
    from tablebase.compute.messages import say
    from tablebase.compute.progress import progress

    rules = chosen_rules("plot", game, size, variant)
    if chart is Chart.CHANCES:
        from tablebase.charts.chances import chances

        save(chances(rules, position, player or (), side), output)
        say(f"wrote {output}: {chart.value} of {rules.title}")
        return
    with closing(Catalog(data, catalog=catalog)) as opened:
        slices = select_slices(rules, opened, pieces, material or [], side)
        if chart in COUNTING:
            with progress(f"plot {rules.name}", "positions") as shown:
                figure = CHARTS[chart](opened, slices, **chosen, workers=usable_workers(workers), tick=shown.reach)
        else:
            figure = CHARTS[chart](opened, slices, **chosen)
    save(figure, output)
    say(f"wrote {output}: {chart.value} of {slices.caption}")


def _check_options(chart: Chart, given: dict[str, object]) -> None:
    """Refuse options that do not apply to the chart."""
    from tablebase.errors import TablebaseError

    for option, charts in CHARTS_OF_OPTION.items():
        if given[option] and chart not in charts:
            raise TablebaseError(f"{option} is for {' and '.join(charts)}, not for {chart.value}: omit it")


def _drawing_options(chart: Chart, pieces: tuple[int, ...], outcome: options.ShownOutcome | None, log: bool) -> dict[str, object]:
    """The options of the command as those of its chart."""
    from tablebase.errors import TablebaseError

    if chart is Chart.DISTANCES:
        return {"outcome": outcome, "log": log}
    if chart is Chart.SQUARES:
        if len(pieces) > 1:
            raise TablebaseError("squares shows one piece: give --piece once")
        return {"piece": (pieces or (1,))[0], "outcome": outcome or options.ShownOutcome.WIN}
    return {"pair": pieces} if chart is Chart.PARITY else {}
