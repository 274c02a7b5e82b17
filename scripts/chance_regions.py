"""How well the tables of Hare & Hedgehog know the chances, by region of the board, and a picture of it.

    tablebase build harehedgehog --carrots 60 --data race
    tablebase build harehedgehog --carrots 60 --cap generous --data race
    python scripts/chance_regions.py --data race --carrots 60 --picture docs/images/harehedgehog-exact.svg

Counts states without lettuces in which nobody waits and nobody holds more carrots than the cap, by the squares on which the
player who is further back and the one who is further ahead stand. ``exact``: bounds closer than 10⁻⁹. ``width``: the mean
difference of the bounds of all others. ``stalling``: states in which, for certain, neither player can force a part of the
chance; the generous table shows them. The picture shows the share of exact states for each pair of squares.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.game.kernels import call_index
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.compiled import compiled
from tablebase.stochastic.files import EXACT, LayerFile, layer_path

REGION = 16
"""Squares of the board that make a region."""
HOME = 64


@dataclass(frozen=True)
class Known:
    """What tables know of the states with the same squares, by the squares of the mover and of the other player.

    Parameters
    ----------
    states : ndarray of int64, shape (64, 64)
        0 where both cannot stand.
    exact, stalling : ndarray of int64, shape (64, 64)
        How many of the states are so.
    width : ndarray of float64, shape (64, 64)
        The differences of the bounds of those that are not exact, added up.
    """

    states: NDArray[np.int64]
    exact: NDArray[np.int64]
    stalling: NDArray[np.int64]
    width: NDArray[np.float64]


def read(folder: Path, game: StochasticGame, carrots: int, cap: str) -> dict[tuple[int, int], NDArray[np.int64]]:
    """The chances by squares, in units, shape (2, carrots + 1, carrots + 1)."""
    form = compiled(game)
    region = form.region({"carrots": carrots, "cap": cap})
    [layer] = region.layers
    chances = np.empty((2, region.size), np.int64)
    with closing(LayerFile(layer_path(folder, game, region, layer), game, region, layer)) as file:
        file.read(chances)
    found = {}
    for mover in range(HOME):
        for other in range(HOME):
            if mover != other or mover == 0:
                row = form.row(game.parse(f"{mover}:0:0,{other}:0:0 1"))
                assert row is not None
                number, _ = call_index(form.kernels.index, region.rules, row)
                width = round(region.block**0.5)
                block = chances[:, number : number + region.block].reshape(2, width, width)
                found[mover, other] = block[:, : carrots + 1, : carrots + 1]
    return found


def known(folder: Path, game: StochasticGame, carrots: int) -> Known:
    """What the merged and the generous tables know."""
    states, exact, stalling = (np.zeros((HOME, HOME), np.int64) for _ in range(3))
    width = np.zeros((HOME, HOME))
    limits = read(folder, game, carrots, "generous")
    for squares, (mine, others) in read(folder, game, carrots, "merged").items():
        gaps = (UNIT - mine - others) / UNIT
        states[squares], exact[squares] = gaps.size, (gaps < EXACT).sum()
        width[squares] = gaps[gaps >= EXACT].sum()
        stalling[squares] = ((UNIT - limits[squares].sum(axis=0)) / UNIT >= EXACT).sum()
    return Known(states, exact, stalling, width)


def write_regions(found: Known) -> None:
    """A row for each pair of regions, whichever of the two players is to move."""
    rows = []
    ranges = [range(begin, min(begin + REGION, HOME)) for begin in range(0, HOME, REGION)]
    for low, behind in enumerate(ranges):
        for ahead in ranges[low:]:
            pairs = np.zeros((HOME, HOME), bool)
            pairs[np.ix_(behind, ahead)] = pairs[np.ix_(ahead, behind)] = True
            states, exact = int(found.states[pairs].sum()), int(found.exact[pairs].sum())
            rows.append(
                {
                    "squares": f"{behind[0]}-{behind[-1]} and {ahead[0]}-{ahead[-1]}",
                    "states": states,
                    "exact": exact,
                    "percent": round(100 * exact / states, 1),
                    "width": round(float(found.width[pairs].sum() / max(states - exact, 1)), 3),
                    "stalling": int(found.stalling[pairs].sum()),
                }
            )
    total, exact = int(found.states.sum()), int(found.exact.sum())
    whole = {"squares": "all", "states": total, "exact": exact, "percent": round(100 * exact / total, 1)}
    width = round(float(found.width.sum() / (total - exact)), 3)
    write_rows([*rows, {**whole, "width": width, "stalling": int(found.stalling.sum())}], Format.TABLE)


def draw(found: Known, carrots: int, path: Path) -> None:
    """The share of exact states for each pair of squares."""
    figure = Figure(figsize=(6.4, 5.4), layout="constrained")
    axes = figure.subplots()
    share = np.where(found.states > 0, 100 * found.exact / np.maximum(found.states, 1), np.nan)
    image = axes.imshow(share, origin="lower", cmap="cividis", vmin=0, vmax=100)
    axes.set_xlabel("square of the other player")
    axes.set_ylabel("square of the player to move")
    axes.set_title(f"States with a known value, up to {carrots} carrots")
    figure.colorbar(image, label="percent")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {})


def main(arguments: list[str]) -> int:
    """Count, print and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--carrots", type=int, default=60)
    parser.add_argument("--picture", type=Path)
    chosen = parser.parse_args(arguments)
    game = load_rules("harehedgehog")
    assert isinstance(game, StochasticGame)
    found = known(chosen.data, game, chosen.carrots)
    write_regions(found)
    if chosen.picture is not None:
        draw(found, chosen.carrots, chosen.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
