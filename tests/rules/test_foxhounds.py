"""Fox & Hounds: each rule on a small position, and the published numbers that a naive walk can reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from math import inf
from pathlib import Path

import pytest
from support.program import Answer, assert_no_game, assert_no_position
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
    foxbox,
    games,
    kept_moves,
    values,
    walk,
)

from tablebase.game import Outcome
from tablebase.game.moves import Position, decided, legal_moves
from tablebase.game.notation import parse, render, render_move
from tablebase_rules.foxhounds import game as foxhounds

GAME = foxhounds()
STEP = 2**-17
"""The published fuzz factors are multiples of this, the last that leave less than an even chance."""


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


def place(pieces: str, side: int = FOX) -> Position:
    """A position of 8×8 from words such as ``Fe4 Hd3``."""
    return Position(tuple(sorted((GAME.by_symbol[word[0]], GAME.board.square(word[1:])) for word in pieces.split())), side)


def moves(pieces: str, side: int = FOX) -> set[str]:
    """All moves of a side, as ``e4d3``."""
    return {render_move(GAME, move) for move in legal_moves(GAME, place(pieces, side))}


# Rules


@pytest.mark.parametrize(("size", "fox"), [(2, "a2"), (4, "c4"), (6, "c6"), (8, "e8"), (10, "e10"), (12, "g12")])
def test_the_start(size: int, fox: str) -> None:
    """The fox stands in the middle of the last rank or right of it, the hounds on every square of the first, and the fox moves."""
    game = foxhounds((size, size))
    position = parse(game, game.start)
    places = {game.kinds[kind].symbol + game.board.names[square] for kind, square in position.pieces}
    assert places == {f"F{fox}", *(f"H{file}1" for file in "bdfhjl"[: size // 2])}
    assert position.side == FOX


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param("Fe4 Hb1 Hd1 Hf1 Hh1", "e4d3 e4f3 e4d5 e4f5", id="one step along any diagonal"),
        pytest.param("Fa4 Hb1 Hd1 Hf1 Hh1", "a4b3 a4b5", id="two steps from the edge"),
        pytest.param("Fh7 Hb1 Hd1 Hf1 Hh1", "h7g6 h7g8", id="two steps from the other edge"),
        pytest.param("Fa8 Hb1 Hd1 Hf1 Hh1", "a8b7", id="one step from the corner"),
        pytest.param("Fe4 Hd3 Hf5 Hf1 Hh1", "e4f3 e4d5", id="hounds are in the way and cannot be taken or jumped over"),
        pytest.param("Fe4 Hd3 Hf3 Hd5 Hf5", "", id="nowhere to go"),
    ],
)
def test_moves_of_the_fox(pieces: str, expected: str) -> None:
    """Where the fox may go: each case is one line of the rules."""
    assert moves(pieces) == set(expected.split())


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param("Fe8 Hb1 Hd1 Hf1 Hh1", "b1a2 b1c2 d1c2 d1e2 f1e2 f1g2 h1g2", id="one step up the board"),
        pytest.param("Fe4 Hd3 Ha8 Hc8 He8", "d3c4", id="the fox is in the way and cannot be taken"),
        pytest.param("Fe8 Hb1 Ha2 Hc2 Hd1", "a2b3 c2b3 c2d3 d1e2", id="so are hounds"),
        pytest.param("Fe4 Hf3 Hf5 Hc8 He8", "f3g4 f5e6 f5g6", id="none from the last rank, none back"),
    ],
)
def test_moves_of_the_hounds(pieces: str, expected: str) -> None:
    """Where the hounds may go: each case is one line of the rules."""
    assert moves(pieces, HOUNDS) == set(expected.split())


def test_the_fox_is_blocked() -> None:
    """The document's example: the fox on c8 has no move, so the hounds have won."""
    position = parse(GAME, "2F1H3/1H1H4/4H3/8/8/8/8/8 f")
    assert decided(GAME, position) is Outcome.LOSS
    assert not legal_moves(GAME, position)


