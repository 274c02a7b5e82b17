"""What is too large to be solved by any machine."""

from __future__ import annotations

from functools import cache

from tablebase.game import Game
from tablebase.slices.indexing import layout_of
from tablebase.slices.material import Material, advances_of, make_material

INDEX_LIMIT = 1 << 40
"""More indices than any machine could solve."""


def is_buildable(game: Game, material: Material) -> bool:
    """Whether a material has at most `INDEX_LIMIT` indices."""
    return layout_of(game, material).size <= INDEX_LIMIT


@cache
def most_pieces(game: Game) -> int:
    """The largest number of pieces of any material that can be built: one of the pieces with the fewest squares."""
    available = [number for number, kind in enumerate(game.kinds) for _ in range(kind.limit)]
    available.sort(key=lambda number: len(game.kinds[number].squares))
    chosen = [next(number for number in available if game.side_of(number) == side) for side in (0, 1)]
    for number in chosen:
        available.remove(number)
    for number in available[: game.max_pieces - len(chosen)]:
        kinds = tuple(sorted((*chosen, number)))
        if not is_buildable(game, make_material(game, kinds, advances_of(game, kinds)[0])):
            break
        chosen.append(number)
    return len(chosen)
