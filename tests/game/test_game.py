"""The vocabulary: what a description may not say, and what its digest covers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support import toys

from tablebase.errors import NotationError, RulesError
from tablebase.game import Board, Duel, Evaluation, Game, Kind, Outcome, Side, Step, Terrain

BOARD = Board.full(2, 2)


def tiny(**changes: Any) -> Game:
    kinds = (piece("A", 0), piece("b", 1))
    fields = {"board": BOARD, "kinds": kinds, "start": "1b/A1 w", "max_pieces": 2, "mirror": (1, 0, 2, 3)}
    return toys.small(**fields | changes)


def piece(symbol: str, side: int) -> Kind:
    return Kind(symbol, f"piece {symbol}", side, (0, 1, 2), (Step(0, 1), Step(1, 0)))


def with_first(**changes: Any) -> Game:
    return tiny(kinds=(replace(piece("A", 0), **changes), piece("b", 1)))


def with_step(**changes: Any) -> Game:
    return with_first(steps=(replace(Step(0, 1), **changes), Step(1, 0)))


def test_squares_are_named_by_file_letter_and_rank() -> None:
    """A full board runs a1, b1, ... a2, ...; names and numbers are inverse; cells may be left out."""
    board = Board.full(3, 2)
    assert board.names == ("a1", "b1", "c1", "a2", "b2", "c2")
    assert [board.square(name) for name in board.names] == list(range(6))
    assert board.squares("c2 a1") == (5, 0)
    assert board.numbers[2, 1] == 5
    assert Board(3, 3, ((0, 0), (2, 0), (1, 1))).names == ("a1", "c1", "b2")


@pytest.mark.parametrize("name", ["d1", "a3", "A1", "", "a", "11"])
def test_an_unknown_square_is_refused(name: str) -> None:
    """The sentence gives the faulty name and the first and last names there are."""
    with pytest.raises(NotationError, match=rf"unknown square '{name}': choose a square from a1 to c2"):
        Board.full(3, 2).square(name)


ERRORS: dict[str, tuple[Callable[[], Game], str]] = {
    "no squares": (lambda: tiny(board=Board(2, 2, ())), "1 to 127 squares, not 0"),
    "too many squares": (lambda: tiny(board=Board.full(16, 8)), "1 to 127 squares, not 128"),
    "files without a letter": (lambda: tiny(board=Board.full(27, 1)), "at most 26 files, not 27"),
    "a cell twice": (lambda: tiny(board=Board(2, 2, ((0, 0), (0, 0)))), "cells .* must be different"),
    "sides with one letter": (lambda: tiny(sides=(Side("w", "White"), Side("w", "Wight"))), "sides need different letters"),
    "one symbol for two": (lambda: tiny(kinds=(piece("A", 0), piece("A", 1))), "but the symbols are A A"),
    "a long symbol": (lambda: tiny(kinds=(piece("AB", 0), piece("b", 1))), "but the symbols are AB b"),
    "a digit as symbol": (lambda: tiny(kinds=(piece("1", 0), piece("b", 1))), "but the symbols are 1 b"),
    "sides out of order": (lambda: tiny(kinds=(piece("b", 1), piece("A", 0))), "side 0 must come before"),
    "a side without kinds": (lambda: tiny(kinds=(piece("A", 0),)), "each side needs at least one"),
    "mirror no involution": (lambda: tiny(mirror=(1, 2, 0, 3)), "mirror must be an involution of the 4 squares"),
    "mirror off the kind's squares": (lambda: tiny(mirror=(3, 1, 2, 0)), "mirror maps a square of piece A to a square"),
    "swap no involution": (lambda: tiny(swap=(3, 0, 1, 2)), "swap must be an involution"),
    "swap without twins": (lambda: tiny(swap=(0, 1, 2, 3)), "swap needs an enemy kind 'a'"),
    "squares not ascending": (lambda: with_first(squares=(0, 2, 1)), "squares of piece A must be different squares"),
    # A fault of the squares is told before the mirror is asked about them.
    "a square off the board": (lambda: with_first(squares=(0, 1, 2, 4)), "squares of piece A must be .* of the board"),
    "no piece allowed": (lambda: with_first(limit=0), "limit of piece A must be at least 1"),
    "a step off the squares": (lambda: with_step(target=3), "step of piece A from square 0 to 3 leaves the squares"),
    "a step from elsewhere": (lambda: with_step(origin=3), "step of piece A from square 3 to 1 leaves the squares"),
    "a win from elsewhere": (lambda: with_step(origin=3, wins=True), "step of piece A from square 3 to 1 leaves the squares"),
    "a blocker off the board": (lambda: with_step(empty=frozenset({4})), "other squares of the board to be empty"),
    "a blocker under the mover": (lambda: with_step(empty=frozenset({0})), "other squares of the board to be empty"),
    "an unknown victim": (lambda: with_step(victims=frozenset("z")), "captures z, which the other side does not have"),
    "an unknown shape": (lambda: with_first(shape="tigre"), r"shape of piece A cannot be 'tigre' \(did you mean 'tiger'\?\)"),
    "an unknown texture": (
        lambda: tiny(terrain=(Terrain("lake", "~", (3,), "Water"),)),
        r"texture of lake cannot be 'Water' \(did you mean 'water'\?\): choose one of den, trap, water, or none",
    ),
    "an own victim": (lambda: with_step(victims=frozenset("A")), "captures A, which the other side does not have"),
}


@pytest.mark.parametrize(("build", "sentence"), ERRORS.values(), ids=ERRORS)
def test_contradictory_rules_are_refused(build: Callable[[], Game], sentence: str) -> None:
    """Each fault raises RulesError with a sentence that names the game and the fault."""
    with pytest.raises(RulesError, match=f"^tiny: .*{sentence}"):
        build()


@pytest.mark.parametrize("change", [{"limit": 2}, {"squares": (0, 1)}, {"symbol": "c"}, {"side": 0, "symbol": "b"}])
def test_twins_must_match(change: dict[str, Any]) -> None:
    """Under colour swap the other side's kind must have the same letter, limit and squares."""
    twin = piece("a", 1)
    assert tiny(kinds=(piece("A", 0), twin), swap=(1, 0, 2, 3)).twins == (1, 0)
    with pytest.raises(RulesError, match=r"^tiny: "):
        tiny(kinds=(piece("A", 0), replace(twin, **change)), swap=(1, 0, 2, 3))


