"""Patterns as rows, in words, and in the catalog, where SQL can query them across slices.

Those in the catalog are deleted when the table of their slice is registered again or removed. Those of several slices together,
and those of other targets than the outcome, are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import delete, insert, select

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.schema import GAINS, RULES, SLICES, TREES
from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.mining.patterns.contingency import Gain
from tablebase.mining.patterns.levels import OUTCOME, Target
from tablebase.mining.patterns.pattern_search import Patterns
from tablebase.mining.patterns.trees import CRITERION, Tree
from tablebase.positions.location import StoredSlice
from tablebase.positions.material import material_name

NAMED = 4
"""Most materials that are named one by one."""
PAIRS = 50
"""Pairs of features kept for each slice: those with the highest gains."""


def are_kept(slices: Sequence[StoredSlice], target: Target) -> bool:
    """Return whether the catalog has a place for patterns: those that predict the outcome of a single slice."""
    return len(slices) == 1 and target == OUTCOME


def save(catalog: Catalog, patterns: Patterns) -> None:
    """Enter the patterns of a slice, which must be kept (see `are_kept`), into the catalog; earlier ones are replaced.

    The catalog is opened with ``create=True``. Raise `TablebaseError` if the slice is no longer in it.
    """
    game, (slice_,) = patterns.game, patterns.slices
    material, side = material_name(game, slice_.material), game.sides[slice_.side].letter
    wanted = {"game": game.name, "material": material, "side": side}
    query = select(SLICES.c.id).where(*(SLICES.c[name] == value for name, value in wanted.items()))
    with catalog.writing() as connection:
        slice_id = connection.scalar(query)
        if slice_id is None:
            raise TablebaseError(f"the slice {material} of {game.name} has been removed from the catalog: build the slice again")
        common = {"slice_id": slice_id, **wanted, "pieces": slice_.material.pieces}
        found = ((GAINS, gain_rows(patterns, PAIRS)), (RULES, rule_rows(patterns)), (TREES, tree_rows(patterns)))
        for table, rows in found:
            connection.execute(delete(table).where(table.c.slice_id == slice_id))
            if described := [{**common, **row} for row in rows]:
                connection.execute(insert(table), described)


def best(patterns: Patterns, number: int, limit: int | None = None) -> list[Gain]:
    """The gains of single features (1) or pairs (2), highest first, at most `limit` of them."""
    return [gain for gain in patterns.gains if len(gain.features) == number][:limit]


def gain_rows(patterns: Patterns, pairs: int, singles: int | None = None) -> Iterator[dict[str, Any]]:
    """The gains, as fields of `pattern_gains`: the best single features, then the best pairs."""
    of_slice = {"commonest": patterns.commonest, "entropy": patterns.entropy, "positions": patterns.positions}
    for gain in (*best(patterns, 1, singles), *best(patterns, 2, pairs)):
        of_features = {"gain": gain.gain, "explains": gain.explains, "decides": gain.decides}
        yield {"features": gain.name, "number": len(gain.features), **of_features, **of_slice}


def rule_rows(patterns: Patterns) -> Iterator[dict[str, Any]]:
    """The rules, as fields of `pattern_rules`; the class is named after the target, as in ``outcome``."""
    for rule in patterns.rules:
        description = {patterns.target.name: rule.value, "comparisons": rule.comparisons, "condition": rule.condition}
        yield {**description, "positions": rule.positions, "share": rule.positions / patterns.positions}


def tree_rows(patterns: Patterns) -> Iterator[dict[str, Any]]:
    """The tree, if there is one, as fields of `pattern_trees`."""
    if patterns.tree is not None:
        tree, positions = patterns.tree, patterns.positions
        counts = {"trained": tree.trained, "errors": tree.errors, "error": tree.errors / positions, "positions": positions}
        yield {"depth": tree.depth, "leaves": tree.leaves, **counts, "tree": tree.text, "expression": tree.sql}


def subject_fields(patterns: Patterns) -> dict[str, Any]:
    """The slice; of several slices together only what they have in common, else None."""
    slices = slice_fields(patterns)
    common = {name: {row[name] for row in slices} for name in slices[0]}
    return {"game": patterns.game.name, **{name: values.pop() if len(values) == 1 else None for name, values in common.items()}}


def slice_fields(patterns: Patterns) -> list[dict[str, Any]]:
    """Each of the slices."""
    game = patterns.game
    return [
        {"material": material_name(game, each.material), "side": game.sides[each.side].letter, "pieces": each.material.pieces}
        for each in patterns.slices
    ]


def count_fields(patterns: Patterns) -> dict[str, int | None]:
    """Positions, and how many of them are won, lost and drawn if the outcome is the target."""
    counts = patterns.counts if patterns.target == OUTCOME else (None, None, None)
    return {"positions": patterns.positions, **dict(zip(("wins", "losses", "draws"), counts, strict=True))}


def class_rows(patterns: Patterns) -> list[dict[str, Any]]:
    """Each class of the target, and its positions."""
    return [{"class": word, "positions": count} for word, count in zip(patterns.classes, patterns.counts, strict=True)]


def slices_text(game: Game, slices: Sequence[StoredSlice]) -> str:
    """The materials of slices, or how many slices there are."""
    names = list(dict.fromkeys(material_name(game, each.material) for each in slices))
    if len(names) <= NAMED:
        return ", ".join(names)
    pieces = sorted({each.material.pieces for each in slices})
    span = str(pieces[0]) if len(pieces) == 1 else f"{pieces[0]} to {pieces[-1]}"
    return f"{len(slices)} slices of {span} pieces"


def title(patterns: Patterns) -> str:
    """The slices, the side to move if it is the same in all of them, and which positions are examined unless it is all."""
    game, target = patterns.game, patterns.target
    parts = [slices_text(game, patterns.slices)]
    sides = {each.side for each in patterns.slices}
    parts += [f"{game.sides[side].name} to move" for side in sides if len(sides) == 1]
    if target != OUTCOME:
        parts.append(target.examined)
    return ", ".join(parts)


def counts_text(patterns: Patterns) -> str:
    """The positions, and how many have each class."""
    if patterns.target == OUTCOME:
        return ", ".join(f"{number:,} {what}" for what, number in count_fields(patterns).items())
    classes = ", ".join(f"{row['class']} ({row['positions']:,})" for row in class_rows(patterns))
    return f"{patterns.positions:,} positions; {patterns.target.words}: {classes}"


def entropy_text(patterns: Patterns) -> str:
    """Return how uncertain the target is without any feature."""
    what, share = "outcome" if patterns.target == OUTCOME else "class", 100 * patterns.commonest
    return f"entropy of the {patterns.target.words}: {patterns.entropy:.3f} bits; most common {what}: {share:.1f} %"


def tree_text(patterns: Patterns, tree: Tree) -> str:
    """The criterion of a tree, how often it is wrong, and that its SQL follows."""
    wrong = f"wrong in {tree.errors:,} positions, {100 * tree.errors / patterns.positions:.2f} %"
    return f"grown by information gain (criterion {CRITERION}); {wrong}; as SQL:"
