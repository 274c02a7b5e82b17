"""Games of every sort, and positions of random games."""

from collections.abc import Sequence
from random import Random

from support import toys
from support.checks import at_least_one
from support.program import random_position
from tablebase.errors import NotationError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.game.notation import check_pieces, parse, render, render_move
from tablebase.positions.location import stored_materials
from tablebase.positions.material import materials

GAMES = {
    game.name: game
    for game in (
        *map(load_game, ("doushouqi", "foxhounds", "foxhounds-12x12", "hasenspiel", "hexapawn-4x4")),
        *(toys.pond(), toys.twins(), toys.hunt(), toys.corners(3, 4), toys.skaters(3, 4), toys.ladder("w")),
        *(toys.gates(110, True), toys.marathon(100, 2)),
    )
}
DOUSHOUQI_VARIANTS = "write a variant such as traps=enemy, elephant=takes_rat, shore=rats, no_move=draw, board=standard"
"""What a sentence about a wrong variant says."""


def placed(game: Game, pieces: str, side: int = 0) -> Position:
    """A position from words such as ``Ra1 ee3``: symbols of pieces and squares."""
    return Position(tuple(sorted((game.by_symbol[word[0]], game.board.square(word[1:])) for word in pieces.split())), side)


def random_texts(game: Game, pieces: int, count: int, seed: int) -> list[str]:
    source, texts = Random(seed), []
    while len(texts) < count:
        position = random_position(game, source.choice(stored_materials(game, pieces)), source.randrange(2), source)
        try:
            check_pieces(game, position)
        except NotationError:
            continue
        texts.append(render(game, position))
    return texts


def random_games(game: Game, count: int, plies: int) -> list[Position]:
    random, seen = Random(game.name), []
    for _ in range(count):
        position = parse(game, game.start)
        for _ in range(plies):
            seen.append(position)
            moves = legal_moves(game, position)
            if not moves:
                break
            move = random.choice(moves)
            if wins_at_once(game, position, move):
                break
            position = play(position, move)
    return seen


def sampled(game: Game, count: int, plies: int = 60) -> list[Position]:
    positions = [position for position in random_games(game, 8, plies) if legal_moves(game, position)]
    return Random(1).sample(at_least_one(positions), count)


def drawn(game: Game, pieces: int, count: int, seed: int = 1) -> list[Position]:
    random = Random(seed)
    return [random_position(game, random.choice(materials(game, pieces)), random.randrange(2), random) for _ in range(count)]


def after(game: Game, position: Position, line: Sequence[str]) -> list[Position]:
    positions = []
    for text in line:
        position = play(position, next(move for move in legal_moves(game, position) if render_move(game, move) == text))
        positions.append(position)
    return positions
