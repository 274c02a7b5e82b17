"""The claims of scripts.reproduce.patterns, held against positions that are probed one by one."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from scripts.reproduce import patterns as script
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Outcome
from tablebase.game.moves import Position
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
PLAIN = "CWDPE"
"""Animals that neither swim nor leap."""


def report(folder: Path, pieces: int) -> dict[str, list[str]]:
    """What the script prints about each claim, by its title, with up to so many pieces."""
    lines: list[str] = []
    patch = pytest.MonkeyPatch()
    # Only the script's: Numba prints, too, where it compiles a kernel.
    patch.setattr(script, "print", lambda text="": lines.extend(str(text).split("\n")), raising=False)
    try:
        script.print_report(folder, pieces, 10_000)
    finally:
        patch.undo()
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.endswith(":") and not line.startswith(" "):
            found[line[:-1]] = []
        elif found:
            found[list(found)[-1]].append(line)
    return found


@pytest.fixture(scope="module")
def told(three_pieces: Path) -> dict[str, list[str]]:
    """What it prints with three pieces."""
    return report(three_pieces, 3)


def verdict(told: dict[str, list[str]], words: str) -> str:
    """The verdict on the claim whose title begins like this."""
    (lines,) = (lines for title, lines in told.items() if title.startswith(words))
    (line,) = (line for line in lines if line.startswith("  => "))
    return line.removeprefix("  => ")


def cell(square: int) -> tuple[int, int]:
    """File and rank, from 1."""
    file, rank = GAME.board.cells[square]
    return file + 1, rank + 1


def steps(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Manhattan distance."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def pairs(tables: Tablebase, animal: str) -> list[tuple[tuple[int, int], tuple[int, int], Outcome]]:
    """All positions of an animal against its like, White to move: the two cells, and the outcome."""
    kinds = GAME.by_symbol[animal], GAME.by_symbol[animal.lower()]
    squares = permutations(GAME.kinds[kinds[0]].homes, 2)
    positions = [Position(tuple(zip(kinds, both, strict=True)), 0) for both in squares]
    values = tables.probe_values(GAME, positions)
    return [
        (cell(position.pieces[0][1]), cell(position.pieces[1][1]), value.outcome)
        for position, value in zip(positions, values, strict=True)
    ]


def walk(animal: str, origin: tuple[int, int], goal: tuple[int, int]) -> int:
    """Steps of an animal that does not leap to the enemy den."""
    water = set() if animal == "R" else {(file, rank) for file in (2, 3, 5, 6) for rank in (4, 5, 6)}
    seen, edge, count = {origin}, {origin}, 0
    while goal not in edge:
        near = {(file + a, rank + b) for file, rank in edge for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        edge = {one for one in near - seen - water if 1 <= one[0] <= 7 and 1 <= one[1] <= 9 and (one == goal or one not in DENS)}
        seen |= edge
        count += 1
    return count


DENS = ((4, 1), (4, 9))


def guarding(tables: Tablebase, animal: str) -> list[tuple[tuple[int, int], tuple[int, int], Outcome]]:
    """Those in which each is nearer to its own den than the other is."""
    return [
        (white, black, outcome)
        for white, black, outcome in pairs(tables, animal)
        if steps(black, DENS[1]) < walk(animal, white, DENS[1]) and steps(white, DENS[0]) < walk(animal, black, DENS[0])
    ]


@pytest.mark.full
def test_parity(told: dict[str, list[str]], tables: Tablebase) -> None:
    """Odd distances win and even ones lose, but for as many exceptions as the script says, none of them off the last ranks."""
    right = wrong = 0
    kept = Counter[bool]()
    for animal in f"R{PLAIN}":
        for white, black, outcome in guarding(tables, animal):
            as_claimed = outcome is (Outcome.WIN if steps(white, black) % 2 else Outcome.LOSS)
            right, wrong = right + as_claimed, wrong + (not as_claimed)
            if white[1] > 1 and black[1] < 9:
                kept[as_claimed] += 1
    assert right > wrong > 0
    assert verdict(told, "So: it wins at odd distances").startswith(f"holds except for {wrong:,} of {right + wrong:,} positions")
    assert verdict(told, "If equal pieces have to pass").startswith(f"fails for {right:,} of {right + wrong:,} positions")
    assert kept[False] == 0
    assert verdict(told, "The same, if neither piece stands") == f"holds for all {kept[True]:,} positions"


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.full)])
def test_every_claim_has_a_verdict(pieces: int, request: pytest.FixtureRequest, two_pieces: Path) -> None:
    """Each claim ends with what it comes to, or, if it needs tables that are not there, why it was left out."""
    told = request.getfixturevalue("told") if pieces == 3 else report(two_pieces, pieces)
    for claim in (*script.PAPER, *script.FINDINGS):
        wanted = f"  skipped, because it needs all tables with {claim.pieces} pieces." if claim.pieces > pieces else "  => "
        assert sum(line.startswith(wanted) for line in told[claim.title]) == 1, claim.title
    counts = list(zip((12_715, 687_007), (160_068, 54_354_684), strict=True))[: pieces - 1]
    said = [f"{draws:,} of {positions:,} positions are a draw ({draws / positions:.2%})" for draws, positions in counts]
    lines = "\n".join(told["There are surprisingly few draws"])
    # The shares of draws are those of the published counts.
    assert [one in lines for one in said] == [True] * len(said)
    assert verdict(told, "There are surprisingly few draws") == f"holds: at most {12_715 / 160_068:.2%}"


@pytest.mark.full
def test_claims_of_more_pieces_need_all_their_tables(shut_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With some tables of three pieces, what needs three pieces is left out, and of their draws nothing is said."""
    script.print_report(shut_in, 4, 0)
    told = capsys.readouterr().out
    for pieces in (3, 4):
        skipped = f"skipped, because it needs all tables with {pieces} pieces"
        assert told.count(skipped) == sum(one.pieces == pieces for one in script.FINDINGS)
    draws = told.partition("There are surprisingly few draws:")[2].partition("A single piece")[0]
    assert [line[:10] for line in draws.splitlines() if "positions are a draw" in line] == ["  2 pieces"]
    assert f"holds: at most {12_715 / 160_068:.2%}" in draws


