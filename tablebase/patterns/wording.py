"""What patterns are about, in words and as fields of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablebase.game import Game
from tablebase.patterns.pattern_search import Patterns
from tablebase.patterns.targets import OUTCOME
from tablebase.patterns.trees import Tree
from tablebase.slices.location import StoredSlice
from tablebase.slices.material import material_name

NAMED = 4
"""Most materials that are named one by one."""


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
    """How uncertain the target is without any feature."""
    what, share = "outcome" if patterns.target == OUTCOME else "class", 100 * patterns.commonest
    return f"entropy of the {patterns.target.words}: {patterns.entropy:.3f} bits; most common {what}: {share:.1f} %"


def tree_text(patterns: Patterns, tree: Tree) -> str:
    """How often a tree is wrong, and that its SQL follows."""
    return f"wrong in {tree.errors:,} positions, {100 * tree.errors / patterns.positions:.2f} %; as SQL:"
