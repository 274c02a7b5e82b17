"""The chart of the chance to win against players that err, by their fuzz; it needs no tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from tablebase.game import Game
from tablebase.game.notation import parse
from tablebase.graph.policies import chance_against
from tablebase.mining.charts.drawing import Frame
from tablebase.mining.charts.figures import Chart
from tablebase.mining.charts.tallies import Row, title_of
from tablebase.play.exploit_player import model_names, opened_models
from tablebase.play.match import side_number
from tablebase.play.strategy import EVEN

LEAST, POINTS = 2.0**-12, 49
"""The smallest fuzz that is drawn, and the number of points from there to 1."""


def chances(game: Game, position: str | None = None, player: Sequence[str] = (), side: str | None = None) -> Chart:
    """Chart the exact chance to win against players that err, by their fuzz.

    Parameters
    ----------
    position : str, optional
        Where games begin; by default the start.
    player : sequence of str
        The players that err; by default all whose errors are known.
    side : str, optional
        The letter of the side that exploits them; by default the one that loses under perfect play.
    """
    start = parse(game, game.start if position is None else position)
    rows = list[Row]()
    for name, model in opened_models(game, start, player or model_names(game)).items():
        number = model.loser() if side is None else side_number(game, side)
        policy, even = model.policy(1 - number), model.even_fuzz(number)
        for fuzz in np.geomspace(LEAST, 1.0, POINTS).tolist():
            rows.append({"player": name, "even": even, "fuzz": fuzz, "chance": float(chance_against(policy, fuzz)[0])})
    caption = f"{title_of(game, sized=True)}, {game.sides[number].name} from {game.format(start)}"
    return Chart("Probability of winning with best play against a weakened player", caption, rows, _draw)


def _draw(frame: Frame, rows: Sequence[Row]) -> None:
    curves: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        name = row["player"] if row["even"] is None else f"{row['player']}: even at {row['even']:.6f}"
        for values, value in zip(curves.setdefault(name, ([], [])), (row["fuzz"], row["chance"]), strict=True):
            values.append(value)
    evens = sorted({row["even"] for row in rows if row["even"] is not None})
    [axes] = frame.lay_out()
    frame.shares(curves)
    frame.label("fuzz p", "chance to win")
    ink = frame.style.palette.ink
    axes.axhline(EVEN, color=ink, linewidth=0.6)
    axes.plot(evens, [EVEN] * len(evens), "o", color=ink, markersize=4, zorder=4)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator([2.0**-power for power in range(0, 13, 2)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda fuzz, _: f"1/{round(1 / fuzz)}" if fuzz < 1 else f"{fuzz:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
