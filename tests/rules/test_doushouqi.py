"""Dou Shou Qi: each rule on a small position, the other readings of some, and the published numbers."""

import csv
import gzip
import shutil
from functools import cache
from pathlib import Path
from random import Random

import pytest
from support.games import placed
from support.solved import Solved
from twins import jungle

import tablebase
from tablebase.errors import CorruptTableError, RulesError, StaleTableError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, legal_moves, wins_at_once
from tablebase.game.notation import parse, render_move
from tablebase.search.perft import leaves_by_depth
from tablebase.tables.values import Value
from tablebase_rules.doushouqi import ANIMALS, OPTIONS

AUTHORS = Path(__file__).resolve().parents[3] / "shared" / "data" / "doushouqi_two_pieces_authors.csv.gz"


def targets(game: Game, pieces: str, origin: str, side: int = 0) -> set[str]:
    """Where the piece on a square may go; ``x`` marks a capture, ``#`` a win at once."""
    found = set()
    for move in legal_moves(game, placed(game, pieces, side)):
        if game.board.names[move.origin] == origin:
            mark = "#" if move.wins else "" if move.captured is None else "x"
            found.add(mark + game.board.names[move.target])
    return found


@pytest.mark.parametrize(
    ("pieces", "origin", "expected"),
    [
        pytest.param("Ca8 rg1", "a8", "a7 a9 b8", id="one step in four directions"),
        pytest.param("Ca7 Wa8 rg1", "a7", "b7 a6", id="an own piece is in the way"),
        # Water: b4-c6 and e4-f6.
        pytest.param("Cd5 rg1", "d5", "d4 d6", id="only rats enter the water"),
        pytest.param("Rd5 cg1", "d5", "c5 d4 d6 e5", id="rats swim"),
        pytest.param("Rb5 cg1", "b5", "a5 b4 b6 c5", id="rats swim on and leave"),
        # Strength: R C W D P T L E = 1..8, an animal that is as strong or stronger takes.
        pytest.param("Wa3 wa2", "a3", "a4 b3 xa2", id="equal strength takes"),
        pytest.param("Wa3 ca2", "a3", "a4 b3 xa2", id="more strength takes"),
        pytest.param("Wa3 da2", "a3", "a4 b3", id="less strength does not take"),
        pytest.param("Ra3 ea2", "a3", "a4 b3 xa2", id="the rat takes the elephant"),
        pytest.param("Ea3 ra2", "a3", "a4 b3 xa2", id="the elephant takes the rat"),
        pytest.param("Ra3 la2", "a3", "a4 b3", id="the rat takes nothing else that is stronger"),
        # Rats and the water.
        pytest.param("Rb4 ea4", "b4", "b3 b5 c4", id="a swimming rat takes no elephant on land"),
        pytest.param("Rb4 ra4", "b4", "b3 b5 c4 xa4", id="a swimming rat takes a rat on land"),
        pytest.param("Ra4 rb4", "a4", "a3 a5 xb4", id="a rat on land takes a swimming rat"),
        pytest.param("Rb4 rc4", "b4", "a4 b3 b5 xc4", id="a swimming rat takes a swimming rat"),
        pytest.param("Ca4 rb4", "a4", "a3 a5", id="nobody else takes a swimming rat"),
        # Traps: White's c1 e1 d2, Black's c9 e9 d8.
        pytest.param("Rd3 ld2", "d3", "c3 e3 d4 xd2", id="anyone takes who stands in his trap"),
        pytest.param("Cc2 pd2", "c2", "b2 c1 c3 xd2", id="anyone takes in d2 from the side"),
        pytest.param("Cc8 ld8", "c8", "b8 c7 c9", id="one's own trap is no shelter for the taker"),
        pytest.param("Ed8 rd7", "d8", "c8 e8 #d9", id="who stands in the enemy's trap takes nothing"),
        pytest.param("Ed2 rd3", "d2", "c2 e2 xd3", id="one's own trap is harmless to the taker"),
        pytest.param("Cb9 lc9", "b9", "a9 b8", id="the enemy's own trap does not weaken him"),
        # Jumps across the water.
        pytest.param("Lb3 rg1", "b3", "a3 c3 b2 b7", id="lions jump up the board"),
        pytest.param("Tb7 rg1", "b7", "a7 c7 b8 b3", id="tigers jump down the board"),
        pytest.param("Ld5 rg1", "d5", "d4 d6 a5 g5", id="lions jump sideways both ways"),
        pytest.param("Ta5 rg1", "a5", "a4 a6 d5", id="tigers jump sideways"),
        pytest.param("Pb3 rg1", "b3", "a3 c3 b2", id="panthers do not jump"),
        pytest.param("Eb3 rg1", "b3", "a3 c3 b2", id="elephants do not jump"),
        pytest.param("Lb3 cb7", "b3", "a3 c3 b2 xb7", id="a jump may capture"),
        pytest.param("Lb3 eb7", "b3", "a3 c3 b2", id="a jump captures only what a step would"),
        pytest.param("Lb3 rb4", "b3", "a3 c3 b2", id="an enemy rat on the near square blocks"),
        pytest.param("Lb3 rb6", "b3", "a3 c3 b2", id="an enemy rat on the far square blocks"),
        pytest.param("Lb3 Rb5 cg1", "b3", "a3 c3 b2", id="one's own rat blocks"),
        pytest.param("Lb3 rc5", "b3", "a3 c3 b2 b7", id="a rat beside the way does not block"),
        pytest.param("Td5 rb5", "d5", "d4 d6 g5", id="a rat blocks one side only"),
        pytest.param("Lb3 ra5", "b3", "a3 c3 b2 b7", id="a rat on land does not block"),
        # Dens d1 (White) and d9 (Black).
        pytest.param("Rd2 cg1", "d2", "c2 e2 d3", id="nobody enters his own den"),
        pytest.param("Cc1 rg9", "c1", "b1 c2", id="nobody enters his own den from the side"),
        pytest.param("Cd8 rg1", "d8", "c8 e8 d7 #d9", id="the other den wins at once"),
        pytest.param("Re9 cg1", "e9", "e8 f9 #d9", id="the other den wins from the side"),
    ],
)
def test_a_rule(jungle: Game, pieces: str, origin: str, expected: str) -> None:
    """Where one white piece may go: each case is one line of the rules."""
    assert targets(jungle, pieces, origin) == set(expected.split())


