"""The CSV files that are published of a folder of tables."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path

import tablebase
from scripts.reproduce.publish import WINS, publish
from tablebase.checking.published import read_published
from tablebase_rules.doushouqi import game as doushouqi


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
