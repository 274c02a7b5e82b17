"""Path counts against known numbers, and against counts of plain Python."""

import pytest
from support import toys
from support.games import GAMES
from twins import naive, paths

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


@pytest.mark.full
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


@pytest.mark.parametrize("size", ["3x3", "4x4", "3x5"])
def test_hexapawn_counted_on_texts(size: str) -> None:
    """All depths up to the longest game, or to six plies."""
    game = load_game(f"hexapawn-{size}")
    files, ranks = map(int, size.split("x"))
    rows = ("p" * files, *["." * files] * (ranks - 2), "P" * files)
    counted = [count.leaves for count in leaves_by_depth(game, parse(game, game.start), 6)]
    assert counted == [paths.hexapawn(rows, "P", depth) for depth in range(1, 7)]


@pytest.mark.parametrize(
    ("size", "text", "fox", "hounds", "deepest"),
    [
        (4, None, (2, 3), "b1 d1", 9),
        (6, None, (2, 5), "b1 d1 f1", 6),
        (8, None, (4, 7), "b1 d1 f1 h1", 5),
        pytest.param(8, "8/8/H7/7H/6H1/3H4/8/3F4 f", (3, 0), "a6 h5 g4 d3", 4, id="about to get away"),
    ],
)
def test_fox_and_hounds_on_coordinates(size: int, text: str | None, fox: tuple[int, int], hounds: str, deepest: int) -> None:
    """From the start, and from a position in which the fox is about to get away."""
    game = load_game(f"foxhounds-{size}x{size}")
    cells = frozenset(game.board.cells[game.board.square(name)] for name in hounds.split())
    counted = [count.leaves for count in leaves_by_depth(game, parse(game, text or game.start), deepest)]
    assert counted == [paths.foxhounds(size, fox, cells, True, depth) for depth in range(1, deepest + 1)]


@pytest.mark.parametrize(
    ("text", "rabbit", "pawns", "deepest"),
    [
        (None, (3, 7), "a1 c1 e1 g1", 6),
        pytest.param("8/8/1p6/6p1/7p/2R5/1p6/8 w", (2, 2), "b6 g5 h4 b2", 5, id="slipping by"),
    ],
)
def test_hasenspiel_counted_on_coordinates(text: str | None, rabbit: tuple[int, int], pawns: str, deepest: int) -> None:
    """From the start, and from a position in which the rabbit slips by."""
    game = load_game("hasenspiel")
    cells = frozenset(game.board.cells[game.board.square(name)] for name in pawns.split())
    counted = [count.leaves for count in leaves_by_depth(game, parse(game, text or game.start), deepest)]
    assert counted == [paths.hasenspiel(rabbit, cells, True, depth) for depth in range(1, deepest + 1)]


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