def test_nobody_stands_in_a_den_or_on_water_he_cannot_swim(jungle: Game) -> None:
    """Rats have 61 squares, all others 49: 63 without the dens, and without twelve squares of water."""
    assert {kind.name: len(kind.squares) for kind in jungle.kinds} == {
        name: 61 if name == "rat" else 49 for name in ANIMALS.values()
    }


@pytest.mark.parametrize(
    ("pieces", "side", "outcome", "distance"),
    [
        pytest.param("Ea3 ca2", 0, Outcome.WIN, 1, id="the last piece is taken"),
        pytest.param("Cd8 eg1", 0, Outcome.WIN, 1, id="beside the den"),
        pytest.param("Cd8 ed2", 1, Outcome.WIN, 1, id="beside White's den"),
        pytest.param("Ca1 ed2", 0, Outcome.LOSS, 2, id="the den cannot be defended"),
    ],
)
def test_how_games_end(solved: Solved, jungle: Game, pieces: str, side: int, outcome: Outcome, distance: int) -> None:
    assert solved(jungle).value(placed(jungle, pieces, side)) == (outcome, distance)


def test_the_first_moves(jungle: Game) -> None:
    moves = {render_move(jungle, move) for move in legal_moves(jungle, parse(jungle, jungle.start))}
    by_hand = """a1a2 a1b1 g1g2 g1f1 b2a2 b2b1 b2c2 b2b3 f2g2 f2f1 f2e2 f2f3 a3a2 a3b3 a3a4
                 c3b3 c3c2 c3d3 e3d3 e3e2 e3f3 g3f3 g3g2 g3g4"""
    assert moves == set(by_hand.split())


@pytest.mark.parametrize("depth", [3, pytest.param(5, marks=pytest.mark.full)])
def test_perft(jungle: Game, depth: int) -> None:
    counted = [reached.leaves for reached in leaves_by_depth(jungle, parse(jungle, jungle.start), depth)]
    assert counted == [24, 576, 12_240, 260_100, 5_111_725][:depth]


@pytest.mark.skipif(not AUTHORS.exists(), reason="the paper's authors' table is not at hand")
def test_the_authors_two_piece_table(solved: Solved, jungle: Game) -> None:
    """All 44,819 rows of the authors' own table have our outcome."""
    rows, different = 0, []
    letters = list(ANIMALS)
    with gzip.open(AUTHORS, "rt") as file:
        for row in csv.DictReader(file):
            rows += 1
            pieces = []
            for side, colour in enumerate(("white", "black")):
                letter = letters[int(row[f"{colour}_strength"])]
                symbol = letter.lower() if side else letter
                cell = int(row[f"{colour}_file"]), int(row[f"{colour}_rank"])
                pieces.append((jungle.by_symbol[symbol], jungle.board.numbers[cell]))
            outcome = solved(jungle).value(Position(tuple(pieces), 0)).outcome
            if outcome != {"w": Outcome.WIN, "b": Outcome.LOSS, "d": Outcome.DRAW}[row["outcome"]]:
                different.append(row)
    assert rows == 44_819
    assert different == []


DEFAULT_DIGEST = "a926f84276761951167016f40b72a79c2fd1aff8e37e6b94450bbb9caa2a4ae2"
READINGS = [{name: word} for name, words in OPTIONS.items() for word in words[1:]]
"""One option at a time."""
TOGETHER = {"traps": "all", "elephant": "spares_rat", "shore": "none", "no_move": "loss"}


def named(reading: dict[str, str]) -> str:
    return "-".join(["doushouqi", *(f"{name}={word}" for name, word in reading.items())])


each = pytest.mark.parametrize("reading", [*READINGS, TOGETHER], ids=named)


def as_twin(game: Game, position: Position) -> tuple[jungle.Board, str]:
    board = tuple(sorted((game.board.names[square], game.kinds[kind].symbol) for kind, square in position.pieces))
    return board, game.sides[position.side].letter


@cache
def crowded(count: int) -> list[Position]:
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


@pytest.mark.parametrize(("name", "value"), [("doushouqi", (Outcome.DRAW, None)), ("doushouqi-no_move=loss", (Outcome.LOSS, 0))])
def test_no_legal_move(name: str, value: tuple[Outcome, int | None], solved: Solved) -> None:
    game = load_game(name)
    assert solved(game).value(parse(game, "7/7/7/7/7/7/7/d6/Cw5 w")) == Value(*value)


def test_tables_of_one_reading_are_not_those_of_another(two_pieces: Path, tmp_path: Path) -> None:
    """Not even if their folder is given the other one's name."""
    reading = load_game("doushouqi-shore=none")
    shutil.copytree(two_pieces / "doushouqi", tmp_path / reading.name)
    with tablebase.open(tmp_path) as tables, pytest.raises((StaleTableError, CorruptTableError)):
        tables.probe(reading, "7/7/7/7/3r3/7/7/R6/7 w")
