"""Games of chance or of several players: what commands and servers answer of their states and tables, as data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.errors import MissingTableError
from tablebase.game.stochastic import State, StochasticGame

if TYPE_CHECKING:
    from tablebase.catalog.catalog import Catalog
    from tablebase.stochastic.prober import StateAnswer

LONGEST_LINE = 1000
"""States of a line that does not end by itself."""
COUNTED = ("states", "wins", "losses", "exact", "open", "stalling")


def probe_states(
    folder: Path, game: StochasticGame, texts: Sequence[str], turns: int | None = None
) -> list[tuple[StateAnswer, dict[str, Any]]]:
    """What the tables say of states, each time also as `tablebase probe --format json` writes it.

    Parameters
    ----------
    folder : Path
        The tablebase.
    game : StochasticGame
    texts : sequence of str
    turns : int, optional
        Also the chances of winning within this number of turns.

    Raises
    ------
    TablebaseError
        If a text is no state, or there is no table of the game.
    """
    from tablebase.stochastic.horizon import horizon
    from tablebase.stochastic.prober import StateProber

    states = [game.parse(text) for text in texts]
    with StateProber(folder, game) as prober:
        answers = [prober.probe(state) for state in states]
    rows = [answer.to_dict() for answer in answers]
    if turns is not None:
        for state, row in zip(states, rows, strict=True):
            row["within"] = {"turns": turns, **horizon(game, state, turns).to_dict()}
    return list(zip(answers, rows, strict=True))


def line_states(folder: Path, game: StochasticGame, text: str, plies: int | None = None) -> list[tuple[StateAnswer, str]]:
    """The likeliest line: of each state what is known, and the best move or the likeliest draw; errors as of `probe_states`."""
    from tablebase.stochastic.prober import StateProber

    state: State = game.parse(text)
    with StateProber(folder, game) as prober:
        return list(prober.line(state, LONGEST_LINE if plies is None else plies + 1))


def line_rows(folder: Path, game: StochasticGame, text: str, plies: int | None = None) -> list[dict[str, Any]]:
    """The likeliest line as `tablebase line --format json` writes it; errors as of `probe_states`."""
    return [
        {"ply": ply, "side": answer.side, **answer.bounds.to_dict(), "best": best, "position": answer.position}
        for ply, (answer, best) in enumerate(line_states(folder, game, text, plies))
    ]


def layer_rows(catalog: Catalog, game: StochasticGame) -> list[dict[str, Any]]:
    """The layers of a game as `tablebase stats --format json` writes them; `MissingTableError` if there are none."""
    rows = catalog.layers(game)
    if not rows:
        raise MissingTableError(game.name, catalog.folder, options="")
    columns = ["region", "layer", *COUNTED]
    return [{name: row[name] for name in columns} for row in rows]
