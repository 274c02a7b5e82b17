"""A small game with chance, of which faulty ones are made, and what the conformance suite says about them."""

from typing import Any

from tablebase.testing import check_rules
from tablebase_rules import pig

PLAIN = ["start", "moves", "draws", "turns", "places", "notation", "states", "play", "digest", "words", "pictures"]
COMPILED = ["kernels", "index", "layers"]


class Small(pig.Pig):
    """Pig for three with a die of three faces, to four points, which has no kernels; faulty ones are made of it."""

    def __init__(self, players: int = 3) -> None:
        super().__init__(3, 4, players)


class Listed(pig.Pig):
    """Pig without kernels, so that all of its states are listed."""

    def kernels(self) -> None:
        """None."""


def failures(game: Any, samples: int = 300) -> dict[str, str]:
    return {result.name: result.failure for result in check_rules(game, samples=samples) if result.failure}


def only_failure(game: Any, name: str, samples: int = 300) -> str:
    found = failures(game, samples)
    assert list(found) == [name], found
    return found[name]
