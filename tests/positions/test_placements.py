"""Numbers of positions: the published ones, by hand, and by putting pieces on squares."""

from collections import Counter
from math import comb, perm

import pytest
from support import toys
from support.checks import at_least_one
from twins import naive

from tablebase.game import Game, load_game
from tablebase.game.notation import parse
from tablebase.positions.location import slices, stored_materials, table_placements
from tablebase.positions.material import material_name, material_of, materials, placements
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
TOYS = [toys.pond(), toys.hunt(), toys.twins(), toys.shelter("gate")]


@pytest.mark.parametrize(
    ("pieces", "distinct", "count"),
    [
        *((2, 17, 44_820), (3, 84, 10_622_808), (4, 261, 1_546_576_416), (5, 680, 183_320_863_488)),
        pytest.param(6, 1_546, 18_581_470_959_744, marks=pytest.mark.full),
    ],
)
def test_placements_of_distinct_slices(pieces: int, distinct: int, count: int) -> None:
    """The slices that are solved and stored have the known number and placements, and tables hold just those."""
    stored = [one.material for one in slices(GAME, pieces) if one.distinct]
    assert len(stored) == distinct
    assert sum(placements(GAME, material) for material in stored) == count
    assert sum(table_placements(GAME, table) for table in stored_materials(GAME, pieces)) == count


@pytest.mark.parametrize(
    ("game", "pieces"),
    [
        pytest.param(game, pieces, id=f"{game.name}-{pieces}")
        for game, most in [*((game, 4) for game in TOYS), *((game, 3) for game in toys.with_tiers())]
        for pieces in range(2, min(most, sum(kind.limit for kind in game.kinds)) + 1)
    ],
)
def test_placements_by_trying_all(game: Game, pieces: int) -> None:
    """Each material of a small game has as many placements as there are ways to set it up, identical pieces included."""
    found = {kinds: naive.placements(game, kinds) for kinds in {material.kinds for material in materials(game, pieces)}}
    tiers = {kinds: Counter(naive.tier(game, pieces) for pieces in some) for kinds, some in found.items()}
    for material in at_least_one(materials(game, pieces)):
        assert placements(game, material) == tiers[material.kinds][material.advance], material_name(game, material)


def test_placements_of_all_pieces() -> None:
    """Of the start of Dou Shou Qi: fourteen pieces on land, then two rats on what is left; and of crowds of identical pieces."""
    everything = material_of(GAME, parse(GAME, GAME.start))
    land, anywhere = (len(GAME.kinds[GAME.by_symbol[letter]].squares) for letter in "CR")
    assert placements(GAME, everything) == perm(land, 14) * perm(anywhere - 14, 2)
    pawns = load_game("hexapawn-9x9")
    crowd = material_of(pawns, parse(pawns, pawns.start))
    white, black = (set(kind.squares) for kind in pawns.kinds)
    # However many of White's pawns stand where Black's may not.
    ways = (comb(len(white - black), n) * comb(len(white & black), 9 - n) * comb(len(black) - 9 + n, 9) for n in range(10))
    assert placements(pawns, crowd) == sum(ways)
