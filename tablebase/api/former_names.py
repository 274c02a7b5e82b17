"""Former names of arguments, which programs may still use."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from tablebase.errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])


def formerly(**names: str) -> Callable[[F], F]:
    """Let a function take arguments by former names, too, as in ``formerly(threads="workers")``.

    Type checkers know only the new names.
    """

    def decorated(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for old in given.keys() & names.keys():
                if names[old] in given:
                    raise ArgumentError(f"{old} is the former name of {names[old]}: leave it out")
                given[names[old]] = given.pop(old)
            return function(*args, **given)

        return cast(F, call)

    return decorated
