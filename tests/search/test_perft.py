"""Path counts against known numbers, and against counts of plain Python."""

import pytest
from support import toys
from support.games import GAMES
from twins import naive

from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.search import RepeatedLines, leaves, leaves_by_depth, leaves_by_move

JUNGLE = load_game("doushouqi")
START = parse(JUNGLE, JUNGLE.start)
CORNERS = toys.corners(3, 4).name
PATHS = [24, 576, 12_240, 260_100, 5_111_725, 100_459_989]
"""Lines of legal moves from the start, by their length."""
PAPER = [24, 576, 12_240, 260_100, 5_098_477, 99_860_517, 1_890_415_534]
"""Leaves in the paper's Table 1."""


def twin_leaves(game: Game, line: list[Position], depth: int) -> int:
    """Leaves below the last position of a line, by the paper's convention; the line must not be over."""
    total = 0
    for move in naive.moves(game, line[-1]):
        child = naive.after(line[-1], move)
        if depth == 1 or child in line:
            total += 1
        elif not move.wins and not naive.escaped(game, child):
            total += twin_leaves(game, [*line, child], depth - 1)
    return total


def test_path_counts_from_the_start() -> None:
    """The known numbers of all depths up to 6."""
    assert [count.leaves for count in leaves_by_depth(JUNGLE, START, 6)] == PATHS


def test_the_papers_leaves() -> None:
    """A line that repeats a position is one leaf."""
    assert [count.leaves for count in leaves_by_depth(JUNGLE, START, 6, RepeatedLines.LEAF)] == PAPER[:6]


@pytest.mark.release
def test_the_papers_last_row() -> None:
    """1.9 thousand million leaves at depth 7, in two threads."""
    assert leaves(JUNGLE, START, 7, RepeatedLines.LEAF, threads=2) == PAPER[6]


@pytest.mark.parametrize("name", GAMES)
def test_other_games_have_as_many_paths_as_the_twin_counts(name: str) -> None:
    """From the start, as deep as plain Python can go in a moment."""
    game = GAMES[name]
    start = parse(game, game.start)
    depth = 3 if name == "doushouqi" else 5
    assert [count.leaves for count in leaves_by_depth(game, start, depth)] == [
        naive.perft(game, start, plies + 1) for plies in range(depth)
    ]


@pytest.mark.parametrize("name", ["pond", CORNERS, "twins", "hasenspiel"])
def test_repeated_lines_are_leaves(name: str) -> None:
    """The same leaves as the twin that keeps all positions of a line."""
    game = GAMES[name]
    start = parse(game, game.start)
    expected = [twin_leaves(game, [start], plies) for plies in range(1, 6)]
    assert [count.leaves for count in leaves_by_depth(game, start, 5, RepeatedLines.LEAF)] == expected
    # Pawns never come back, so neither do lines of one rabbit.
    assert (expected[4] < naive.perft(game, start, 5)) == (name != "hasenspiel")


def test_divide_adds_up() -> None:
    """The leaves below all moves are those of the position, in any number of threads."""
    below = leaves_by_move(JUNGLE, START, 4, threads=2)
    assert len(below) == PATHS[0]
    assert list(below) == sorted(below)
    assert sum(below.values()) == PATHS[3]
    assert leaves_by_move(JUNGLE, START, 4) == below
    assert leaves_by_move(JUNGLE, START, 1) == dict.fromkeys(below, 1)
