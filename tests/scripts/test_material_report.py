"""The report about all materials of a number of pieces."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import tablebase
from scripts.reproduce.material_report import Balance, report
from tablebase.cli.options import Format


def test_a_balance_is_of_both_sides_to_move() -> None:
    """The share is that of the side with more pieces, whichever side that is."""
    more = Balance("RCvW", positions=100, draws=20, wins=50, losses=30)
    less = Balance("RvCW", positions=100, draws=20, wins=30, losses=50)
    assert (more.drawn, more.more, more.share, less.more, less.share) == (0.2, 1, 0.6, -1, 0.6)
    counts = {"positions": 100, "wins": 50, "losses": 30, "draws": 20, "percent": 60.0}
    assert [one.row(one.share) for one in (more, less)] == [{"material": one.material} | counts for one in (more, less)]


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
