"""Solvers that are wrong, which programs that compare solvers must notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def wrong_by(solve: Callable[..., Any], engine: str) -> Callable[..., Any]:
    """`solve_material`, but for one engine the last code is wrong."""

    def wrong(game: Any, material: Any, load: Any, chosen: str) -> Any:
        codes, *rest = solve(game, material, load, chosen)
        codes = [np.array(source) for source in codes]
        if chosen == engine:
            codes[-1][-1] ^= 1
        return codes, *rest

    return wrong
