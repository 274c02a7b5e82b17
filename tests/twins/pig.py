"""Pig for two, solved anew: policy iteration with fractions, without the package.

A state is the mover's score, the other's, and the total of the turn. `win` gives the mover's exact chance in each.
"""

from fractions import Fraction

State = tuple[int, int, int]


def win(points: list[int], target: int) -> dict[State, Fraction]:
    """The exact chance of the player to move by his score, the other's, and his total; `points` are the faces', 0 the losing one.

    The scores that can follow are solved first. States of two scores and of the two exchanged depend on one another: the
    chances with no total, x for the one to move and y for the other in his place, are a fixed point of two monotone functions
    that are piecewise linear, so that a few exact steps along the pieces reach it.
    """
    known: dict[State, Fraction] = {}
    for both in range(2 * target - 2, -1, -1):
        for mine in range(max(0, both - target + 1), min(both, target - 1) + 1):
            other = both - mine
            if mine <= other:
                solve_pair(points, target, mine, other, known)
    return known


def solve_pair(points: list[int], target: int, mine: int, other: int, known: dict[State, Fraction]) -> None:
    """Enter all totals of two scores and of the two exchanged."""
    x = y = Fraction(0)
    while True:
        value_x, slope_x = chain(points, target, mine, other, y, known)
        value_y, slope_y = chain(points, target, other, mine, x, known)
        if (value_x, value_y) == (x, y):
            break
        # The lines value + slope * (change of the other's chance) meet where both equations of this policy hold.
        determinant = 1 - slope_x * slope_y
        x, y = (
            (value_x + slope_x * (value_y - slope_y * x - y)) / determinant,
            (value_y + slope_y * (value_x - slope_x * y - x)) / determinant,
        )
    chain(points, target, mine, other, y, known, enter=True)
    chain(points, target, other, mine, x, known, enter=True)


def chain(
    points: list[int], target: int, mine: int, other: int, theirs: Fraction, known: dict[State, Fraction], enter: bool = False
) -> tuple[Fraction, Fraction]:
    """The chance without a total, if the other's is `theirs` after a lost turn, and its slope in that."""
    chances: dict[int, tuple[Fraction, Fraction]] = {}
    for total in range(target - mine + max(points) - 1, -1, -1):
        if mine + total >= target:
            chances[total] = Fraction(1), Fraction(0)
            continue
        held = (1 - theirs, Fraction(-1)) if total == 0 else (1 - known[other, mine + total, 0], Fraction(0))
        after = [chances[total + face] if face else (1 - theirs, Fraction(-1)) for face in points]
        value, slope = (sum(numbers, Fraction(0)) / len(points) for numbers in zip(*after, strict=True))
        chances[total] = max(held, (value, slope))
    if enter:
        known |= {(mine, other, total): value for total, (value, _) in chances.items()}
    return chances[0]