def test_the_largest_board_is_allowed() -> None:
    """127 squares, the limit itself, pass, and so does a winning step off the kind's squares."""
    board = Board(16, 8, Board.full(16, 8).cells[:127])
    assert len(tiny(board=board, mirror=None).board) == 127
    assert with_step(target=3, wins=True).kinds[0].steps[0].wins


CHANGES: list[Callable[[], Game]] = [
    lambda: tiny(name="other"),
    lambda: tiny(board=Board(2, 2, ((0, 0), (1, 0), (1, 1), (0, 1)))),
    lambda: tiny(no_move=Outcome.LOSS),
    lambda: tiny(mirror=None),
    lambda: tiny(kinds=(piece("A", 0), piece("a", 1))),
    lambda: tiny(kinds=(piece("A", 0), piece("a", 1)), swap=(1, 0, 2, 3)),
    lambda: tiny(kinds=(piece("A", 0), piece("B", 0), piece("b", 1))),
    lambda: tiny(kinds=(piece("A", 0), piece("B", 1))),
    lambda: with_first(squares=(0, 1)),
    lambda: with_first(limit=2),
    lambda: with_first(steps=(Step(0, 1),)),
    lambda: with_step(target=2),
    lambda: with_step(origin=2),
    lambda: with_step(empty=frozenset({2})),
    lambda: with_step(quiet=False),
    lambda: with_step(victims=frozenset("b")),
    lambda: with_step(wins=True),
    lambda: tiny(sides=(Side("x", "White"), Side("o", "Black"))),
]


def test_every_rule_changes_the_digest() -> None:
    """Games that differ in one rule each, and the one they differ from, have different digests."""
    digests = {tiny().digest, *(build().digest for build in CHANGES)}
    assert len(digests) == 1 + len(CHANGES)


@pytest.mark.parametrize(
    "build",
    [
        lambda: tiny(title="Other"),
        lambda: tiny(sides=(Side(tiny().sides[0].letter, "Left"), Side(tiny().sides[1].letter, "Right"))),
        lambda: tiny(start="b1/1A w"),
        lambda: with_first(name="other"),
        lambda: with_first(steps=(Step(1, 0), Step(0, 1))),
        lambda: with_first(shape="cat"),
        lambda: tiny(terrain=(Terrain("lake", "~", (3,), "water"),)),
    ],
)
def test_what_no_table_depends_on_leaves_the_digest(build: Callable[[], Game]) -> None:
    """Titles, names, looks, the start and the order of steps may change under built tables."""
    assert build().digest == tiny().digest


def test_steps_by_origin_are_all_steps() -> None:
    """Grouping by origin loses no step, and squares without a step are missing."""
    for kind in toys.pond().kinds:
        assert sorted(map(repr, kind.steps)) == sorted(repr(step) for steps in kind.steps_from.values() for step in steps)
    assert 2 not in tiny().kinds[0].steps_from


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"squares": {"A": (1,) * 4}}, "needs a value for every kind on every square"),
        ({"squares": {"A": (1,) * 4, "b": (1,) * 3}}, "needs a value for every kind on every square"),
        ({"duels": (Duel("A", "x", (1,)),)}, "names the kind 'x', which the game does not have"),
        ({"race": (0, 799_000)}, "add up to 800,004, but at most 800,000 are allowed"),
    ],
)
def test_evaluations_that_no_search_could_use(changes: dict[str, Any], sentence: str) -> None:
    """Values are complete, and cannot add up to what looks like a win."""
    usual = Evaluation({"A": (500,) * 4, "b": (0, -500, 0, 0)}, mobility=1)
    assert tiny(evaluation=replace(usual, race=(0, 798_996))).evaluation is not None
    with pytest.raises(RulesError, match=sentence):
        tiny(evaluation=replace(usual, **changes))
