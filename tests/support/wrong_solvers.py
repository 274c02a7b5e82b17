"""Solvers that are wrong, which programs that compare solvers must notice."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tablebase.game import Outcome
from tablebase.tables.values import DRAW, Value


def wrong_by(solve: Callable[..., Any], engine: str) -> Callable[..., Any]:
    """`solve_material`, but for one engine the last code is wrong."""

    def wrong(game: Any, material: Any, load: Any, chosen: str) -> Any:
        codes, *rest = solve(game, material, load, chosen)
        codes = [np.array(source) for source in codes]
        if chosen == engine:
            codes[-1][-1] ^= 1
        return codes, *rest

    return wrong


def wrong_about_one(solve: Callable[..., Any]) -> Callable[..., Any]:
    """`solve_material`, but one win in nine plies is called a draw."""

    def wrong(*arguments: Any, **options: Any) -> Any:
        codes, coding, solver = solve(*arguments, **options)
        codes[0][np.flatnonzero(codes[0] == coding.code(Value(Outcome.WIN, 9)))[0]] = DRAW
        return codes, coding, solver

    return wrong
