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
    """Cases of a test, values or tuples of them or `pytest.param`, that only the marker `release` runs."""
    return [_for_release(case) for case in cases]


def _for_release(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.release], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.release)


def thinned(cases: Iterable[Any], every: int) -> list[Any]:
    """Each n-th case of a large table by default; the other cases only with the marker `release`."""
    return [case if number % every == 0 else _for_release(case) for number, case in enumerate(cases)]
