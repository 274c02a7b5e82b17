"""The charts: what each counts, drawn as a Matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matplotlib.figure import Figure

from tablebase.catalog.catalog import Catalog
from tablebase.charts.charted_slices import ChartSlices
from tablebase.charts.drawing import draw_distances, draw_draws, draw_parity, draw_squares
from tablebase.charts.tallies import Tick, count_distances, count_parity, count_squares, draw_matrices, parity_pair
from tablebase.errors import ArgumentError
from tablebase.game import Outcome


def distances(catalog: Catalog, slices: ChartSlices, outcome: str | None = None, log: bool = False) -> Figure:
    """How many positions are won and lost in how many plies.

    Parameters
    ----------
    outcome : str, optional
        ``win`` or ``loss``; by default both.
    log : bool
        Whether the scale of positions is logarithmic.
    """
    counts = count_distances(catalog, slices)
    if outcome is not None:
        shown = Outcome(outcome)
        if shown is Outcome.DRAW:
            raise ArgumentError("a draw has no distance: choose --outcome win or --outcome loss")
        counts = {shown: counts[shown]}
    return draw_distances(slices.caption, counts, slices.outcomes, log)


def squares(
    catalog: Catalog, slices: ChartSlices, piece: int = 1, outcome: str = "win", workers: int = 2, tick: Tick | None = None
) -> Figure:
    """How often positions have an outcome, by the square of a piece.

    Parameters
    ----------
    piece : int
        Number of the piece in the material, from 1.
    outcome : str
        ``win``, ``loss`` or ``draw``.
    workers : int
        Number of threads.
    tick : callable, optional
        Called from time to time with the numbers of indices decoded so far and in all.
    """
    tally = count_squares(catalog, slices, piece, workers, tick)
    return draw_squares(slices.caption, slices.piece_name(piece), slices.game.board, tally, Outcome(outcome))


def draws(catalog: Catalog, slices: ChartSlices) -> Figure:  # noqa: ARG001 (all charts are drawn alike)
    """The share of draws by the pieces of both sides."""
    first, second = slices.game.sides
    return draw_draws(slices.caption, (first.name, second.name), draw_matrices(slices))


def parity(catalog: Catalog, slices: ChartSlices, pair: Sequence[int] = (), workers: int = 2, tick: Tick | None = None) -> Figure:
    """Outcomes by the distance between two pieces, even and odd.

    Parameters
    ----------
    pair : sequence of int
        Numbers of the two pieces in the material, from 1; by default the first and the last.
    workers : int
        Number of threads.
    tick : callable, optional
        As in `squares`.
    """
    first, second = parity_pair(slices, pair)
    tally = count_parity(catalog, slices, (first, second), workers, tick)
    return draw_parity(slices.caption, (slices.piece_name(first), slices.piece_name(second)), tally)


CHARTS: Mapping[str, Callable[..., Figure]] = {"distances": distances, "squares": squares, "draws": draws, "parity": parity}
