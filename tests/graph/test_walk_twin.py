"""The naive walk on a race that is solved by hand.

Two runners on tracks of three squares take turns to go one or two squares; who cannot go loses. A position is written as
White's square, Black's square and the side to move. From 00w White goes to 10b or 20b; 10b leads to 11w and 12w, 20b to 21w
and 22w, 11w to 21b, 12w to 22b, and 21b to 22w once more. So 22w comes after two plies and after four.
"""

import pytest
from twins.walk import Walk, best_later, breadth_first, fault_probability, force, games, values, walk

from tablebase.game import Board, Game, Kind, Outcome, Side, Step
from tablebase.game.moves import Position

WHITE, BLACK = 0, 1


def race(back: bool = False) -> Game:
    """The game; with `back`, runners may also turn round."""
    board = Board.full(3, 2)

    def runner(symbol: str, side: int) -> Kind:
        track = (0, 1, 2) if side == WHITE else (3, 4, 5)
        ways = [(a, b) for a in track for b in track if a < b or (back and a > b)]
        return Kind(symbol, "runner", side, track, tuple(Step(a, b) for a, b in ways))

    kinds = runner("R", WHITE), runner("r", BLACK)
    return Game("race", "Race", board, (Side("w", "White"), Side("b", "Black")), kinds, "r2/R2 w", Outcome.LOSS, 2)


@pytest.fixture
def walked() -> Walk:
    """Every position of the race."""
    return walk(race())


def at(name: str) -> Position:
    """The position of a name such as ``12w``."""
    return Position(((0, int(name[0])), (1, 3 + int(name[1]))), "wb".index(name[2]))


def test_positions(walked: Walk) -> None:
    """Nine positions, three of them final, all after those that they lead to."""
    assert set(walked.children) == set(map(at, ["00w", "10b", "20b", "11w", "12w", "21w", "22w", "21b", "22b"]))
    assert walked.results == {at("21w"): "loss", at("22w"): "loss", at("22b"): "loss"}
    assert set(walked.children[at("20b")]) == {at("21w"), at("22w")}
    order = list(walked.children)
    assert all(order.index(child) < order.index(position) for position in order for child in walked.children[position])


def test_another_start() -> None:
    """From 12w only 22b is left."""
    assert list(walk(race(), at("12w")).children) == [at("22b"), at("12w")]


def test_breadth_first(walked: Walk) -> None:
    """Nearest first, and among the children of one position those in the order that is asked for."""
    found = list(breadth_first(walked, lambda _, child: (-child.pieces[0][1], -child.pieces[1][1])))
    assert found == list(map(at, ["00w", "20b", "10b", "22w", "21w", "12w", "11w", "22b", "21b"]))


def test_games(walked: Walk) -> None:
    """Four games: White wins 00w-10b-12w-22b, Black the three others."""
    assert games(walked) == (4, (1, 3))


def test_values(walked: Walk) -> None:
    """White loses in four plies, by 10b, 11w, 21b and 22w."""
    found = values(walked)
    assert found[at("00w")] == ("loss", 4)
    assert found[at("10b")] == ("win", 3)
    assert found[at("20b")] == ("win", 1)
    assert found[at("12w")] == ("win", 1)
    assert found[at("22w")] == ("loss", 0)


def test_force(walked: Walk) -> None:
    """Black can force 22w, which White puts off for four plies, but White cannot force 22b."""
    black, white = force(walked, BLACK, {at("22w")}), force(walked, WHITE, {at("22b")})
    assert [black[at(name)] for name in ("00w", "10b", "20b", "12w", "22w")] == [4, 3, 1, None, 0]
    assert [white[at(name)] for name in ("00w", "10b", "12w", "22b")] == [None, None, 1, 0]
    # Of two ways Black takes the shorter.
    assert force(walked, BLACK, {at("12w"), at("21b")})[at("10b")] == 1


def test_best_later(walked: Walk) -> None:
    """White gets 5 at once or 7 after three plies, and Black decides between 7 and less."""
    measure = dict.fromkeys(walked.children, 0)
    five = measure | {at("20b"): 5}
    assert best_later(walked, WHITE, five)[at("00w")] == (5, 1)
    # Black turns to 12w, where nothing is to be had any more.
    assert best_later(walked, WHITE, five | {at("21b"): 7})[at("00w")] == (5, 1)
    assert best_later(walked, WHITE, five | {at("21b"): 7, at("22b"): 7})[at("00w")] == (7, 3)
    assert best_later(walked, WHITE, five | {at("21b"): 7, at("12w"): None})[at("00w")] == (7, 3)
    # Of equal measures White wants the sooner, Black the later.
    assert best_later(walked, WHITE, five | {at("11w"): 5, at("12w"): 5})[at("00w")] == (5, 1)
    assert best_later(walked, WHITE, measure | {at("11w"): 5, at("22b"): 5})[at("00w")] == (5, 3)


@pytest.mark.parametrize(("fuzz", "chance"), [(0.0, 0.0), (0.5, 1 / 3), (1.0, 0.5)])
def test_fault_probability(walked: Walk, fuzz: float, chance: float) -> None:
    """White plays to 10b, where Black keeps one move of two and errs with fuzz / (2 fuzz + (1 - fuzz))."""
    kept = {at("10b"): (at("11w"),), at("20b"): walked.children[at("20b")], at("21b"): walked.children[at("21b")]}
    assert fault_probability(walked, kept, WHITE, fuzz)[at("00w")] == pytest.approx(chance)


def test_a_game_that_goes_round_is_refused() -> None:
    """If runners may turn round, positions come again."""
    with pytest.raises(ValueError, match="cycle"):
        walk(race(back=True))
