"""Dou Shou Qi: each rule on a small position, and the published numbers."""

import csv
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.solved import Solved

from tablebase.game import Game, Outcome
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.slices.material import Material, materials, parse_material
from tablebase.tables.values import Coding, is_loss, is_win
from tablebase_rules.doushouqi import ANIMALS

AUTHORS = Path(__file__).resolve().parents[3] / "shared" / "data" / "doushouqi_two_pieces_authors.csv.gz"


def place(game: Game, pieces: str, side: int = 0) -> Position:
    """A position from words such as ``Ra1 ee3``; upper case is White."""
    return Position(tuple(sorted((game.by_symbol[word[0]], game.board.square(word[1:])) for word in pieces.split())), side)


def targets(game: Game, pieces: str, origin: str, side: int = 0) -> set[str]:
    """Where the piece on a square may go; ``x`` marks a capture, ``#`` a win at once."""
    found = set()
    for move in legal_moves(game, place(game, pieces, side)):
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


@pytest.mark.parametrize(("pieces", "origin", "expected"), [("Lg9 cd2", "d2", "c2 d3 e2 #d1"), ("Ld8 cd7", "d7", "c7 d6 e7 xd8")])
def test_black_plays_by_the_same_rules(jungle: Game, pieces: str, origin: str, expected: str) -> None:
    """Black wins on d1, and takes a lion that stands in Black's trap."""
    assert targets(jungle, pieces, origin, 1) == set(expected.split())


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
        pytest.param("Ca1 da2 wb1", 0, Outcome.DRAW, None, id="no legal move is a stalemate, not a loss"),
    ],
)
def test_how_games_end(solved: Solved, jungle: Game, pieces: str, side: int, outcome: Outcome, distance: int | None) -> None:
    """In one ply or two."""
    assert solved(jungle).value(place(jungle, pieces, side)) == (outcome, distance)


def test_the_first_moves(jungle: Game) -> None:
    """White's 24 moves from the start, listed by hand."""
    moves = {render_move(jungle, move) for move in legal_moves(jungle, parse(jungle, jungle.start))}
    by_hand = """a1a2 a1b1 g1g2 g1f1 b2a2 b2b1 b2c2 b2b3 f2g2 f2f1 f2e2 f2f3 a3a2 a3b3 a3a4
                 c3b3 c3c2 c3d3 e3d3 e3e2 e3f3 g3f3 g3g2 g3g4"""
    assert moves == set(by_hand.split())


# Published numbers


def outcomes(solved: Solved, game: Game, material: Material, side: int = 0) -> tuple[Counter[str], dict[str, int]]:
    """Placements by outcome (stalemates and voids left out), and the longest distance of wins and of losses."""
    counts = solved(game).counts(material, side)
    coding = Coding(1, "uint8")
    found: Counter[str] = Counter()
    longest: dict[str, int] = {}
    for code in np.flatnonzero(counts[: coding.void]).tolist():
        outcome = "wins" if is_win(code, coding.stride) else "losses" if is_loss(code, coding.stride) else "draws"
        if coding.value(code).distance is not None:
            longest[outcome] = max(longest.get(outcome, 0), coding.value(code).distance or 0)
        found[outcome if code != 1 else "stalemates"] += int(counts[code])
    return found, longest


def test_two_pieces(solved: Solved, jungle: Game) -> None:
    """The paper's first row: 160,068 positions, 82,852 wins, 64,501 losses, 12,715 draws, longest 33 and 34."""
    total: Counter[str] = Counter()
    longest: Counter[str] = Counter()
    for material in materials(jungle, 2):
        found, furthest = outcomes(solved, jungle, material)
        total += found
        longest |= Counter(furthest)
    assert total == {"wins": 82_852, "losses": 64_501, "draws": 12_715}
    assert total.total() == 160_068
    assert longest == {"wins": 33, "losses": 34}


@pytest.mark.parametrize(
    ("name", "wins", "losses", "draws", "longest"),
    [
        ("RCvW", 98_517, 36_199, 4_052, 39),
        ("TvWD", 59_028, 45_804, 5_712, 37),
        ("CEvL", 88_655, 21_139, 750, 67),
    ],
)
def test_some_three_piece_slices(solved: Solved, jungle: Game, name: str, wins: int, losses: int, draws: int, longest: int) -> None:
    """Published counts of three slices with White to move."""
    found, furthest = outcomes(solved, jungle, parse_material(jungle, name))
    assert (found["wins"], found["losses"], found["draws"] + found["stalemates"]) == (wins, losses, draws)
    assert max(furthest.values()) == longest


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
