"""Images of positions as columns, and zugzwang: what a join on texts finds is what the columns say."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.queries import mined

from tablebase.game import load_game
from tablebase.game.moves import mirrored
from tablebase.game.notation import parse, render
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")


def test_a_twin_is_the_row_of_the_other_side_to_move(two_pieces: Path) -> None:
    """A join on twins finds the other side to move of all positions, and those that are zugzwang."""
    joined = """
        SELECT count(*),
               count(*) FILTER (WHERE 'win' NOT IN (a.outcome, b.outcome) AND (a.outcome, b.outcome) <> ('draw', 'draw')),
               count(*) FILTER (WHERE a.twin_outcome = b.outcome AND a.twin_distance IS NOT DISTINCT FROM b.distance)
        FROM positions a JOIN positions b ON b.position = a.twin WHERE a.pieces = 2 AND b.pieces = 2
    """
    said = mined(JUNGLE, two_pieces, "SELECT count(*), count(*) FILTER (WHERE zugzwang), count(twin_outcome) FROM positions")
    assert mined(JUNGLE, two_pieces, joined) == said
    assert said[0][0] == 160_068
    assert said[0][1] > 0


def test_zugzwang_is_mutual(two_pieces: Path) -> None:
    """What is zugzwang for one side is it for the other one, in a material that is its own twin and in others."""
    for material, other in (("CvC", "CvC"), ("RvE", "EvR")):
        texts = "SELECT {} FROM positions WHERE material = '{}' AND zugzwang ORDER BY ALL"
        found = mined(JUNGLE, two_pieces, texts.format("position", material))
        assert found == mined(JUNGLE, two_pieces, texts.format("twin", other))
        assert found


def test_canonical_counts_images_once(two_pieces: Path) -> None:
    """There is one canonical text for each pair of mirror images, and one for each position that is its own image."""
    [(distinct,)] = mined(JUNGLE, two_pieces, "SELECT count(DISTINCT canonical) FROM positions WHERE material = 'CvC'")
    texts = {text for (text,) in mined(JUNGLE, two_pieces, "SELECT position FROM positions WHERE material = 'CvC'")}
    images = {frozenset([text, render(JUNGLE, mirrored(JUNGLE, parse(JUNGLE, text)))]) for text in texts}
    assert distinct == len(images)
    assert len(texts) / 2 < distinct < len(texts)


def test_images_are_not_in_a_star(two_pieces: Path) -> None:
    """They are named, like features; a statement may filter by them."""
    statement = "SELECT * FROM positions WHERE material = 'CvC' AND mirror = position"
    rows = mined(JUNGLE, two_pieces, statement)
    assert len(rows[0]) == 6 + 2 * 4
    assert {row[8] for row in rows} == {row[12] for row in rows} == {4}


def test_zugzwang_of_positions_by_name(hexapawns: Path) -> None:
    """A position that is looked up has the column, too."""
    found = mined(PAWNS, hexapawns, "SELECT position, zugzwang FROM positions WHERE zugzwang IS NOT NULL")
    assert {value for _, value in found} <= {True, False}
    for text, value in found[::50]:
        assert mined(PAWNS, hexapawns, f"SELECT zugzwang FROM positions WHERE position = '{text}'") == [(value,)]


@pytest.mark.parametrize("table", ["positions", "distinct_positions"])
@pytest.mark.parametrize(
    "condition",
    [
        "zugzwang",
        "zugzwang AND outcome = 'loss'",
        "t.zugzwang AND t.distance > 2 AND t.side = 'w'",
        "zugzwang OR outcome = 'win'",
        "NOT zugzwang",
        "zugzwang IS NULL",
        "zugzwang = (outcome = 'draw')",
    ],
)
def test_only_zugzwang_is_read(condition: str, table: str, two_pieces: Path, hexapawns: Path) -> None:
    """A condition that leaves out rows before they are made leaves the rows for which it holds, also beside other references."""
    for game, folder in ((JUNGLE, two_pieces), (PAWNS, hexapawns)):
        every = f"SELECT count(*) FILTER (WHERE {condition}), sum(distance) FILTER (WHERE {condition}) FROM {table} AS t"
        some = f"SELECT count(*), sum(distance) FROM {table} AS t WHERE {condition}"
        [expected] = mined(game, folder, every)
        assert mined(game, folder, some) == [expected]
        rest = f"SELECT count(*) FROM {table} WHERE distance >= 0"
        both = f"SELECT (SELECT count(*) FROM {table} AS t WHERE {condition}), ({rest})"
        assert mined(game, folder, both) == [(expected[0], *mined(game, folder, rest)[0])]
