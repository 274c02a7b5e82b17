"""Positions of any materials together: texts, moves and what they lead to, against the naive twin one at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions.test_movegen import GAMES
from support.checks import thinned
from support.games import random_games
from twins import naive

from tablebase.errors import NotationError
from tablebase.game import Game, load_game
from tablebase.game.moves import Move, Position
from tablebase.game.notation import read, render
from tablebase.positions.movegen import after, moves_of
from tablebase.positions.position_arrays import NO_PIECE, Mixed, in_order, joined, mixed
from tablebase.positions.texts import read_texts, write_texts

games = pytest.mark.parametrize("game", thinned(GAMES, 3), ids=lambda game: game.name)
JUNGLE, WIDE = load_game("doushouqi"), load_game("foxhounds-12x12")
CHARACTERS = "0123456789/ wbhfFHRTr.é\n"


def some(game: Game) -> list[Position]:
    """Positions of random games, down to few pieces, and those that are over after one more move."""
    found = random_games(game, 6, 40)
    ends = [naive.after(one, move) for one in found for move in naive.moves(game, one)[:1]]
    fewer = [Position(one.pieces[:1] + one.pieces[-1:], one.side) for one in found]
    return [*found, *ends, *fewer]


def positions_of(positions: Mixed) -> list[Position]:
    """The positions one by one."""
    return [positions.position(row) for row in range(len(positions.sides))]


@games
def test_texts_are_read_and_written_as_one_by_one(game: Game) -> None:
    """Texts of positions with different numbers of pieces are read in order and written again; arrays hold the same pieces."""
    positions = some(game)
    texts = [render(game, one) for one in positions]
    found, rows = read_texts(game, texts)
    assert rows.tolist() == list(range(len(texts)))
    assert positions_of(found) == positions == positions_of(mixed(positions))
    assert write_texts(game, found) == texts


@given(st.data())
@pytest.mark.parametrize("game", [JUNGLE, WIDE], ids=lambda game: game.name)
def test_texts_that_are_read_are_canonical(game: Game, data: st.DataObject) -> None:
    """A text with a few characters changed is read as `read` reads it and only if it is written like that, or is left alone."""
    texts = []
    for position in data.draw(st.lists(st.sampled_from(random_games(game, 2, 40)), min_size=1, max_size=4)):
        text = list(render(game, position))
        for _ in range(data.draw(st.integers(0, 2))):
            place = data.draw(st.integers(0, len(text)))
            text[place : place + data.draw(st.integers(0, 2))] = data.draw(st.text(CHARACTERS, max_size=2))
        texts.append("".join(text))
    found, rows = read_texts(game, texts)
    read_here = dict(zip(rows.tolist(), positions_of(found), strict=True))
    for number, text in enumerate(texts):
        try:
            position = read(game, text)
        except NotationError:
            assert number not in read_here, text
            continue
        assert (number in read_here) == (render(game, position) == text), text
        assert read_here.get(number, position) == position, text


@games
def test_moves_are_the_naive_ones(game: Game) -> None:
    """Each move is listed once with its victim, whether it wins at once, and where it leads; none if a piece has escaped."""
    positions = [one for one in some(game) if {game.side_of(kind) for kind, _ in one.pieces} == {0, 1}]
    together = mixed(positions)
    moves = moves_of(game, together)
    children = after(together, moves)
    found: list[list[tuple[Move, bool, Position]]] = [[] for _ in positions]
    for number, row in enumerate(moves.rows.tolist()):
        kind = int(together.kinds[row, moves.pieces[number]])
        victim = None if moves.victims[number] == NO_PIECE else int(moves.victims[number])
        move = Move(kind, int(moves.origins[number]), int(moves.targets[number]), victim, False)
        found[row].append((move, bool(moves.wins[number]), children.position(number)))
    for position, listed in zip(positions, found, strict=True):
        expected = set()
        for move in [] if naive.escaped(game, position) else naive.moves(game, position):
            child = naive.after(position, move)
            wins = move.wins or {game.side_of(kind) for kind, _ in child.pieces} == {position.side}
            expected.add((move._replace(wins=False), wins, child))
        assert len(listed) == len(expected)
        assert set(listed) == expected


def test_pieces_in_any_order() -> None:
    """Pieces are put in order of kinds, then squares, and absent ones last; parts of different widths go together."""
    kinds = np.array([[5, NO_PIECE, 3, 3]], dtype=np.int8)
    squares = np.array([[2, NO_PIECE, 9, 1]], dtype=np.int8)
    one = in_order(kinds, squares, np.array([1], dtype=np.int8))
    expected = Position(((3, 1), (3, 9), (5, 2)), 1)
    assert positions_of(one) == [expected]
    assert positions_of(joined([mixed([]), mixed([Position(((0, 0),), 0)]), one])) == [Position(((0, 0),), 0), expected]
