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


def outcomes_of_cats(tables: Tablebase) -> Counter[Outcome]:
    """How often each outcome is that of a position of two cats, White to move."""
    kinds = GAME.by_symbol["C"], GAME.by_symbol["c"]
    squares = permutations(GAME.kinds[kinds[0]].homes, 2)
    positions = [Position(tuple(zip(kinds, both, strict=True)), 0) for both in squares]
    return Counter(value.outcome for value in tables.probe_values(GAME, positions))


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.release)])
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
    outcomes = outcomes_of_cats(tables)
    claim = script.Claim("A cat always wins", "material = 'CvC'", "outcome = 'win'")
    script.print_claim(claim, two_pieces, 3)
    told = capsys.readouterr().out
    lost = outcomes[Outcome.LOSS]
    assert f"=> holds except for {lost:,} of {outcomes.total():,} positions" in told
    assert told.count("not so: ") == 3
    assert f"and {lost - 3:,} more" in told
