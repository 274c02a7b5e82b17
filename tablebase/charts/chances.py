"""The chart of the chance to win against players that err, by their fuzz; it needs no tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from tablebase.charts.drawing import draw_curves
from tablebase.game import Game
from tablebase.game.notation import parse
from tablebase.graph.policies import chance_against
from tablebase.play.exploit_player import model_names, opened_models
from tablebase.play.match import side_number
from tablebase.play.strategy import EVEN

LEAST, POINTS = 2.0**-12, 49
"""The smallest fuzz that is drawn, and the number of points from there to 1."""


def chances(game: Game, position: str | None = None, player: Sequence[str] = (), side: str | None = None) -> Figure:
    """The exact chance to win against players that err, by their fuzz.

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
    curves, evens = {}, []
    for name, model in opened_models(game, start, player or model_names(game)).items():
        number = model.loser() if side is None else side_number(game, side)
        policy, even = model.policy(1 - number), model.even_fuzz(number)
        fuzzes = np.geomspace(LEAST, 1.0, POINTS).tolist()
        label = name if even is None else f"{name}: even at {even:.6f}"
        curves[label] = fuzzes, [float(chance_against(policy, fuzz)[0]) for fuzz in fuzzes]
        evens += [] if even is None else [even]
    caption = f"{game.title}, {game.sides[number].name} from {game.format(start)}"
    figure = draw_curves("Chance to win by the best moves against a player that errs", caption, ("fuzz p", "chance to win"), curves)
    (axes,) = figure.axes
    axes.axhline(EVEN, color="#888888", linewidth=0.8)
    axes.plot(evens, [EVEN] * len(evens), "o", color="#888888", markersize=5)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(_power))
    return figure


def _power(fuzz: float, _position: Any) -> str:
    """A fuzz on the axis: a power of 2."""
    return f"1/{round(1 / fuzz)}" if fuzz < 1 else f"{fuzz:g}"
