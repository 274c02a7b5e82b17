"""The chart of the chance to win against players that err, by their fuzz; it needs no tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from tablebase.charts.drawing import one_chart
from tablebase.game import Game
from tablebase.game.notation import parse
from tablebase.graph.policies import chance_against
from tablebase.play.exploit_player import model_names, opened_models
from tablebase.play.match import side_number
from tablebase.play.strategy import EVEN

LEAST, POINTS = 2.0**-12, 49
"""The smallest fuzz that is drawn, and the number of points from there to 1."""
LINES = ("#0072B2", "#E69F00", "#009E73")
"""Colours by Okabe and Ito."""


class Curve(NamedTuple):
    """Chances by fuzz, and the fuzz of an even chance, if there is one."""

    fuzzes: Sequence[float]
    chances: Sequence[float]
    even: float | None


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
    curves = {}
    for name, model in opened_models(game, start, player or model_names(game)).items():
        number = model.loser() if side is None else side_number(game, side)
        policy = model.policy(1 - number)
        fuzzes = np.geomspace(LEAST, 1.0, POINTS).tolist()
        curve = [float(chance_against(policy, fuzz)[0]) for fuzz in fuzzes]
        curves[name] = Curve(fuzzes, curve, model.even_fuzz(number))
    return draw_chances(f"{game.title}, {game.sides[number].name} from {game.format(start)}", curves)


def draw_chances(caption: str, curves: Mapping[str, Curve]) -> Figure:
    """Curves by the names of players, on a logarithmic scale of fuzz; the fuzz of an even chance is marked."""
    figure, axes = one_chart(8, 4.2, "Chance to win by the best moves against a player that errs", caption)
    axes.axhline(EVEN, color="#888888", linewidth=0.8)
    for colour, (name, curve) in zip(LINES, curves.items(), strict=False):
        label = name if curve.even is None else f"{name}: even at {curve.even:.6f}"
        axes.plot(curve.fuzzes, curve.chances, color=colour, label=label)
        if curve.even is not None:
            axes.plot([curve.even], [EVEN], "o", color=colour, markersize=5)
    axes.set_xscale("log", base=2)
    axes.set(xlabel="fuzz p", ylabel="chance to win", ylim=(0, 1.02))
    axes.xaxis.set_major_formatter(FuncFormatter(_power))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.legend(title="the player that errs", alignment="left", frameon=False)
    return figure


def _power(fuzz: float, _position: Any) -> str:
    """A fuzz on the axis: a power of 2."""
    return f"1/{round(1 / fuzz)}" if fuzz < 1 else f"{fuzz:g}"
