"""Boards of bits against positions in plain Python, in random games of every game."""

from random import Random

import numpy as np
import pytest
from support.checks import at_least_one, thinned
from support.games import GAMES, random_games
from twins import naive

from tablebase.game import Game, load_game
from tablebase.game.moves import Position, has_escaped, play
from tablebase.game.notation import render_move
from tablebase.positions import bit_board as kernels
from tablebase.positions.bit_board import KEY, MATERIAL, SCORE, BitBoard, read_position, set_up
from tablebase.positions.material import material_of
from tablebase.positions.rule_arrays import compile_rules


def same(one: BitBoard, other: BitBoard) -> bool:
    """Whether two boards are equal in every number."""
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))


def texts(game: Game, steps: list[int]) -> list[str]:
    """The moves that steps are, sorted."""
    rules, names = compile_rules(game), game.board.names
    return sorted(f"{names[rules.origin[step]]}{names[rules.target[step]]}" for step in steps)


@pytest.mark.parametrize("name", thinned(GAMES, 2))
def test_moves_are_those_of_the_twin(name: str) -> None:
    """The same moves, counted alike, for either side to move; and the same escapes and threats."""
    game = GAMES[name]
    rules = compile_rules(game)
    moves = np.zeros(rules.most_moves, dtype=np.int32)
    for position in at_least_one(random_games(game, 6, 60)):
        for side in (0, 1):
            turn = Position(position.pieces, side)
            board, expected = set_up(rules, turn), naive.moves(game, turn)
            count = kernels.list_moves(rules, board, side, moves)
            assert texts(game, moves[:count].tolist()) == sorted(render_move(game, move) for move in expected)
            assert kernels.count_moves(rules, board, side) == len(expected) <= rules.most_moves
            assert kernels.can_win(rules, board, side) == any(move.wins for move in expected)
            assert kernels.has_escaped(rules, board, side) == has_escaped(game, turn)


@pytest.mark.parametrize("name", thinned(GAMES, 2))
def test_moves_are_made_and_taken_back(name: str) -> None:
    """After each move the board is that of the position it leads to, and afterwards what it was, keys and sums included."""
    game = GAMES[name]
    rules = compile_rules(game)
    values = np.arange(rules.zobrist.size, dtype=np.int64).reshape(rules.zobrist.shape) ** 2
    moves = np.zeros(rules.most_moves, dtype=np.int32)
    for position in at_least_one(random_games(game, 4, 60)):
        side, board = position.side, set_up(rules, position, values)
        assert read_position(board, side) == position
        before = set_up(rules, position, values)
        children = set()
        for step in moves[: kernels.list_moves(rules, board, side, moves)].copy():
            numbers = board.numbers.copy()
            victim = kernels.make(rules, board, values, side, step)
            child = read_position(board, 1 - side)
            children.add(child)
            assert same(board, set_up(rules, child, values))
            kernels.shift_back(rules, board, side, step, victim)
            board.numbers[:] = numbers
            assert same(board, before)
        assert children == {play(position, move) for move in naive.moves(game, position)}


@pytest.mark.parametrize("name", thinned(GAMES, 2))
def test_keys_name_positions_and_slices(name: str) -> None:
    """Different positions have different keys, and two positions the same material number exactly if they share a material."""
    game = GAMES[name]
    rules = compile_rules(game)
    keys: dict[int, Position] = {}
    materials: dict[int, object] = {}
    for position in at_least_one(random_games(game, 4, 60)):
        for turn in (position, Position(position.pieces, 1 - position.side)):
            numbers = set_up(rules, turn).numbers
            assert keys.setdefault(int(numbers[KEY]), turn) == turn
            material = material_of(game, turn)
            assert materials.setdefault(int(numbers[MATERIAL]), material) == material
            assert numbers[SCORE] == 0
    assert len(set(materials.values())) == len(materials)
    assert len(keys) == len(set(keys.values()))


def test_keys_are_the_same_everywhere() -> None:
    """They come from a fixed seed, by an algorithm that does not change: the first numbers of Mersenne Twister."""
    game = load_game("doushouqi")
    random = Random(20_140_901)
    first = [random.getrandbits(64) for _ in range(3)]
    assert [int(key) % 2**64 for key in compile_rules(game).zobrist[0, :3]] == first
