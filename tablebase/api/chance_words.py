"""Chances as text, for terminals and pages."""

from __future__ import annotations

from tablebase.stochastic.prober import Bounds, StateAnswer


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
