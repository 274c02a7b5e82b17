"""Every row of `positions` against its slow twin, counts against the catalog's, and how little is read for them."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.checks import thinned
from support.program import Ask, random_position
from support.queries import columns_of, mined, mined_rows
from twins.mining import counted, rated_moves, row_of, rows_of

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game
from tablebase.game.features import Feature, Values, feature
from tablebase.game.moves import Position
from tablebase.mining import rows as found_rows
from tablebase.mining import scan
from tablebase.positions.location import locate
from tablebase.positions.material import parse_material
from tablebase.positions.position_arrays import Positions
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")
FOXES = load_game("foxhounds-4x4")

# A count of a column that is not among the values makes it decode.
BY_SLICE = """
SELECT material, side, pieces, count(p1_file) AS placements, count(*) FILTER (WHERE stalemate) AS stalemates,
       count(*) FILTER (WHERE outcome = 'win') AS wins, count(*) FILTER (WHERE outcome = 'loss') AS losses,
       count(*) FILTER (WHERE outcome = 'draw' AND NOT stalemate) AS draws,
       max(distance) FILTER (WHERE outcome = 'win') AS longest_win, max(distance) FILTER (WHERE outcome = 'loss') AS longest_loss
FROM {} GROUP BY ALL
"""


@pytest.fixture(scope="module")
def fox_tables(foxes: Path) -> Iterator[Tablebase]:
    with tablebase.open(foxes) as opened:
        yield opened


@pytest.mark.parametrize(
    "material", ["RvC", "CvD", "WvC", *(pytest.param(name, marks=pytest.mark.full) for name in ("EvL", "EvR", "RvR", "TvL", "LvE"))]
)
def test_rows_are_those_of_the_twin(material: str, two_pieces: Path, tables: Tablebase) -> None:
    """Stored slices, aliases and those stored with colours exchanged, rats and jumpers: all placements, in all columns."""
    expected = rows_of(tables, JUNGLE, material)
    names = columns_of(JUNGLE, two_pieces)
    assert set(names) == set(expected[0])
    assert counted(mined_rows(JUNGLE, two_pieces, f"material = '{material}'"), names) == counted(expected, names)


def test_zugzwang_that_is_mutual_is_lost_for_both(two_pieces: Path, tables: Tablebase) -> None:
    """Also where a condition on it alone decides what is decoded; the wider column also has what is a draw for one side."""
    expected = [row for material in ("CvD", "RvE") for row in rows_of(tables, JUNGLE, material)]
    counts = [sum(row[name] is True for row in expected) for name in ("zugzwang", "mutual_zugzwang")]
    assert 0 < counts[1] < counts[0]
    for name, count in zip(("zugzwang", "mutual_zugzwang"), counts, strict=True):
        of_slices = "FROM positions WHERE material IN ('CvD', 'RvE')"
        assert mined(JUNGLE, two_pieces, f"SELECT count(p1_square) {of_slices} AND {name}") == [(count,)]
        assert mined(JUNGLE, two_pieces, f"SELECT count(*) FILTER ({name}) {of_slices}") == [(count,)]


@pytest.mark.parametrize("material", thinned(["PvP", "PvPP", "PPvP", "PPPvP", "PPPvPPP"], 2))
def test_rows_of_like_pieces_are_those_of_the_twin(material: str, hexapawns: Path, pawn_tables: Tablebase) -> None:
    """Mirror images and exchanged colours too have identical pieces in the order of their squares; to be stuck is to lose."""
    expected = rows_of(pawn_tables, PAWNS, material, pieces=6)
    names = columns_of(PAWNS, hexapawns)
    assert set(names) == set(expected[0])
    found = mined_rows(PAWNS, hexapawns, f"material = '{material}'")
    assert counted(found, names) == counted(expected, names)
    assert not any(row["stalemate"] for row in found)
    assert any(row["mobility"] == row["distance"] == 0 for row in found) == any(row["mobility"] == 0 for row in expected)


@pytest.mark.parametrize("side", [0, 1])
def test_rows_of_tiers_are_those_of_the_twin(side: int, foxes: Path, fox_tables: Tablebase) -> None:
    """Either side to move in every tier, with those in which the fox has got away and nobody moves."""
    names = columns_of(FOXES, foxes)
    found = mined_rows(FOXES, foxes, f"side = '{FOXES.sides[side].letter}'")
    expected = [row for material in ("FvH", "FvHH") for row in rows_of(fox_tables, FOXES, material, side, 3)]
    assert counted(found, names) == counted(expected, names)
    assert any(row["distance"] == 0 and row["mobility"] == 0 for row in found)


@pytest.mark.parametrize("material", ["RCvW", *(pytest.param(name, marks=pytest.mark.full) for name in ("EvRL", "CvRL", "TvLE"))])
def test_three_pieces_are_as_sampled(material: str, three_pieces: Path, more_tables: Tablebase) -> None:
    """Random placements of three pieces have just one row, with the columns that the twin works out."""
    random = Random(material)
    asked = [random_position(JUNGLE, parse_material(JUNGLE, material), 0, random) for _ in range(60)]
    expected = []
    for position, rated in zip(asked, rated_moves(more_tables, JUNGLE, asked), strict=True):
        value, other = (more_tables.probe_value(JUNGLE, Position(position.pieces, side)) for side in (0, 1))
        values = [(str(each.outcome), each.distance) for each in (value, other)]
        expected.append(row_of(JUNGLE, material, position, values[0], 3, values[1], rated))
    places = [tuple(row[f"p{number}_square"] for number in (1, 2, 3)) for row in expected]
    wanted = ", ".join(str(place) for place in sorted(set(places)))
    found = mined_rows(JUNGLE, three_pieces, f"material = '{material}' AND (p1_square, p2_square, p3_square) IN ({wanted})")
    names = columns_of(JUNGLE, three_pieces)
    assert set(counted(found, names)) == set(counted(expected, names))
    assert len(found) == len(set(places))


@pytest.mark.parametrize("name", ["distinct_positions", pytest.param("positions", marks=pytest.mark.full)])
def test_counts_of_every_slice_are_those_of_stats(name: str, three_pieces: Path, ask: Ask) -> None:
    """Wins, losses, draws, stalemates and the longest ones of all 512 slices, by one statement; or of the 101 stored ones."""
    fields = ["material", "side", "pieces", "placements", "stalemates", "wins", "losses", "draws", "longest_win", "longest_loss"]
    lines = ask("stats", "doushouqi", "--data", three_pieces, "--by", "material", "--format", "json").json
    if name == "distinct_positions":
        lines = [line for line in lines if line["distinct"]]
    answer = ask("mine", "doushouqi", BY_SLICE.format(name), "--data", three_pieces, "--format", "json")
    assert answer.code == 0
    assert counted(answer.json, fields) == counted(lines, fields)
    assert len(answer.json) == {"positions": 64 + 448, "distinct_positions": 17 + 84}[name]


def test_blocks_may_end_anywhere(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statement = "SELECT material, outcome, distance, p1_square, p2_square FROM positions WHERE material IN ('TvR', 'RvT')"
    everything = Counter(mined(JUNGLE, two_pieces, statement))
    few = Counter(mined(JUNGLE, two_pieces, f"{statement} AND distance BETWEEN 3 AND 8"))
    assert few == Counter({row: n for row, n in everything.items() if row[2] is not None and 3 <= row[2] <= 8})
    for size, much in ((31, 4), (1000, 10_000), (61, 0)):
        monkeypatch.setattr(scan, "BLOCK", size)
        monkeypatch.setattr(found_rows, "FEW", much)
        assert Counter(mined(JUNGLE, two_pieces, statement)) == everything
        assert Counter(mined(JUNGLE, two_pieces, f"{statement} AND distance BETWEEN 3 AND 8")) == few


@feature()
def broken(positions: Positions) -> Values:
    """Never works."""
    raise ValueError(f"asked for {len(positions)} positions")


@feature(pieces=1, kind="bool")
def watched(positions: Positions, piece: int) -> Values:
    """Records which slices it was asked about."""
    SEEN.append((positions.material, piece))
    return positions.squares[:, piece] >= 0


SEEN: list[tuple[Any, int]] = []
OWN: tuple[Feature, ...] = (broken, watched)


@pytest.mark.parametrize("wanted", ["*", "count(*)", "count(mobility)", "positions", "COLUMNS('p1.*')"])
def test_a_feature_that_is_not_named_is_not_computed(wanted: str, two_pieces: Path) -> None:
    """One that fails harms nobody who does not ask for it, not even with a star."""
    assert mined(JUNGLE, two_pieces, f"SELECT {wanted} FROM positions WHERE material = 'RvC'", OWN)


def test_only_named_columns_of_wanted_slices_are_computed(three_pieces: Path) -> None:
    """Of a feature's columns only those that are named, and only for slices that the condition leaves."""
    SEEN.clear()
    assert mined(JUNGLE, three_pieces, "SELECT count(*) FROM positions WHERE pieces = 2 AND watched_2", OWN) == [(160_068,)]
    assert {piece for _, piece in SEEN} == {1}
    assert {one.pieces for one, _ in SEEN} == {2}


