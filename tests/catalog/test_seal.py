"""A catalog that is not as it was written is refused by every command, and `reindex` cures it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.catalogs import change, snapshot
from support.program import Answer

from rules.doushouqi import game as doushouqi
from tablebase.catalog import sqlite
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import TablebaseError

GAME = doushouqi()
Ask = Callable[..., Answer]

MINED = "SELECT material, side, count(*) AS n FROM positions WHERE outcome = 'win' GROUP BY ALL ORDER BY ALL"
COMMANDS = {
    "mine": ["mine", "doushouqi", MINED, "--format", "csv"],
    "stats": ["stats", "doushouqi", "--by", "material", "--format", "csv"],
    "probe": ["probe", "doushouqi", "7/7/7/7/3c3/7/7/R6/7 w", "--format", "csv"],
    "build": ["build", "doushouqi", "--pieces", "2"],
    "sql": ["sql", "SELECT * FROM slice_counts JOIN games ON games.name = game ORDER BY material, side", "--format", "csv"],
    "sql over distances": ["sql", "SELECT * FROM distances ORDER BY 1, 2, 3", "--format", "csv"],
}

RECURSIVE = "WITH RECURSIVE forever(x) AS (SELECT 1 UNION ALL SELECT x FROM forever)"
CHANGES = {
    "distances removed": ["DELETE FROM distances WHERE outcome = 'win'"],
    "a count changed": ["UPDATE solutions SET wins = wins + 1, losses = losses - 1 WHERE id = 3"],
    "a table removed": ["PRAGMA foreign_keys = ON", "DELETE FROM tables WHERE material = 'CvW'"],
    "a slice removed": ["DELETE FROM slices WHERE material = 'DvP'"],
    "a slice stored elsewhere": ["UPDATE slices SET solution_id = 1 WHERE material = 'DvP'"],
    "two sides exchanged": ["UPDATE solutions SET id = id + 1000 WHERE id = 1", "UPDATE solutions SET id = 1 WHERE id = 2"],
    "an alias that is none": ["UPDATE slices SET is_alias = 3 WHERE is_alias = 1"],
    "seconds invented": ["UPDATE tables SET seconds = seconds + 1 WHERE material = 'CvW'"],
    "another title": ["UPDATE games SET title = 'Draughts'"],
    "a game without tables": ["INSERT INTO games VALUES ('go', 'Go', '', 'bw', 'S s')"],
    "distances of nothing": ["INSERT INTO distances VALUES (1000, 'win', 1, 1)"],
    "a solution of nothing": [
        "INSERT INTO solutions SELECT 1000, 1000, side, 1, 0, 1, 0, 0, 0, 1, 1, NULL, NULL FROM solutions LIMIT 1"
    ],
    "bytes for a text": ["UPDATE tables SET material = CAST(material AS BLOB) WHERE material = 'CvW'"],
    "no seals": ["DELETE FROM seals"],
    "a trigger": ["CREATE TRIGGER greedy AFTER INSERT ON tables BEGIN DELETE FROM distances; END"],
    "a view": ["CREATE VIEW mine AS SELECT 1"],
    "a table": ["CREATE TABLE mine (a)"],
    "an index": ["CREATE INDEX mine ON tables (engine)"],
    "no index": ["DROP INDEX ix_slices_game"],
    "a view without end": ["DROP VIEW slice_counts", f"CREATE VIEW slice_counts AS {RECURSIVE} SELECT * FROM forever"],
    "a table without end": ["DROP TABLE distances", f"CREATE VIEW distances AS {RECURSIVE} SELECT * FROM forever"],
}


Said = dict[str, tuple[int, str]]


def answers(folder: Path, ask: Ask) -> Said:
    """The exit code and the output of each command; where the catalog was refused, in a sentence whose cure is `reindex`."""
    said = {}
    for name, words in COMMANDS.items():
        answer = ask(*words, "--data", folder)
        said[name] = answer.code, answer.out
        if answer.code:
            assert answer.out == ""
            (error,) = answer.errors
            assert error.startswith(f"error: {folder / FILE_NAME} "), error
            assert f"run 'tablebase reindex --data {folder}'" in error
    return said


def refused(said: Said) -> set[str]:
    """The commands that refused the catalog."""
    return {name for name, (code, _) in said.items() if code}


ALL_BUT_PROBE = set(COMMANDS) - {"probe"}


@pytest.mark.parametrize("statements", CHANGES.values(), ids=CHANGES)
def test_a_catalog_changed_by_hand_is_refused(statements: list[str], copied: Path, ask: Ask) -> None:
    """Whatever was changed: by every command that needs the catalog, while `reindex` makes it say the same as before."""
    sound = snapshot(copied)
    change(copied, *statements)
    assert refused(answers(copied, ask)) == ALL_BUT_PROBE
    assert ask("verify", "doushouqi", "--data", copied).code == 1
    assert ask("reindex", "--data", copied).code == 0
    assert snapshot(copied) == sound


def dump(folder: Path) -> list[str]:
    """All that is in a catalog, as SQL."""
    with sqlite.connect_for_reading(folder / FILE_NAME).connect() as connection:
        driver: Any = connection.connection.driver_connection
        return list(driver.iterdump())


def flips(folder: Path, seed: int, count: int, thorough: int, ask: Ask) -> dict[str, int]:
    """Turn single bits of a catalog around, one at a time, and count what becomes of them; empty space is left out.

    A catalog that is refused must be refused by every command. One that is accepted must hold the same rows; `thorough`
    of them are also asked by all commands.
    """
    path = folder / FILE_NAME
    sound, sound_rows, before = path.read_bytes(), dump(folder), answers(folder, ask)
    assert not refused(before)
    used = [place for place, byte in enumerate(sound) if byte]
    random, outcomes = Random(seed), {"refused": 0, "harmless": 0}
    for _ in range(count):
        place, bit = random.choice(used), random.randrange(8)
        damaged = bytearray(sound)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            Catalog(folder).close()
        except TablebaseError:
            outcomes["refused"] += 1
            after = answers(folder, ask)
            assert refused(after) == ALL_BUT_PROBE, (place, bit)
            assert after["probe"] == before["probe"], (place, bit)
        else:
            outcomes["harmless"] += 1
            assert dump(folder) == sound_rows, (place, bit)
            if outcomes["harmless"] <= thorough:
                assert answers(folder, ask) == before, (place, bit)
    path.write_bytes(sound)
    return outcomes


def test_flipped_bits_are_refused_or_harmless(copied: Path, ask: Ask) -> None:
    """No single bit of the catalog's file changes an answer."""
    outcomes = flips(copied, 1, 60, 2, ask)
    assert outcomes["refused"] > 20
    assert outcomes["harmless"] > 5


@pytest.mark.slow
def test_a_thousand_flipped_bits(copied: Path, ask: Ask) -> None:
    """The same, at length, and with every command."""
    outcomes = flips(copied, 2, 1000, 1000, ask)
    assert outcomes["refused"] > 400
