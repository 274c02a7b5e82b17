"""Names of a result's columns."""

from __future__ import annotations

from itertools import count


def distinct_names(names: list[str]) -> list[str]:
    """The names, those that came before with a number that makes them new.

    Examples
    --------
    >>> distinct_names(["a", "b", "a", "a_3"])
    ['a', 'b', 'a_4', 'a_3']
    """
    found: list[str] = []
    for place, name in enumerate(names, start=1):
        numbers = count(place)
        new = name
        while new in found or (new != name and new in names):
            new = f"{name}_{next(numbers)}"
        found.append(new)
    return found
