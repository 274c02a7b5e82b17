"""Pictures that a module beside the rules draws, so that rules keep their digest, and tables stay valid, when a picture changes.

If a class of rules is in the module ``pig``, that is the module ``pig_pictures``, which may import `tablebase.svg`. Its functions:

- ``svg(rules, position, theme)``: a picture as SVG, with a viewBox, in the colours of a theme, which is a name or a `Theme`;
- ``drawn(rules, position)``: the same with characters, for a terminal;
- ``described(rules, position)``: the same in a sentence or several, for those who do not see the picture.

Its text ``LEGEND`` explains the characters of ``drawn``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from tablebase.game.companions import companion, errors_as_sentences

SUFFIX, WHAT = "_pictures", "pictures"


class Pictures(NamedTuple):
    """Functions that draw the positions of a game, from the module ``NAME_pictures`` in the rules' folder."""

    svg: Callable[..., str]
    drawn: Callable[..., str]
    described: Callable[..., str]
    legend: str


@cache
def beside(module: str, guarded: Callable[[str, Callable[..., Any]], Callable[..., Any]]) -> Pictures | None:
    """Load the module of pictures beside a module of rules; None if there is none, `RulesError` if it cannot be used.

    Its functions are guarded like those of the rules, by their names.
    """
    found = companion(module, SUFFIX, WHAT)
    if found is None:
        return None
    with errors_as_sentences(f"the {WHAT} of {module} in {found.__name__} cannot be used"):
        svg, drawn, described = (guarded(part, getattr(found, part)) for part in Pictures._fields[:-1])
        return Pictures(svg, drawn, described, found.LEGEND)
