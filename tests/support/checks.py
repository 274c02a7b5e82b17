"""Guards against tests that look at nothing, and cases that only a release needs."""

from collections.abc import Iterable
from typing import Any, TypeVar

import pytest

Item = TypeVar("Item")


def at_least_one(items: Iterable[Item]) -> list[Item]:
    """The items, of which there must be one at least: a loop of assertions over nothing would pass."""
    listed = list(items)
    assert listed, "there is nothing to look at"
    return listed


def before_release(*cases: Any) -> list[Any]:
    """Cases of a test, values or tuples of them, that only the marker `release` runs."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.release) for case in cases]
