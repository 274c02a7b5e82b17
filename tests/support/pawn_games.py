"""Games of Hexapawn on 3x3: what is typed at the terminal and what is printed, and positions as strings."""

from random import Random

from tablebase.game.moves import Position

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


def as_cells(position: Position) -> str:
    """A position of 3x3 as a string of nine."""
    symbols = {square: "Pp"[kind] for kind, square in position.pieces}
    return "".join(symbols.get(square, ".") for square in range(9))


def flipped(cells: str) -> str:
    """The board seen in the mirror."""
    return cells[2::-1] + cells[5:2:-1] + cells[8:5:-1]
