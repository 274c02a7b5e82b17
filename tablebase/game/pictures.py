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
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from tablebase.errors import RulesError

SUFFIX = "_pictures"


class Pictures(NamedTuple):
    """What a module draws."""

    svg: Callable[..., str]
    drawn: Callable[..., str]
    described: Callable[..., str]
    legend: str


@cache
def beside(module: str, guarded: Callable[[str, Callable[..., Any]], Callable[..., Any]]) -> Pictures | None:
    """What the module of pictures beside a module of rules draws; None if there is none, `RulesError` if it cannot be used.

    Its functions are guarded like those of the rules, by their names.
    """
    name = f"{module}{SUFFIX}"
    try:
        if find_spec(name) is None:
            return None
    # The package of a module that was not imported by its name.
    except (ImportError, ValueError):
        return None
    try:
        found: Any = import_module(name)
        svg, drawn, described = (guarded(part, getattr(found, part)) for part in Pictures._fields[:-1])
        return Pictures(svg, drawn, described, found.LEGEND)
    except Exception as fault:
        said = " ".join(f"{type(fault).__name__}: {fault}".split())
        raise RulesError(f"the pictures of {module} in {name} cannot be used: {said}").naming(
            getattr(fault, "path", None)
        ) from fault
