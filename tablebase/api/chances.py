"""Games of chance or of several players: what commands and servers answer of their states and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tablebase.api.row_types import LayerRow
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game.stochastic import State, StochasticGame
from tablebase.probe.answers import Unanswered

if TYPE_CHECKING:
    from tablebase.catalog.catalog import Catalog
    from tablebase.stochastic.state_prober import Bounds, StateAnswer, StateProber, StateProbers

LONGEST_LINE = 1000
"""States of a line that does not end by itself."""


class StateAnswers:
    """Answers what the tables of a folder say of states; to be used in a ``with`` statement.

    Parameters
    ----------
    folder : Path
        The tablebase.
    game : StochasticGame
    turns : int, optional
        Also the chances of winning within this number of turns.
    probers : StateProbers, optional
        Those of the folder, if they are kept open.
    """

    def __init__(self, folder: Path, game: StochasticGame, turns: int | None = None, probers: StateProbers | None = None) -> None:
        self._folder, self._game, self._turns, self._probers = folder, game, turns, probers
        self._opened = ExitStack()

    def __enter__(self) -> StateAnswers:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @cached_property
    def _prober(self) -> StateProber:
        from tablebase.stochastic.state_prober import StateProber

        if self._probers is not None:
            return self._probers.of(self._game)
        return self._opened.enter_context(StateProber(self._folder, self._game))

    def of(self, texts: Iterable[str]) -> Iterator[tuple[StateAnswer | None, dict[str, Any], TablebaseError | None]]:
        """For each text its answer, what `tablebase probe --format json` writes of it, and the reason if there is no answer."""
        for text in texts:
            try:
                state = self._game.parse(text)
                answer = self._prober.probe(state)
                yield answer, self._row(answer, state), None
            except TablebaseError as error:
                yield None, Unanswered(self._game.name, text, error).to_dict(), error

    def _row(self, answer: StateAnswer, state: State) -> dict[str, Any]:
        from tablebase.stochastic.horizon import horizon

        row = answer.to_dict()
        if self._turns is not None:
            row["within"] = {"turns": self._turns, **horizon(self._game, state, self._turns).to_dict()}
        return row


def line_states(folder: Path, game: StochasticGame, text: str, plies: int | None = None) -> list[tuple[StateAnswer, str]]:
    """The likeliest line: of each state what is known, and the best move or the likeliest draw; errors as of `probe_states`."""
    from tablebase.stochastic.state_prober import StateProber

    state: State = game.parse(text)
    with StateProber(folder, game) as prober:
        return list(prober.line(state, LONGEST_LINE if plies is None else plies + 1))


def line_rows(folder: Path, game: StochasticGame, text: str, plies: int | None = None) -> list[dict[str, Any]]:
    """The likeliest line as `tablebase line --format json` writes it; errors as of `probe_states`."""
    return [
        {"ply": ply, "side": answer.side, **answer.bounds.to_dict(), "best": best, "position": answer.position}
        for ply, (answer, best) in enumerate(line_states(folder, game, text, plies))
    ]


def layer_rows(catalog: Catalog, game: StochasticGame) -> list[LayerRow]:
    """The layers of a game as `tablebase stats --format json` writes them; `MissingTableError` if there are none."""
    rows = [row for row in catalog.layers(game) if (catalog.folder / row["file"]).exists()]
    if not rows:
        raise MissingTableError(game.name, catalog.folder, options="")
    return [cast(LayerRow, {name: row[name] for name in LayerRow.__annotations__}) for row in rows]


def interval(bounds: Bounds) -> dict[str, str]:
    """The bounds as text: 0 and 1 only where they are exact."""
    return {"lower": number(bounds.lower), "upper": number(bounds.upper)}


def number(chance: float) -> str:
    """A chance with six digits; one that is nearly 0 or 1 does not look like it."""
    if chance in (0, 1):
        return str(int(chance))
    text = f"{chance:.6f}"
    return {"0.000000": "<0.000001", "1.000000": ">0.999999"}.get(text, text)


def verdict(answer: StateAnswer) -> str:
    """What is known, as a sentence."""
    if not answer.side:
        places = ", ".join(map(str, answer.game.places(answer.game.parse(answer.position))))
        return f"the game is over; places of the players: {places}"
    who = "a draw is next; player 1" if answer.side == "chance" else f"player {answer.side} to move"
    if answer.bounds.outcome is not None:
        return f"{who}: {answer.bounds.outcome}" + (f", best move {answer.best}" if answer.best else "")
    chances = interval(answer.bounds)
    best = f", best move {answer.best}" if answer.best else ""
    if answer.bounds.upper - answer.bounds.lower < 1e-9:
        return f"{who}: wins with a chance of {chances['lower']}{best}"
    return f"{who}: wins with a chance of at least {chances['lower']} and at most {chances['upper']}{best}"
