"""The page of a game of chance, or of a variant: its layers, and what the tables say of a state."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import Response

from tablebase.api.chance_words import interval, verdict
from tablebase.game.stochastic import StochasticGame
from tablebase.web.context import catalog_of, tables_of
from tablebase.web.pages.arguments import bounded
from tablebase.web.pages.rendering import page


def chance_page(request: Request, game: StochasticGame, position: str | None) -> Response:
    """A game's layers, and the chances of a state, by default of the start."""
    layers = catalog_of(request).answer(("layers", game.name), lambda opened: opened.layers(game))
    start = game.format(game.start)
    shown: dict[str, Any] = {"rules": game, "layers": layers, "start": start, "answer": None, "interval": interval}
    if layers or position is not None:
        text = start if position is None else bounded(position, f"write a state, as in {start!r}").replace("_", " ")
        answer = tables_of(request).probe(game, text)
        said = verdict(answer)
        shown |= {"answer": answer, "verdict": said[:1].upper() + said[1:]}
    return page(request, "chance.html", **shown)
