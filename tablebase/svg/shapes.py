"""What pieces look like: heads and figures as path data, in two tones.

Coordinates are hundredths of a square, from its middle, x to the right and y downwards; a shape lies within 40 of it.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import NamedTuple


class Tone(Enum):
    """What a path does not inherit: the fill and the stroke are the figure's colour, the colour is that of the token below it."""

    FIGURE = MappingProxyType({"stroke": "none"})
    TOKEN = MappingProxyType({"fill": "currentColor", "stroke": "none"})
    LINE = MappingProxyType({"fill": "none"})
    OUTLINED = MappingProxyType({"fill": "currentColor"})
    TOKEN_LINE = MappingProxyType({"fill": "none", "stroke": "currentColor"})


class Layer(NamedTuple):
    """A path of a shape; later ones lie above."""

    tone: Tone
    path: str  # path data


def ovals(*centres: tuple[float, float], width: float, height: float) -> str:
    """Path data of ellipses of one size, given their centres, and half of what they are wide and high."""
    half = f"a{width:g} {height:g} 0 1 0"
    return "".join(f"M{x - width:g} {y:g}{half} {2 * width:g} 0{half} {-2 * width:g} 0z" for x, y in centres)


SHAPES: dict[str, tuple[Layer, ...]] = {
    "cat": (
        Layer(Tone.LINE, "M-18 12L-37 7M-18 17L-37 19M18 12L37 7M18 17L37 19"),
        Layer(Tone.FIGURE, "M-27-33L-12-20Q0-23 12-20L27-33Q31-14 29 2Q26 27 0 28Q-26 27-29 2Q-31-14-27-33Z"),
        Layer(Tone.TOKEN, "M-19-2Q-12-11-5 1Q-13 6-19-2ZM19-2Q12-11 5 1Q13 6 19-2ZM-5 9L5 9L0 15Z"),
        Layer(Tone.TOKEN_LINE, "M0 15Q-2 21-8 19M0 15Q2 21 8 19"),
    ),
    "dog": (
        Layer(Tone.OUTLINED, "M-20-26Q0-34 20-26Q26 0 18 20Q12 33 0 33Q-12 33-18 20Q-26 0-20-26Z"),
        Layer(
            Tone.FIGURE,
            "M-14-29Q-30-30-34-10Q-37 8-29 16Q-20 14-19-2Q-18-16-14-29ZM14-29Q30-30 34-10Q37 8 29 16Q20 14 19-2Q18-16 14-29Z",
        ),
        Layer(Tone.FIGURE, ovals((-9, -8), (9, -8), width=3.6, height=4.6) + ovals((0, 10), width=8, height=6)),
        Layer(Tone.LINE, "M0 16L0 22M-9 22Q0 29 9 22"),
    ),
    "elephant": (
        Layer(Tone.FIGURE, "M-12-22Q-35-30-37-6Q-37 16-20 15Q-14 12-13 4ZM12-22Q35-30 37-6Q37 16 20 15Q14 12 13 4Z"),
        Layer(
            Tone.FIGURE,
            "M0-31Q18-31 18-12Q18 2 9 8L7 23Q7 28 13 28Q17 31 13 35Q-4 36-4 23L-8 8Q-18 2-18-12Q-18-31 0-31Z",
        ),
        Layer(Tone.TOKEN_LINE, "M-16-20Q-19-4-13 5M16-20Q19-4 13 5M-5 14L7 13M-4 20L6 19"),
        Layer(Tone.TOKEN, ovals((-8, -10), (8, -10), width=3, height=3.6)),
        Layer(Tone.FIGURE, "M-10 10Q-18 18-24 20Q-16 27-7 15ZM10 10Q18 18 24 20Q16 27 7 15Z"),
    ),
    "fox": (
        Layer(Tone.FIGURE, "M-28-32L-10-17Q0-20 10-17L28-32Q34-14 29 2L0 34L-29 2Q-34-14-28-32Z"),
        Layer(Tone.TOKEN, "M-26 3Q-12 2-4 22L-1 28ZM26 3Q12 2 4 22L1 28ZM-24-24L-15-16L-23-11ZM24-24L15-16L23-11Z"),
        Layer(Tone.TOKEN, "M-17-6L-6-1Q-14 3-17-6ZM17-6L6-1Q14 3 17-6Z"),
    ),
    "hound": (
        Layer(Tone.FIGURE, "M-21 33Q-26 10-18-10Q-12-29 5-29Q16-29 20-20L32-16Q38-13 37-4Q36 7 27 9L13 10Q9 16 11 33Q-5 37-21 33Z"),
        Layer(Tone.FIGURE, "M-9-18Q9-18 5 4Q3 21-7 21Q-19 18-18 0Q-17-15-9-18Z"),
        Layer(Tone.TOKEN_LINE, "M-9-18Q9-18 5 4Q3 21-7 21Q-19 18-18 0Q-17-15-9-18ZM19 1L31 0"),
        Layer(Tone.TOKEN, ovals((14, -15), width=3, height=3.4)),
    ),
    "lion": (
        Layer(
            Tone.FIGURE,
            "M0-38L9-32L20-33L24-24L34-18L33-7L38 2L32 11L32 21L22 25L16 34L6 33L0 38L-6 33L-16 34"
            "L-22 25L-32 21L-32 11L-38 2L-33-7L-34-18L-24-24L-20-33L-9-32Z",
        ),
        Layer(Tone.TOKEN, "M0-21Q20-21 20-1Q20 22 0 23Q-20 22-20-1Q-20-21 0-21Z"),
        Layer(Tone.FIGURE, ovals((-8, -5), (8, -5), width=3.4, height=4) + "M-7 5L7 5L0 12Z"),
        Layer(Tone.LINE, "M0 12L0 15M-8 17Q0 18 0 13Q0 18 8 17"),
    ),
    "panther": (
        Layer(Tone.FIGURE, ovals((-22, -22), (22, -22), width=10, height=10)),
        Layer(Tone.FIGURE, "M0-29Q31-29 31-2Q31 14 18 20Q14 31 0 31Q-14 31-18 20Q-31 14-31-2Q-31-29 0-29Z"),
        Layer(
            Tone.TOKEN,
            ovals((0, -21), (-11, -18), (11, -18), width=3.4, height=3.4)
            + ovals((-5, -12), (5, -12), width=2.6, height=2.6)
            + ovals((-24, 9), (24, 9), (-17, 13), (17, 13), width=2.6, height=2.6)
            + "M-23-7L-8 0Q-18 5-23-7ZM23-7L8 0Q18 5 23-7ZM-7 8L7 8L0 16Z",
        ),
        Layer(Tone.TOKEN_LINE, "M0 16L0 20M-9 24Q-4 24 0 20Q4 24 9 24"),
    ),
    "pawn": (
        Layer(Tone.FIGURE, ovals((0, -18), width=13, height=13)),
        Layer(Tone.FIGURE, "M-14-8L14-8L14-3L8-3Q9 14 20 22L20 32L-20 32L-20 22Q-9 14-8-3L-14-3Z"),
    ),
    "rabbit": (
        Layer(Tone.FIGURE, ovals((-12, -19), (12, -19), width=8, height=19) + "M0-6Q24-6 24 14Q24 34 0 34Q-24 34-24 14Q-24-6 0-6Z"),
        Layer(Tone.TOKEN, ovals((-12, -20), (12, -20), width=3, height=12) + ovals((-10, 9), (10, 9), width=3.4, height=4)),
        Layer(Tone.TOKEN, "M-5 17L5 17L0 22ZM-5 25L-.7 25L-.7 32L-5 31ZM5 25L.7 25L.7 32L5 31Z"),
    ),
    "rat": (
        Layer(Tone.LINE, "M-22 20C-40 22-38 2-24-2C-14-5-16-18-28-16"),
        Layer(
            Tone.FIGURE,
            "M-26 22C-30-2-8-14 8-9C10-20 24-20 24-9C30-4 36 6 36 10C36 14 28 15 22 16L20 22L25 26L8 26L10 21L-8 22L-5 26L-22 26Z",
        ),
        Layer(Tone.TOKEN, ovals((17, -8), width=4.5, height=4.5) + ovals((26, 3), width=2.6, height=2.6)),
    ),
    "tiger": (
        Layer(Tone.FIGURE, ovals((-23, -23), (23, -23), width=10, height=10)),
        Layer(Tone.OUTLINED, "M0-30Q30-30 31-2Q32 30 0 32Q-32 30-31-2Q-30-30 0-30Z"),
        Layer(
            Tone.FIGURE,
            "M-3-30L3-30L1-12L-1-12ZM-15-27L-8-29L-6-14ZM15-27L8-29L6-14ZM-31-6L-30 1L-18 0ZM31-6L30 1L18 0Z"
            "M-31 9L-27 16L-16 9ZM31 9L27 16L16 9ZM-22 22L-16 27L-11 17ZM22 22L16 27L11 17Z",
        ),
        Layer(Tone.FIGURE, ovals((-11, -5), (11, -5), width=3.8, height=4.4) + "M-8 8L8 8L0 16Z"),
        Layer(Tone.LINE, "M0 16L0 20M-8 24Q0 24 0 19Q0 24 8 24"),
    ),
    "wolf": (
        Layer(
            Tone.FIGURE,
            "M-25-35L-10-23Q0-26 10-23L25-35L28-13L36 4L27 6L29 14L19 15L11 33Q0 38-11 33L-19 15L-29 14L-27 6L-36 4L-28-13Z",
        ),
        Layer(
            Tone.TOKEN,
            "M0-16L9 10L9 24Q0 33-9 24L-9 10ZM-23-7L-9-1Q-18 5-23-7ZM23-7L9-1Q18 5 23-7ZM-22-27L-14-20L-22-16ZM22-27L14-20L22-16Z",
        ),
        Layer(Tone.FIGURE, "M-7 19Q0 14 7 19L0 27Z"),
    ),
}
"""By the names in `tablebase.game.types.SHAPES`."""
