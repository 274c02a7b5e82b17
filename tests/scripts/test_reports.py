"""Scripts about tables: rates, published CSV files, reports, pictures, and claims held against positions probed one by one."""

import csv
import gzip
import re
from collections import Counter
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest
from support.faults import wrong_by

import tablebase
from scripts.measure import tables
from scripts.reproduce import patterns as script
from scripts.reproduce import pictures
from scripts.reproduce.material_report import report
from scripts.reproduce.publish import WINS, publish
from tablebase.catalog.catalog import Catalog
from tablebase.checking.published import read_published
from tablebase.commands.parameters import Format
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Outcome
from tablebase.game.moves import Position
from tablebase.svg import Svg
from tablebase_rules.doushouqi import game as doushouqi

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return list(csv.DictReader(text.splitlines()))


def test_what_is_published(two_pieces: Path, tmp_path: Path) -> None:
    """The files agree with each other and with the tables, and are the same whenever they are written."""
    for name in ("once", "again"):
        publish("doushouqi", two_pieces, tmp_path / name)
    folder = tmp_path / "once"
    files = sorted(folder.iterdir())
    assert len(files) == 4
    assert all(path.read_bytes() == (tmp_path / "again" / path.name).read_bytes() for path in files)
    digests = read_published(folder / "doushouqi-tables.csv", doushouqi())
    assert len(digests) == 10
    slices = read(folder / "doushouqi-slices.csv")
    assert len(slices) == 17
    counted: Counter[tuple[str, str, str]] = Counter()
    for row in read(folder / "doushouqi-distances.csv.gz"):
        counted[row["material"], row["side"], row["outcome"]] += int(row["placements"])
    for row in slices:
        assert counted[row["material"], row["side"], "win"] == int(row["wins"])
        assert counted[row["material"], row["side"], "loss"] == int(row["losses"])
        assert int(row["wins"]) + int(row["losses"]) + int(row["draws"]) == int(row["positions"])
    longest = read(folder / "doushouqi-longest.csv")
    assert 1 < len(longest) <= WINS
    assert longest[0]["distance"] == "33"
    with tablebase.open(two_pieces) as tables:
        for row in longest:
            assert tables.probe("doushouqi", row["position"]).distance == int(row["distance"]) == len(row["line"].split())


