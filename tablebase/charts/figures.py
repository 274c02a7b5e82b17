"""The charts: what each counts, drawn as a Matplotlib figure; for their options see `Tablebase.plot`, for `counting` `answered`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from tablebase.catalog.catalog import Catalog
from tablebase.charts.charted_slices import ChartSlices
from tablebase.charts.drawing import draw_curves, draw_distances, draw_draws, draw_outcomes, draw_parity, draw_squares
from tablebase.charts.tallies import (
    answered,
    count_distances,
    count_parity,
    count_squares,
    count_values,
    draw_matrices,
    parity_pair,
    quoted_name,
)
from tablebase.errors import ArgumentError
from tablebase.game import Outcome
from tablebase.game.rules import Rules


def distances(catalog: Catalog, slices: ChartSlices, outcome: str | None = None, log: bool = False) -> Figure:
    """Draw how many positions are won and lost in how many plies."""
    return draw_distances(slices.caption, _shown(count_distances(catalog, slices), outcome), slices.outcomes, log)


def _shown(counts: Mapping[Outcome, Mapping[int, int]], outcome: str | None) -> Mapping[Outcome, Mapping[int, int]]:
    """The counts of one outcome, or of all."""
    if outcome == Outcome.DRAW:
        raise ArgumentError("a draw has no distance: choose --outcome win or --outcome loss")
    return {one: its for one, its in counts.items() if outcome in (None, one)}


def squares(catalog: Catalog, slices: ChartSlices, piece: int = 1, outcome: str = "win", **counting: Any) -> Figure:
    """Draw how often positions have an outcome, by the square of a piece."""
    tally = count_squares(catalog, slices, piece, **counting)
    return draw_squares(slices.caption, slices.piece_name(piece), slices.game.board, tally, Outcome(outcome))


def draws(catalog: Catalog, slices: ChartSlices) -> Figure:  # noqa: ARG001 (all charts are drawn alike)
    """Draw the share of draws by the pieces of both sides."""
    first, second = slices.game.sides
    return draw_draws(slices.caption, (first.name, second.name), draw_matrices(slices))


def parity(catalog: Catalog, slices: ChartSlices, pair: Sequence[int] = (), **counting: Any) -> Figure:
    """Draw outcomes by the distance between two pieces, by default the first and the last, even and odd."""
    first, second = parity_pair(slices, pair)
    tally = count_parity(catalog, slices, (first, second), **counting)
    return draw_parity(slices.caption, (slices.piece_name(first), slices.piece_name(second)), tally)


def values(catalog: Catalog, slices: ChartSlices, by: str = "", **counting: Any) -> Figure:
    """Draw outcomes by the value of a column."""
    tally = count_values(catalog, slices.game, by, slices.condition, **counting)
    return draw_outcomes(slices.caption, by, tally)


def stored(catalog: Catalog, game: Rules[Any], chart: str, options: Mapping[str, Any], **counting: Any) -> Figure:
    """A chart of a game by functions, of all its stored positions; raise `TablebaseError` if these lack what it shows."""
    has_chance = "chance" in game.can
    if chart != "values" and (has_chance or chart != "distances"):
        lack = "has no distances, since chance decides" if chart == "distances" else "has no pieces on squares"
        raise ArgumentError(f"the chart {chart!r} cannot be drawn, because {game.name} {lack}: choose the chart 'values'")
    caption = f"{game.title}: stored positions, for the player to move"
    if chart == "values" and has_chance:
        by = options["by"]
        means = f"SELECT {quoted_name(by)}, avg(lower), avg(upper) FROM positions GROUP BY 1 ORDER BY 1"
        points, *bounds = zip(*answered(catalog, game, means, **counting), strict=True)
        curves = {name: (points, shares) for name, shares in zip(("at least", "at most"), bounds, strict=True)}
        return draw_curves(f"Mean chance to win by {by}", caption, (by, "chance to win"), curves)
    tally = count_values(catalog, game, options.get("by", "distance"), "NOT final", **counting)
    if chart == "values":
        return draw_outcomes(caption, options["by"], tally)
    totals = sum(tally.values(), Counter[Outcome]())
    won_or_lost = (Outcome.WIN, Outcome.LOSS)
    counts = {outcome: {plies: its[outcome] for plies, its in tally.items() if its[outcome]} for outcome in won_or_lost}
    return draw_distances(caption, _shown(counts, options["outcome"]), totals, options["log"])


CHARTS: Mapping[str, Callable[..., Figure]] = {
    "distances": distances,
    "squares": squares,
    "draws": draws,
    "parity": parity,
    "values": values,
}