@pytest.mark.parametrize("wanted", ["count(*), max(distance)", "count(*), sum(mobility)", "count(*), min(p1_square)"])
def test_each_stored_slice_is_decoded_once(wanted: str, two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For one reference to the table, the aliases come from the same codes as what stands for them."""
    read, original = Counter[tuple[str, int, int]](), Table.between

    def between(self: Table, side: int, begin: int, end: int) -> Any:
        read[self.path.stem, side, begin] += 1
        return original(self, side, begin, end)

    monkeypatch.setattr(Table, "between", between)
    assert mined(JUNGLE, two_pieces, f"SELECT {wanted} FROM positions")[0][0] == 160_068
    assert len({(name, side) for name, side, _ in read}) == 17
    assert set(read.values()) == {1}


def test_slices_that_are_not_wanted_are_not_opened(copied: Path) -> None:
    """With nothing but the table of one slice left, that slice can be asked still, and so can a position of it by name."""
    kept = table_path(copied, JUNGLE, locate(JUNGLE, parse_material(JUNGLE, "RvC"), 0).material)
    for path in copied.glob("*/*/*.h5"):
        if path != kept:
            path.unlink()
    for condition in (
        "material = 'RvC'",
        "material LIKE 'R%C'",
        "p1_rank > 0 AND (material = 'RvC')",
        "length(material) < 4 AND material = 'RvC'",
        "p1 || p2 = 'Rc'",
    ):
        assert mined(JUNGLE, copied, f"SELECT count(*) FROM positions WHERE {condition}") == [(49 * 60,)], condition
    named = "SELECT material, p1_square, p2_square FROM positions WHERE position = '7/7/7/7/3c3/7/7/R6/7 w'"
    assert mined(JUNGLE, copied, named) == [("RvC", "a2", "d5")]
