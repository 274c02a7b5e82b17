"""What leads to a material, against a search through all materials."""

import pytest

from tablebase.game import load_game
from tablebase.slices.location import dependencies, dependents, stored_materials

GAMES = [("doushouqi", 2), ("hexapawn", 5), ("foxhounds-4x4", 3), ("hasenspiel", 4)]


@pytest.mark.parametrize(("name", "most"), GAMES)
def test_dependents(name: str, most: int) -> None:
    """They are the stored materials that depend on it, fewest pieces first and then in the order of materials."""
    game = load_game(name)
    for pieces in range(2, most + 1):
        counts = [count for count in (pieces, pieces + 1) if count <= game.max_pieces]
        listed = [one for count in counts for one in stored_materials(game, count)]
        for stored in stored_materials(game, pieces):
            needing = tuple(one for one in listed if stored in dependencies(game, one) and one != stored)
            assert dependents(game, stored) == needing