def test_the_hounds_are_stuck() -> None:
    """The document's example: no hound can move, so the fox has won though it has not escaped; elsewhere it would not have."""
    assert decided(GAME, parse(GAME, "H3H1H1/8/8/8/6F1/7H/8/8 h")) is Outcome.LOSS
    assert decided(GAME, parse(GAME, "H3H1H1/8/8/5F2/8/7H/8/8 h")) is None


@pytest.mark.parametrize(("side", "outcome"), [("f", Outcome.WIN), ("h", Outcome.LOSS)])
def test_the_document_example_of_an_escape(side: str, outcome: Outcome) -> None:
    """No hound ever comes to b3 or a2, so it is over, whichever side is to move."""
    position = parse(GAME, f"8/8/8/1H3H2/8/1F1H1H2/8/8 {side}")
    assert decided(GAME, position) is outcome
    assert not legal_moves(GAME, position)


@pytest.mark.parametrize("side", [FOX, HOUNDS])
@pytest.mark.parametrize(
    ("pieces", "escaped"),
    [
        pytest.param("Fb1 Ha2 Hd1 Hf1 Hh1", False, id="b1 is out of reach, its neighbours a2 and c2 are not"),
        pytest.param("Fb1 Hb5 Hd1 Hf1 Hh1", True, id="b1 and a2 are out of reach, c2 is not"),
        pytest.param("Fh1 Hb1 Hd1 Hf1 Hh3", False, id="the corner is out of reach, its only neighbour is not"),
        pytest.param("Fe4 Hb1 Hd5 Hf5 Hh5", False, id="the hound on b1 comes to e4 in three steps"),
        pytest.param("Fg4 Hb1 Hd5 Hf5 Hh5", True, id="the hound on b1 comes neither to g4 nor to f3"),
        pytest.param("Fg2 Hb5 Hd5 Hf5 Hh1", False, id="nobody but the fox itself keeps the hound from g2"),
    ],
)
def test_escapes(pieces: str, escaped: bool, side: int) -> None:
    """The fox needs a square that no hound could reach on an empty board, and another beside it."""
    assert (decided(GAME, place(pieces, side)) is not None) is escaped


@pytest.mark.parametrize(
    ("text", "contained"),
    [
        pytest.param("4F3/8/8/8/8/8/8/1H1H1H1H f", True, id="the start"),
        pytest.param("8/3F4/8/8/4H1H1/1H1H4/8/8 f", True, id="the document's first"),
        pytest.param("4H3/1F6/4H3/1H1H4/8/8/8/8 f", True, id="the document's second"),
        pytest.param("H3H1F1/5H2/6H1/8/8/8/8/8 f", True, id="the document's third"),
        # By g4, f3 and e2 the fox comes to d1.
        pytest.param("8/3F4/8/8/4H3/1H1H4/8/5H2 f", False, id="the first with a hole in the line"),
        pytest.param("8/8/8/1H3H2/8/1F1H1H2/8/8 f", False, id="the fox has escaped"),
        pytest.param("8/8/8/8/8/8/H1H5/1F6 f", True, id="one square that no hound could reach"),
    ],
)
def test_foxboxes(text: str, contained: bool) -> None:
    """The naive twin of the document's FoxBox knows the document's examples."""
    assert foxbox(GAME, parse(GAME, text)) is contained


# Published numbers


@pytest.mark.parametrize(
    ("size", "reachable", "possible", "winner", "plies"),
    [
        (2, 1, 1, HOUNDS, 0),
        (4, 83, 178, HOUNDS, 8),
        (6, 8_175, 982_462_133_247, FOX, 21),
        pytest.param(8, 709_868, 360_552_037_329_667_882_019_232_833_884, HOUNDS, 44, marks=pytest.mark.full),
    ],
)
def test_published_sizes(study: Callable[[int], Study], size: int, reachable: int, possible: int, winner: int, plies: int) -> None:
    """Reachable positions, possible games, and who wins the start in how many plies."""
    known = study(size)
    assert len(known.walk.children) == reachable
    assert games(known.walk)[0] == possible
    assert known.winner(known.walk.start) == winner
    assert known.values[known.walk.start][1] == plies


