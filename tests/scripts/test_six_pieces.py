"""The plan for six pieces: what is counted, what is simulated, and that the page about clusters shows it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import six_pieces as script
from support.program import SCRIPTS

from tablebase.game import load_game
from tablebase.slices.material import parse_material

DOCS = SCRIPTS.parent / "docs"


@pytest.mark.slow
def test_what_is_counted_and_shown() -> None:
    """Distinct slices and their placements are those that other programs have counted; the page shows the same tables."""
    environment = os.environ | {"COLUMNS": "120"}
    run = subprocess.run(
        [sys.executable, SCRIPTS / "six_pieces.py"], stdout=subprocess.PIPE, text=True, check=True, env=environment, cwd=DOCS.parent
    )
    lines = [line.rstrip() for line in run.stdout.strip().splitlines()]
    counted = {row[0]: row[2:4] for row in map(str.split, lines[2:7])}
    assert counted == {
        "2": ["17", "44,820"],
        "3": ["84", "10,622,808"],
        "4": ["261", "1,546,576,416"],
        "5": ["680", "183,320,863,488"],
        "6": ["1,546", "18,581,470,959,744"],
    }
    assert "\n".join(lines) in (DOCS / "cluster.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("workers", "seconds"), [(1, 12), (2, 8), (3, 6)])
def test_a_simulation(workers: int, seconds: float) -> None:
    """Two tables that need the first one, one that needs both, and one beside them; by hand."""
    graph = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c"), "e": ()}
    took = {"a": 1.0, "b": 3.0, "c": 2.0, "d": 2.0, "e": 4.0}
    assert script.simulated(graph, workers, took) == seconds


def test_a_chain() -> None:
    """The longest by number need not be the longest by time."""
    game = load_game("doushouqi")
    first, second, third, large = (parse_material(game, name) for name in ("RvC", "RvE", "RvT", "CvT"))
    graph = {first: (), second: (first,), third: (second,), large: (first,)}
    weights = {first: 1, second: 1, third: 1, large: 5}
    assert script.longest_chain(game, graph, lambda _: 1, "tables")["tables"] == "RvC RvE RvT"
    row = script.longest_chain(game, graph, weights.__getitem__, "seconds")
    assert (row["is"], row["tables"]) == (6, "RvC CvT")


def test_tables_that_are_too_large() -> None:
    """With little memory none of six pieces can be solved; with much, all of them by the fastest solver."""
    game = load_game("doushouqi")
    wanted = [parse_material(game, name) for name in ("RCWvDTL", "CWDvCWD")]
    assert script.solvers(game, wanted, ["8G", "128G"]) == [
        {"memory of a worker": "8G", "planes": 0, "lean": 0, "too large": 2},
        {"memory of a worker": "128G", "planes": 2, "lean": 0, "too large": 0},
    ]
