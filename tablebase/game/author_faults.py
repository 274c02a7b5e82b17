"""Whatever an author's function raises, as one sentence that names the game and the position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tablebase.errors import RulesError, TablebaseError
from tablebase.game.rules import Rules


@contextmanager
def faults_named(rules: Rules[Any], position: Callable[[], Any]) -> Iterator[None]:
    """Raise `RulesError` where a function of the rules fails in the block; `position` gives the position that it is about.

    Errors of this program, and too little memory, are left as they are.
    """
    try:
        yield
    except (TablebaseError, MemoryError):
        raise
    except Exception as fault:
        said = " ".join(f"{type(fault).__name__}: {fault}".split())
        advice = f"run 'tablebase check-rules {rules.name}'"
        raise RulesError(f"the rules of {rules.name} fail in the position {position()!r} ({said}): {advice}") from fault
