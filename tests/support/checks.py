"""Guards against tests that look at nothing."""

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def at_least_one(items: Iterable[Item]) -> list[Item]:
    """The items, of which there must be one at least: a loop of assertions over nothing would pass."""
    listed = list(items)
    assert listed, "there is nothing to look at"
    return listed