def test_queries_that_do_not_hold_are_seen(two_pieces: Path, tables: Tablebase, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim that is wrong is not said to hold, and what breaks it is counted and listed."""
    outcomes = Counter(outcome for _, _, outcome in pairs(tables, "C"))
    claim = script.Claim("A cat always wins", "material = 'CvC'", "outcome = 'win'")
    script.print_claim(claim, two_pieces, 3)
    told = capsys.readouterr().out
    lost = outcomes[Outcome.LOSS]
    assert f"=> holds except for {lost:,} of {outcomes.total():,} positions" in told
    assert told.count("not so: ") == 3
    assert f"and {lost - 3:,} more" in told


@pytest.mark.full
def test_draws_of_a_single_piece_are_counted(told: dict[str, list[str]], three_pieces: Path) -> None:
    """The counts of all slices of two against one are those of mining the same positions."""
    lines = told["A single piece rarely draws against others, none of them weaker than it"]
    first = "material LIKE '__v_' AND relation_1_3 <> 'weaker' AND relation_2_3 <> 'weaker'"
    second = "material LIKE '_v__' AND relation_1_2 <> 'stronger' AND relation_1_3 <> 'stronger'"
    # White is to move in both: where the pieces of one side alone are White's, the single piece moves.
    for mover, where in (("the 2", first), ("the single piece", second)):
        [row] = script.run(
            "SELECT count(*) FILTER (outcome = 'draw' AND NOT stalemate) AS draws, count(*) FILTER (NOT stalemate) AS positions,"
            f" count(DISTINCT material || side) AS counted FROM positions WHERE pieces = 3 AND {where}",
            three_pieces,
        )
        assert row["positions"] > 0
        counts = f"{row['draws']:,} of {row['positions']:,} positions of {row['counted']} slices"
        assert f"  2 against 1, {mover} to move: {counts} are a draw" in lines
