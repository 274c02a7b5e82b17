"""What scripts say and write about tables: rates, published CSV files, the report about materials, and pictures of documents."""

import csv
import gzip
import re
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from support.faults import wrong_by

import tablebase
from scripts.measure import tables
from scripts.reproduce import pictures
from scripts.reproduce.material_report import report
from scripts.reproduce.publish import WINS, publish
from tablebase.catalog.catalog import Catalog
from tablebase.checking.published import read_published
from tablebase.commands.parameters import Format
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
    """Each picture of the page is drawn as the call above it says, and no picture of a board or a sheet is left over."""
    drawn = pictures.pictures()
    assert all(isinstance(picture, Svg) for picture in drawn.values())
    assert {
        path.name: path.read_text(encoding="utf-8") for path in IMAGES.glob("*.svg") if re.match("board|sheet", path.name)
    } == drawn
    shown = re.findall(r"\(images/([^)]*)\)", pictures.PAGE.read_text(encoding="utf-8"))
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
