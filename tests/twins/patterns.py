"""The slow, obvious twin of patterns: gains, rules and trees from rows as dictionaries, each with its class under ``class``."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from math import log2
from operator import eq, ge, gt, itemgetter, le
from typing import Any

Rows = list[dict[str, Any]]
OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {"=": eq, "<=": le, ">=": ge, ">": gt}


def with_classes(rows: Iterable[Mapping[str, Any]], of: Callable[[Mapping[str, Any]], str], names: Iterable[str]) -> Rows:
    listed = list(rows)
    different = [name for name in names if len({row[name] for row in listed}) > 1]
    return [{"class": of(row), **{name: row[name] for name in different}} for row in listed]


def entropy(classes: Sequence[str]) -> float:
    shares = [count / len(classes) for count in Counter(classes).values()]
    return -sum(share * log2(share) for share in shares)


def gain(rows: Rows, names: tuple[str, ...]) -> tuple[float, float]:
    by_value: dict[Any, list[str]] = {}
    values = itemgetter(*names)
    for row in rows:
        by_value.setdefault(values(row), []).append(row["class"])
    left = sum(len(some) / len(rows) * entropy(some) for some in by_value.values())
    right = sum(max(Counter(some).values()) for some in by_value.values())
    return entropy([row["class"] for row in rows]) - left, right / len(rows)


def bits(flags: Iterable[bool]) -> int:
    return int("".join(["01"[flag] for flag in flags]), 2)


def comparisons(rows: Rows) -> dict[str, set[int]]:
    """All comparisons of each feature with a value, as the set of rows for which they hold: a bit for each."""
    found: dict[str, set[int]] = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        for value in set(values) if name != "class" else ():
            sets = found.setdefault(name, set())
            sets.add(bits(one == value for one in values))
            if isinstance(value, int) and not isinstance(value, bool):
                sets |= {bits(one <= value for one in values), bits(one >= value for one in values)}
    return found


def exact(of: Mapping[str, set[int]], wrong: int, conditions: int, among: Sequence[str] = ()) -> list[set[int]]:
    """Conditions that no wrong row satisfies: of one comparison, of two, and of three of different features `among`.

    The first argument has the comparisons of each feature. Of three comparisons, no two suffice.
    """
    single = set().union(*of.values())
    found = [single, {one & other for one, other in combinations(single, 2)}][:conditions]
    if conditions == 3:
        triples = (each for sets in combinations([of[name] for name in among], 3) for each in product(*sets))
        needed = (each for each in triples if all(one & other & wrong for one, other in combinations(each, 2)))
        found.append({one & two & three for one, two, three in needed})
    return [{one for one in some if one and not one & wrong} for some in found]


def holds(condition: str, row: Mapping[str, Any]) -> bool:
    if condition == "true":
        return True
    parts = [re.fullmatch(r"\"?(\w+)\"? (=|<=|>=|>) (.+)", part) for part in condition.split(" AND ")]
    return all(part is not None and OPERATORS[part[2]](row[part[1]], _literal(part[3])) for part in parts)


def _literal(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    return text[1:-1].replace("''", "'") if text.startswith("'") else float(text)


def leaves(text: str, rows: Rows) -> list[tuple[str, Rows]]:
    return _leaves(text.splitlines(), rows)


def _leaves(lines: list[str], rows: Rows) -> list[tuple[str, Rows]]:
    if not lines[0].startswith("if "):
        return [(lines[0], rows)]
    other = next(place for place, line in enumerate(lines) if line.startswith("else:"))
    asked = re.match(r"if (.+?):(?: |$)", lines[0])
    assert asked is not None
    yes = [row for row in rows if holds(asked[1], row)]
    no = [row for row in rows if not holds(asked[1], row)]
    return [*_branch(lines[:other], asked.end(), yes), *_branch(lines[other:], len("else: "), no)]


def _branch(lines: list[str], begin: int, rows: Rows) -> list[tuple[str, Rows]]:
    """The leaves below one answer, which follows in the same line or in those below."""
    return _leaves([lines[0][begin:]] if len(lines) == 1 else [line[4:] for line in lines[1:]], rows)


def said(rows: Rows) -> str:
    (_, most), *_ = Counter(row["class"] for row in rows).most_common(1)
    return f"({100 * most / len(rows):.1f} % of {len(rows):,})"


def ranges(values: Sequence[int], most: int, count: int) -> list[int]:
    """The largest values of ranges but the last: all values if there are few, else those that reach each share of all."""
    different = sorted(set(values))
    if len(different) <= most:
        return different[:-1]
    ordered = sorted(values)
    reached = {next(v for v in different if sum(one <= v for one in ordered) * count >= k * len(ordered)) for k in range(1, count)}
    return [value for value in sorted(reached) if value < different[-1]]
