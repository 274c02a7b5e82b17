"""Names of a result's columns."""

from __future__ import annotations

from itertools import count


def distinct_names(names: list[str]) -> list[str]:
    """Make names distinct: a name that occurred before gets a number.

    Examples
    --------
    >>> distinct_names(["a", "b", "a", "a_3"])
    ['a', 'b', 'a_4', 'a_3']
    """
    distinct: list[str] = []
    for place, name in enumerate(names, start=1):
        numbers = count(place)
        new = name
        while new in distinct or (new != name and new in names):
            new = f"{name}_{next(numbers)}"
        distinct.append(new)
    return distinct