def test_a_report(three_pieces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Totals are the sums of all slices; the counts of a material are those of both sides to move."""
    with tablebase.open(three_pieces) as tables:
        report(tables, "doushouqi", 3, 500, Format.CSV)
        slices = [row for row in tables.stats("doushouqi", by="material") if row.pieces == 3]
    totals, _, most, fewest, worst = (block.splitlines()[1:] for block in capsys.readouterr().out.split("\n\n"))
    [total] = csv.DictReader(totals)
    assert int(total["positions"]) == sum(row.positions for row in slices)
    listed = {row["material"]: row for row in csv.DictReader(most)}
    assert listed == {row["material"]: row for row in csv.DictReader(fewest)}
    assert list(listed) == [row["material"] for row in csv.DictReader(fewest)][::-1]
    assert len(list(csv.DictReader(worst))) == len(listed)
    counted = {row.material: row for row in slices}
    for name, row in listed.items():
        first, second = name.split("v")
        # With the second side to move it is the material of exchanged colours.
        both = [counted[name], counted[f"{second}v{first}"]]
        assert int(row["positions"]) == sum(one.positions for one in both)
        assert int(row["draws"]) == sum(one.draws for one in both)
        assert int(row["wins"]) in (both[0].wins + both[1].losses, both[0].losses + both[1].wins)


def test_pictures_are_up_to_date() -> None:
    """Each picture of the pages is drawn as the call above it says, and no picture of a board or a sheet is left over."""
    drawn = pictures.pictures()
    assert all(isinstance(picture, Svg) for picture in drawn.values())
    assert {
        path.name: path.read_text(encoding="utf-8") for path in IMAGES.glob("*.svg") if re.match("board|retro|sheet", path.name)
    } == drawn
    shown = [name for page in pictures.PAGES for name in re.findall(r"\(images/([^)]*)\)", page.read_text(encoding="utf-8"))]
    assert shown == list(drawn)
    assert len(drawn) >= 6


def test_every_step_of_a_table() -> None:
    """Each solver and each check has a rate, and the baseline is once as fast as itself."""
    report = tables.measure_tables("hexapawn", "PPvPP")
    steps = {row["step"]: row for row in report["steps"]}
    assert list(steps) == ["solve, groups", "solve, reference", "check", "check, general", "write", "read"]
    assert steps["solve, reference"]["times_faster_than_reference"] == 1
    assert all(row["cpu_seconds"] > 0 for row in steps.values())
    # Two white pawns and two black ones, each on six squares, of which they share three; Black to move is White turned round.
    [whole] = report["table"]
    assert whole["placements"] == len(pairs())


def pairs() -> list[tuple[int, ...]]:
    """Placements of two pawns a side on 3x3, by hand: White's on ranks 1 and 2, Black's on ranks 2 and 3."""
    white = [(a, b) for a in range(6) for b in range(a)]
    black = [(a, b) for a in range(3, 9) for b in range(3, a)]
    return [(*one, *other) for one in white for other in black if not set(one) & set(other)]


def test_all_tables_are_solved_by_both(two_pieces: Path) -> None:
    """The placements are those of the catalog, and the baseline comes first."""
    report = tables.measure_sums(2)
    with closing(Catalog(two_pieces)) as catalog:
        _, [(number, placements)] = catalog.sql("SELECT count(DISTINCT table_id), sum(placements) FROM solutions")
    expected = [(name, number, placements) for name in ("groups", "planes")]
    assert [(row["solver"], row["tables"], row["placements"]) for row in report["sums"]] == expected
    [ratio] = report["ratio"]
    assert 0 < ratio["least"] <= ratio["median"] <= ratio["most"]


def test_solvers_that_differ_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate of wrong codes would be worth nothing."""
    monkeypatch.setattr(tables, "solve_material", wrong_by(tables.solve_material, "reference"))
    with pytest.raises(SystemExit, match="reference and groups differ on"):
        tables.measure_tables("hexapawn", "PPvPP")


GAME = doushouqi()


def claims_of(folder: Path, pieces: int) -> dict[str, list[str]]:
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
    return claims_of(three_pieces, 3)


def verdict(told: dict[str, list[str]], words: str) -> str:
    """The verdict on the claim whose title begins like this."""
    (lines,) = (lines for title, lines in told.items() if title.startswith(words))
    (line,) = (line for line in lines if line.startswith("  => "))
    return line.removeprefix("  => ")


@pytest.mark.parametrize("pieces", [2, pytest.param(3, marks=pytest.mark.release)])
def test_every_claim_has_a_verdict(pieces: int, request: pytest.FixtureRequest, two_pieces: Path) -> None:
    """Each claim ends with what it comes to, or, if it needs tables that are not there, why it was left out."""
    told = request.getfixturevalue("told") if pieces == 3 else claims_of(two_pieces, pieces)
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
    kinds = GAME.by_symbol["C"], GAME.by_symbol["c"]
    positions = [Position(tuple(zip(kinds, both, strict=True)), 0) for both in permutations(GAME.kinds[kinds[0]].homes, 2)]
    outcomes = Counter(value.outcome for value in tables.probe_values(GAME, positions))
    claim = script.Claim("A cat always wins", "material = 'CvC'", "outcome = 'win'")
    script.print_claim(claim, two_pieces, 3)
    told = capsys.readouterr().out
    lost = outcomes[Outcome.LOSS]
    assert f"=> holds except for {lost:,} of {outcomes.total():,} positions" in told
    assert told.count("not so: ") == 3
    assert f"and {lost - 3:,} more" in told
