"""Whole games walked in plain Python: the published numbers of Fox & Hounds and Hasenspiel, and of readings that are not theirs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from math import inf

import pytest
from twins.walk import (
    FOX,
    HOUNDS,
    Later,
    Pair,
    Walk,
    best_later,
    box_plies,
    breadth_first,
    fault_probability,
    games,
    kept_moves,
    values,
    walk,
)

from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase_rules.foxhounds import game as foxhounds
from tablebase_rules.hasenspiel import game as hasenspiel

GAME = foxhounds()
BLACK = 1
STEP = 2**-17
"""The published fuzz factors are multiples of this, the last that leave less than an even chance."""


# Fox & Hounds


class Study:
    """All that there is to know of one size, computed when it is first asked for."""

    def __init__(self, size: int, like: Walk | None = None) -> None:
        self.game = foxhounds((size, size))
        self.like = like

    @cached_property
    def walk(self) -> Walk:
        """Every reachable position."""
        return walk(self.game, like=self.like)

    @cached_property
    def values(self) -> Mapping[Position, Pair]:
        """Outcome and plies."""
        return values(self.walk)

    @cached_property
    def box(self) -> Mapping[Position, int | None]:
        """B, the plies to a won position that is a FoxBox."""
        return box_plies(self.walk, self.values)

    @cached_property
    def later(self) -> Mapping[Position, Later]:
        """Max B and k."""
        return best_later(self.walk, FOX, self.box)

    @cached_property
    def kept(self) -> Mapping[Position, tuple[Position, ...]]:
        """The moves that the AI keeps."""
        return kept_moves(self.walk, self.values, self.later)

    def winner(self, position: Position) -> int:
        """The side that wins with best play."""
        return position.side if self.values[position][0] == "win" else 1 - position.side

    @property
    def opposite(self) -> Position:
        """The first position whose winner is not the start's, in the published order of moves."""
        start = self.walk.start
        return next(p for p in breadth_first(self.walk, self.order) if self.winner(p) != self.winner(start))

    def order(self, parent: Position, child: Position) -> tuple[int, ...]:
        """The fox tries lower ranks first, then lower files; hounds take turns by file and rank, lower files first."""
        ((_, origin),) = set(parent.pieces) - set(child.pieces)
        ((_, target),) = set(child.pieces) - set(parent.pieces)
        x, y = self.game.board.cells[target]
        return (y, x) if parent.side == FOX else (*self.game.board.cells[origin], x)

    def chance(self, fuzz: float) -> float:
        """How likely the side that should lose wins from the start all the same."""
        start = self.walk.start
        return fault_probability(self.walk, self.kept, 1 - self.winner(start), fuzz)[start]


@pytest.fixture(scope="module")
def endless() -> Walk:
    """Every position of 8×8 if a fox that has escaped must play on: more than under any other reading."""
    return walk(replace(GAME, escape=None))


@pytest.fixture(scope="module")
def study(request: pytest.FixtureRequest) -> Callable[[int], Study]:
    """Gives what there is to know of a size, as ``study(6)``."""
    return cache(lambda size: Study(size, request.getfixturevalue("endless") if size == 8 else None))


@pytest.mark.release
def test_the_board_of_the_article(study: Callable[[int], Study]) -> None:
    """Reachable positions, possible games, and who wins the start in how many plies; smaller boards are in the default tests."""
    known = study(8)
    assert len(known.walk.children) == 709_868
    assert games(known.walk)[0] == 360_552_037_329_667_882_019_232_833_884
    assert known.winner(known.walk.start) == HOUNDS
    assert known.values[known.walk.start][1] == 44


@pytest.mark.full
@pytest.mark.parametrize(("size", "plies", "most"), [(4, 0, (2, 4)), (6, None, (inf, 0))])
def test_published_box_plies(study: Callable[[int], Study], size: int, plies: int | None, most: Later) -> None:
    """B at the start, and the greatest B that the fox can force, with the plies until then."""
    known = study(size)
    assert known.box[known.walk.start] == plies
    assert known.later[known.walk.start] == most


