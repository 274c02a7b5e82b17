"""Value of a position to a player: an outcome with its distance, or bounds on the chance to win."""

from __future__ import annotations

from typing import Any, NamedTuple

from tablebase.game.types import Outcome

FAR = 1 << 16
"""A number larger than any distance."""
EQUAL = 1e-9
"""Bounds that differ by less are shown as one number."""

EXACT = ("outcome", "distance")
BOUNDED = (*EXACT, "lower", "upper")
"""The fields of values and of bounds."""


class Value(NamedTuple):
    """An exact value, which consists of the outcome for a player and the distance to the end of the game in plies."""

    outcome: Outcome
    distance: int | None  # plies to the end under best play; None for a draw

    @property
    def merit(self) -> int:
        """Sort key, largest for the best value; faster wins and slower losses have larger keys."""
        if self.distance is None:
            return 0
        return FAR - self.distance if self.outcome is Outcome.WIN else self.distance - FAR

    @property
    def is_known(self) -> bool:
        """True for an exact value; for bounds, False if nothing is known."""
        return True

    @property
    def reversed(self) -> Value:
        """The value from the opponent's point of view."""
        return Value(self.outcome.reversed, self.distance)

    @property
    def later(self) -> Value:
        """The value with one more ply to the end of the game."""
        return Value(self.outcome, None if self.distance is None else self.distance + 1)

    @property
    def fields(self) -> dict[str, Any]:
        """The value as a dict, with the field names of the JSON output."""
        return {"outcome": str(self.outcome), "distance": self.distance}

    @property
    def said(self) -> str:
        """The value in words, such as ``win in 21`` or ``draw``."""
        return str(self.outcome) if self.distance is None else f"{self.outcome} in {self.distance}"


class Bounds(NamedTuple):
    """Bounds on a player's chance of winning under best play; a shared first place or an endless game does not count as a win."""

    lower: float  # what the player can force
    upper: float  # one minus what the others can force

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, if the bounds prove a win or a loss; otherwise None."""
        return Outcome.WIN if self.lower == 1 else Outcome.LOSS if self.upper == 0 else None

    @property
    def is_known(self) -> bool:
        """True if anything is known about the chance; False if the bounds are 0 and 1."""
        return (self.lower, self.upper) != (0, 1)

    @property
    def distance(self) -> None:
        """The distance to the end; always None, because the length of a game depends on chance."""
        return None

    @property
    def merit(self) -> tuple[float, float]:
        """Sort key, largest for the best bounds; the lower bound takes precedence."""
        return self.lower, self.upper

    @property
    def middle(self) -> float:
        """The mean of the lower and upper bounds."""
        return (self.lower + self.upper) / 2

    @property
    def fields(self) -> dict[str, Any]:
        """The value as a dict, with the field names of the JSON output."""
        return {"outcome": self.outcome and str(self.outcome), "distance": None, "lower": self.lower, "upper": self.upper}

    @property
    def chances(self) -> dict[str, str]:
        """Both bounds as text; a bound strictly between 0 and 1 is never rounded to 0 or 1."""
        return {"lower": chance_text(self.lower), "upper": chance_text(self.upper)}

    @property
    def said(self) -> str:
        """The bounds in words, such as ``win`` or ``a chance of at least 0.25 and at most 0.5``."""
        if self.outcome is not None:
            return str(self.outcome)
        lower, upper = self.chances.values()
        return f"a chance of {lower}" if self.upper - self.lower < EQUAL else f"a chance of at least {lower} and at most {upper}"


AnyValue = Value | Bounds
LOST, WON, DRAWN = Value(Outcome.LOSS, 0), Value(Outcome.WIN, 0), Value(Outcome.DRAW, None)
"""The values of a position in which the game is over."""


def fields_of(value: AnyValue | None) -> dict[str, Any]:
    """Return a value's JSON fields; of an unknown one, that there is no outcome."""
    return {"outcome": None, "distance": None} if value is None else value.fields


def chance_text(chance: float) -> str:
    """Return a chance with six digits; a chance between 0 and 1 is never rounded to 0 or 1."""
    if chance in (0, 1):
        return str(int(chance))
    text = f"{chance:.6f}"
    return {"0.000000": "<0.000001", "1.000000": ">0.999999"}.get(text, text)
