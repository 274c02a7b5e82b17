"""Games of Hexapawn at the terminal: what is typed, and what is printed."""

from random import Random

WHITE_MOVES = [f"{a}{r}{b}{r + 1}" for r in (1, 2) for a in "abc" for b in "abc"]
START = """\

 3 p p p
 2 . . .
 1 P P P
   a b c
   White to move
"""
SEED = "the seed was {0}: with --seed {0} the same options and moves give the same game\n"


def any_moves(seed: int) -> list[str]:
    """Random moves, most of them illegal when typed, but enough to end a game of Hexapawn."""
    random = Random(seed)
    return [random.choice(WHITE_MOVES) for _ in range(500)]
