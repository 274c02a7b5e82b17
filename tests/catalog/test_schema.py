"""The catalog's schema: its version, and statements that any database understands."""

from contextlib import closing
from pathlib import Path

import pytest
from support.catalogs import change, database
from support.checks import at_least_one
from support.program import Ask
from support.tablebases import on_both

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.schema import SCHEMA_VERSION
from tablebase.game import load_game
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material


@on_both
@pytest.mark.parametrize(("step", "when"), [(1, "a later"), (-1, "an earlier")])
def test_another_version_is_rebuilt(step: int, when: str, copied: Path, ask: Ask) -> None:
    """What reads says so in one sentence, what writes rebuilds it without touching a table, and says so in another."""
    counts = ask("stats", "doushouqi", "--data", copied, "--format", "csv").out
    files = {path: path.read_bytes() for path in copied.rglob("*.h5")}
    change(copied, f"UPDATE schema_version SET version = {SCHEMA_VERSION + step}")
    for command in (["stats", "doushouqi"], ["verify", "doushouqi"], ["sql", "SELECT 1"], ["mine", "doushouqi", "SELECT 1"]):
        answer = ask(*command, "--data", copied)
        assert (answer.code, answer.out, len(answer.errors)) == (2, "", 1)
        assert answer.err.startswith(f"error: {database(copied).place} was made by {when} version of this program: ")
        assert f"run 'tablebase reindex --data {copied}{database(copied).option}'" in answer.err
    built = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert built.code == 0
    assert built.err.splitlines()[0].startswith(f"{database(copied).place} was made by {when} version")
    assert "10 table files" in built.err.splitlines()[0]
    assert ask("stats", "doushouqi", "--data", copied, "--format", "csv").out == counts
    assert {path: path.read_bytes() for path in copied.rglob("*.h5")} == files


def test_pairings_are_those_of_locations(two_pieces: Path) -> None:
    """Every slice says which of its pieces plays which, counted from 1."""
    game = load_game("doushouqi")
    with closing(Catalog(two_pieces)) as catalog:
        rows = catalog.sql("SELECT material, side, stored_as, pairing FROM slice_counts")[1]
    for material, side, stored, pairing in at_least_one(rows):
        location = locate(game, parse_material(game, material), "wb".index(side))
        assert location.material == parse_material(game, stored)
        assert [int(number) - 1 for number in pairing.split()] == list(location.pairing)