@pytest.mark.parametrize(("size", "plies", "most"), [(4, 0, (2, 4)), (6, None, (inf, 0))])
def test_published_box_plies(study: Callable[[int], Study], size: int, plies: int | None, most: Later) -> None:
    """B at the start, and the greatest B that the fox can force, with the plies until then."""
    known = study(size)
    assert known.box[known.walk.start] == plies
    assert known.later[known.walk.start] == most


@pytest.mark.parametrize(
    ("size", "plies", "text"), [(4, 3, None), pytest.param(8, 29, "8/3F4/8/8/8/8/6H1/1H1H3H f", marks=pytest.mark.full)]
)
def test_the_opposite_position(study: Callable[[int], Study], size: int, plies: int, text: str | None) -> None:
    """The first position that the other side wins; the document shows that of 8×8."""
    known = study(size)
    assert known.values[known.opposite] == ("win", plies)
    assert known.opposite.side == FOX
    assert text in (None, render(known.game, known.opposite))


@pytest.mark.parametrize(("size", "fuzz"), [(4, 0.095558), (6, 0.041771)])
def test_the_fairest_fuzz(study: Callable[[int], Study], size: int, fuzz: float) -> None:
    """The side that should lose has less than an even chance at the published fuzz, and more one step on."""
    known = study(size)
    assert known.chance(fuzz) < 0.5 < known.chance(fuzz + STEP)


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


@pytest.mark.full
def test_without_the_escape_more_positions_are_reachable(endless: Walk) -> None:
    """If an escaped fox must play on until the hounds are stuck, 957,529 positions are reachable."""
    assert len(endless.children) == 957_529


@pytest.mark.parametrize(
    ("reading", "reachable"),
    [
        pytest.param({"room": False}, 701_218, id="an area of one square is enough"),
        pytest.param({"to_move": frozenset({HOUNDS})}, 765_021, id="only with the hounds to move"),
    ],
)
@pytest.mark.full
def test_misread_escapes(endless: Walk, reading: Mapping[str, object], reachable: int) -> None:
    """Other readings of the escape reach other numbers of positions."""
    assert GAME.escape is not None
    misread = replace(GAME, escape=replace(GAME.escape, **reading))
    assert len(walk(misread, like=endless).children) == reachable


# Malformed input

SIZES = {
    "an odd size": "foxhounds-7x7",
    "too large": "foxhounds-14x14",
    "not square": "foxhounds-8x10",
    "nothing": "foxhounds-0x0",
    "half a size": "foxhounds-8",
    "no such variant": "foxhounds-hounds=3",
}

POSITIONS = {
    "a hound too many": ("4F3/8/8/8/8/8/H7/1H1H1H1H f", "5 pieces 'H'"),
    "two foxes": ("4F1F1/8/8/8/8/8/8/1H1H1H1H f", "2 pieces 'F'"),
    "the fox on a light cell": ("3F4/8/8/8/8/8/8/1H1H1H1H f", "'F' in row 8"),
    "a hound on a light cell": ("4F3/8/8/8/8/8/1H6/1H1H1H2 f", "'H' in row 2"),
    "no fox": ("8/8/8/8/8/8/8/1H1H1H1H f", "Fox has no pieces"),
    "no hounds": ("4F3/8/8/8/8/8/8/8 h", "Hounds has no pieces"),
    "another size": ("2F3/6/6/6/6/1H1H1H f", "6 rows"),
    "another game's sides": ("4F3/8/8/8/8/8/8/1H1H1H1H w", "'f' or 'h'"),
}


@pytest.mark.parametrize("name", SIZES.values(), ids=SIZES)
def test_bad_sizes(name: str, ask: Callable[..., Answer]) -> None:
    """What cannot be set up is refused in a sentence that names it, by the library and by the program."""
    assert_no_game(name, name.partition("-")[2], ask)


@pytest.mark.parametrize(("text", "fault"), POSITIONS.values(), ids=POSITIONS)
def test_bad_positions(text: str, fault: str, two_pieces: Path, ask: Callable[..., Answer]) -> None:
    """Text that is no position is refused in a sentence that names the fault, by the library and by the program."""
    assert_no_position(GAME, text, fault, two_pieces, ask)