@pytest.mark.parametrize(
    ("size", "plies", "text"),
    [
        pytest.param(4, 3, None, marks=pytest.mark.full),
        pytest.param(8, 29, "8/3F4/8/8/8/8/6H1/1H1H3H f", marks=pytest.mark.release),
    ],
)
def test_the_opposite_position(study: Callable[[int], Study], size: int, plies: int, text: str | None) -> None:
    """The first position that the other side wins; the document shows that of 8×8."""
    known = study(size)
    assert known.values[known.opposite] == ("win", plies)
    assert known.opposite.side == FOX
    assert text in (None, render(known.game, known.opposite))


@pytest.mark.full
@pytest.mark.parametrize(("size", "fuzz"), [(4, 0.095558), (6, 0.041771)])
def test_the_fairest_fuzz(study: Callable[[int], Study], size: int, fuzz: float) -> None:
    """The side that should lose has less than an even chance at the published fuzz, and more one step on."""
    known = study(size)
    assert known.chance(fuzz) < 0.5 < known.chance(fuzz + STEP)


@pytest.mark.full
@pytest.mark.parametrize(("size", "fuzz"), [(4, 0.095558), (6, 0.041771)])
def test_the_literal_prose_is_another_policy(study: Callable[[int], Study], size: int, fuzz: float) -> None:
    """If the AI plays any move with the chance that the fuzz says, and else one it keeps, the odds are not near even."""
    known = study(size)
    start = known.walk.start
    chances: dict[Position, float] = {}
    for position, children in known.walk.children.items():
        found, good = ([chances[child] for child in some] for some in (children, known.kept[position]))
        if not found:
            chances[position] = float(known.walk.winner(position) != known.winner(start))
        elif position.side != known.winner(start):
            chances[position] = max(found)
        else:
            chances[position] = fuzz * sum(found) / len(found) + (1 - fuzz) * sum(good) / len(good)
    assert chances[start] < 0.3


# Misreadings, of which the published numbers are not true


@pytest.mark.release
def test_without_the_escape_more_positions_are_reachable(endless: Walk) -> None:
    """If an escaped fox must play on until the hounds are stuck, 957,529 positions are reachable."""
    assert len(endless.children) == 957_529


@pytest.mark.release
@pytest.mark.parametrize(
    ("reading", "reachable"),
    [
        pytest.param({"room": False}, 701_218, id="an area of one square is enough"),
        pytest.param({"to_move": frozenset({HOUNDS})}, 765_021, id="only with the hounds to move"),
    ],
)
def test_misread_escapes(endless: Walk, reading: Mapping[str, object], reachable: int) -> None:
    """Other readings of the escape reach other numbers of positions."""
    assert GAME.escape is not None
    misread = replace(GAME, escape=replace(GAME.escape, **reading))
    assert len(walk(misread, like=endless).children) == reachable


# Hasenspiel


@pytest.fixture(scope="module")
def walks() -> Mapping[str, Walk]:
    """Every position of 8×8 under each reading; that which plays on longest comes first, and the others use its moves."""
    longest = walk(hasenspiel(early="none"))
    return {"none": longest, **{early: walk(hasenspiel(early=early), like=longest) for early in ("default", "article")}}


@pytest.mark.release
@pytest.mark.parametrize(
    ("early", "states", "possible", "percent", "digits"),
    [
        ("default", 778_341, 2_479_385_048_689_677_432_127_960_469_169, 1.49, 2),
        ("article", 776_247, 1_101_226_120_421_767_687_787_600_873_400, 3.44, 2),
        ("none", 895_280, 1_586_542_365_057_189_311_556_076_565_896_156, 0.006, 3),
    ],
)
def test_published_counts(walks: Mapping[str, Walk], early: str, states: int, possible: int, percent: float, digits: int) -> None:
    """States, possible games, and the share of them that Black wins, under each reading."""
    total, (_, black) = games(walks[early])
    assert len(walks[early].children) == states
    assert total == possible
    assert round(100 * black / total, digits) == percent


@pytest.mark.release
def test_black_wins_in_44_plies(walks: Mapping[str, Walk]) -> None:
    """White to move loses the start, and 7.57 % of the states are won for Black."""
    found = values(walks["default"])
    assert found[walks["default"].start] == ("loss", 44)
    won = sum((outcome == "win") == (position.side == BLACK) for position, (outcome, _) in found.items())
    assert round(100 * won / len(found), 2) == 7.57
