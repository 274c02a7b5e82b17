"""The readings of Dou Shou Qi that are options: against a twin that was written from their prose, and against each other."""

import shutil
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.solved import Solved
from twins import jungle

import tablebase
from tablebase.errors import CorruptTableError, RulesError, StaleTableError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, legal_moves, wins_at_once
from tablebase.game.notation import parse, render_move
from tablebase.search.perft import leaves_by_depth
from tablebase.tables.values import Value
from tablebase_rules.doushouqi import OPTIONS

DEFAULT_DIGEST = "a926f84276761951167016f40b72a79c2fd1aff8e37e6b94450bbb9caa2a4ae2"
READINGS = [{name: word} for name, words in OPTIONS.items() for word in words[1:]]
"""One option at a time."""
TOGETHER = {"traps": "all", "elephant": "spares_rat", "shore": "none", "no_move": "loss"}
MATERIALS = {"traps": ("CvE", "RvE"), "elephant": ("RvE",), "shore": ("RvR", "RvE"), "no_move": ("CvE",)}
"""Tables of two pieces whose moves an option is about."""


def named(reading: dict[str, str]) -> str:
    """The full name of a game with these options."""
    return "-".join(["doushouqi", *(f"{name}={word}" for name, word in reading.items())])


each = pytest.mark.parametrize("reading", [*READINGS, TOGETHER], ids=named)


def as_twin(game: Game, position: Position) -> tuple[jungle.Board, str]:
    """A position as the twin writes it."""
    board = tuple(sorted((game.board.names[square], game.kinds[kind].symbol) for kind, square in position.pieces))
    return board, game.sides[position.side].letter


@cache
def crowded(count: int) -> list[Position]:
    """Random positions whose pieces stand close together, near the shore and the traps."""
    game, random, found = load_game("doushouqi"), Random(7), []
    middles = game.board.squares("b7 d5 c3 d8 d2 a5 f6 e3")
    while len(found) < count:
        file, rank = game.board.cells[random.choice(middles)]
        near = [number for number, (f, r) in enumerate(game.board.cells) if abs(f - file) + abs(r - rank) <= 2]
        kinds = {*random.sample(range(16), 4), *(game.by_symbol[letter] for letter in random.sample("REre", 3))}
        pieces = tuple(sorted((kind, random.choice(near)) for kind in kinds))
        if len({square for _, square in pieces}) == len(kinds) and all(square in game.kinds[kind].homes for kind, square in pieces):
            found.append(Position(pieces, random.randrange(2)))
    return found


def test_the_default_is_the_paper() -> None:
    """Tables built before there were options stay valid: the name and the digest are what they were."""
    assert [words[0] for words in OPTIONS.values()] == list(jungle.PAPER.values())
    assert load_game(named(jungle.PAPER)) is load_game("doushouqi")
    assert load_game("doushouqi").digest == DEFAULT_DIGEST


def test_each_reading_has_rules_of_its_own() -> None:
    """Nine readings, nine names and nine digests; and they differ in their rules, not in their names alone."""
    games = [load_game(named(reading)) for reading in ({}, *READINGS, TOGETHER)]
    assert len({game.name for game in games}) == len({game.digest for game in games}) == 9
    assert len({(game.kinds, game.no_move) for game in games}) == 9


@pytest.mark.parametrize("name", OPTIONS)
def test_unknown_readings(name: str) -> None:
    words = ", ".join(OPTIONS[name])
    with pytest.raises(RulesError, match=f"^doushouqi has no variant {name}=xyz: choose one of {words}$"):
        load_game(f"doushouqi-{name}=xyz")


@each
def test_moves_are_those_of_the_prose(reading: dict[str, str]) -> None:
    """Of 1,500 crowded positions, many of which have moves that the default does not have, or lacks."""
    game, default = load_game(named(reading)), load_game("doushouqi")
    words, different = jungle.PAPER | reading, 0
    for position in crowded(1_500):
        board, side = as_twin(game, position)
        expected = sorted("".join(move) for move in jungle.moves(board, side, words))
        assert sorted(render_move(game, move) for move in legal_moves(game, position)) == expected
        different += expected != sorted(render_move(default, move) for move in legal_moves(default, position))
        for move in legal_moves(game, position):
            captures_all = (
                move.captured is not None and sum(game.side_of(kind) != position.side for kind, _ in position.pieces) == 1
            )
            assert wins_at_once(game, position, move) == (game.board.names[move.target] in ("d1", "d9") or captures_all)
    assert (different > 10) == (reading != {"no_move": "loss"})


def depths(reading: dict[str, str]) -> list[Any]:
    """How far the lines of a reading are counted; within five plies of the start, only what the elephant takes matters."""
    deep = pytest.mark.release if reading else pytest.mark.full
    few = () if reading else pytest.mark.full
    return [
        pytest.param(reading, 3, id=f"3-{named(reading)}", marks=few),
        pytest.param(reading, 5, id=f"5-{named(reading)}", marks=deep),
    ]


@pytest.mark.parametrize(("reading", "depth"), [one for reading in ({}, *READINGS, TOGETHER) for one in depths(reading)])
def test_perft(reading: dict[str, str], depth: int) -> None:
    """From the start to a depth, as the twin counts; the default's are the published numbers of lines."""
    game = load_game(named(reading))
    counted = [reached.leaves for reached in leaves_by_depth(game, parse(game, game.start), depth)]
    assert counted == jungle.perft(jungle.PAPER | reading, depth)
    assert reading or counted == [24, 576, 12_240, 260_100, 5_111_725][:depth]


@pytest.mark.release
@pytest.mark.parametrize("reading", [TOGETHER, *(pytest.param(one, marks=pytest.mark.release) for one in READINGS)], ids=named)
def test_tables_of_two_pieces(reading: dict[str, str], solved: Solved) -> None:
    """Every value of the tables that an option is about."""
    game = load_game(named(reading))
    tables = solved(game, "planes")
    for material in {name for option in reading for name in MATERIALS[option]}:
        first, _, second = material.partition("v")
        values = jungle.solve_pair(first, second.lower(), jungle.PAPER | reading)
        for (board, side), (outcome, distance) in values.items():
            pieces = tuple(sorted((game.by_symbol[letter], game.board.square(square)) for square, letter in board))
            assert tables.value(Position(pieces, "wb".index(side))) == Value(Outcome(outcome), distance)


@pytest.mark.parametrize(("name", "value"), [("doushouqi", (Outcome.DRAW, None)), ("doushouqi-no_move=loss", (Outcome.LOSS, 0))])
def test_no_legal_move(name: str, value: tuple[Outcome, int | None], solved: Solved) -> None:
    """A cat on a1 that stronger pieces on a2 and b1 shut in."""
    game = load_game(name)
    assert solved(game).value(parse(game, "7/7/7/7/7/7/7/d6/Cw5 w")) == Value(*value)


def test_tables_of_one_reading_are_not_those_of_another(two_pieces: Path, tmp_path: Path) -> None:
    """Not even if their folder is given the other one's name."""
    reading = load_game("doushouqi-shore=none")
    shutil.copytree(two_pieces / "doushouqi", tmp_path / reading.name)
    with tablebase.open(tmp_path) as tables, pytest.raises((StaleTableError, CorruptTableError)):
        tables.probe(reading, "7/7/7/7/3r3/7/7/R6/7 w")
