"""Plans of builds: sizes as they are written, the tables of a plan, and what is said about them."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from support import toys
from twins import naive

from tablebase.building.estimate import SpeedModel, memory
from tablebase.building.options import BuildOptions
from tablebase.building.plan import plan, start_material
from tablebase.building.slice_kind import SliceTables
from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.plain_arguments import parse_size
from tablebase.positions.equivalence import representative, swapped_material
from tablebase.positions.location import stored_materials
from tablebase.positions.material import Material, make_material, material_name, parse_material
from tablebase.system.executors.executor import Limits
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("10B", 10),
        ("1K", 1024),
        ("512M", 536_870_912),
        ("512MiB", 536_870_912),
        ("8 G", 8_589_934_592),
        (" 8g\n", 8_589_934_592),
        ("2T", 2_199_023_255_552),
        ("1.5K", 1536),
        ("0.25G", 268_435_456),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "8X", "8GG", "-1", "+1", "1,000", "1e9", "0x10", ".5G", "5.G", "nan", "8G free"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(TablebaseError, match=f"^invalid size {re.escape(repr(text))}: .*8G"):
        parse_size(text)


def after_captures(game: Game, table: Material) -> set[Material]:
    """What is left after each capture that the naive move generator finds in any position with the pieces side by side."""
    found = set()
    for pieces in naive.placements(game, table.kinds):
        for side in (0, 1):
            for move in naive.moves(game, Position(pieces, side)):
                rest = list(table.kinds)
                if move.captured is not None and not move.wins:
                    rest.remove(move.captured)
                    found.add(tuple(rest))
    return {make_material(game, rest) for rest in found if {game.kinds[kind].side for kind in rest} == {0, 1}}


def homes(game: Game, material: Material) -> set[Material]:
    twins = [material] if game.swap is None else [material, swapped_material(game, material)]
    return {representative(game, twin) for twin in twins}


@pytest.mark.parametrize(
    ("game", "pieces", "wanted"),
    [
        pytest.param(toys.pond(), 3, [], id="pond"),
        pytest.param(toys.pond(), None, ["RTLvT", "RvRT"], id="pond-materials"),
        pytest.param(toys.pond(), 2, ["TLvRT"], id="pond-both"),
        pytest.param(toys.hunt(), None, ["HHHvFC"], id="hunt"),
        pytest.param(toys.twins(), None, ["PPvPK"], id="twins"),
    ],
)
def test_a_plan_is_closed(game: Game, pieces: int | None, wanted: list[str]) -> None:
    planned = plan(game, pieces, [parse_material(game, name) for name in wanted])
    assert len(set(planned)) == len(planned) > 0
    for place, table in enumerate(planned):
        for child in after_captures(game, table):
            assert homes(game, child) & set(planned[:place]), (material_name(game, table), material_name(game, child))
    for name in wanted:
        assert homes(game, parse_material(game, name)) & set(planned)


def test_a_plan_by_pieces_has_all_tables() -> None:
    """All two-piece tables, then all of three pieces; asking for one of them besides adds nothing."""
    planned = plan(GAME, 3, [])
    assert planned == (*sorted(stored_materials(GAME, 2)), *sorted(stored_materials(GAME, 3)))
    assert [table.pieces for table in planned] == [2] * 10 + [3] * 42
    assert plan(GAME, 3, [parse_material(GAME, "RCvW")]) == planned
    alone = parse_material(GAME, "TvL")
    assert plan(GAME, None, [alone]) == (alone,)


@pytest.mark.parametrize(
    ("pieces", "wanted", "name", "size"),
    [
        (8, [], "RCWDPTLvR", 34 * 49**6 * 61),
        (16, [], "RCWDPTLEvRCWDPTLE", 34 * 49**14 * 61),
        (None, ["RCWDPTLEvRCWDPTLE"], "RCWDPTLEvRCWDPTLE", 34 * 49**14 * 61),
    ],
    ids=["eight pieces", "sixteen pieces", "all pieces"],
)
def test_what_could_never_be_solved(pieces: int | None, wanted: list[str], name: str, size: int) -> None:
    """Refused with the number of indices: 34 of the leading rat up to mirror image, 61 of the other, 49 of each other piece."""
    with pytest.raises(CapacityError, match=f"^{name} needs {size:,} indices, but only 1,099,511,627,776") as caught:
        plan(GAME, pieces, [parse_material(GAME, one) for one in wanted])
    assert (caught.value.needed, caught.value.allowed, caught.value.exit_code) == (size, 1 << 40, 3)


def sharing(game: Game, planned: Sequence[Material], limits: Limits) -> str:
    kind = SliceTables(game)
    jobs = kind.jobs_of(planned, Path("nowhere"))
    return kind.sharing(jobs, SpeedModel(game, limits=limits), BuildOptions(Path("nowhere"), limits))


def test_how_workers_divide_the_work_is_said() -> None:
    planned = plan(GAME, None, [parse_material(GAME, "RWvCE")])
    *_, second, largest = sorted(memory(GAME, material) for material in planned)
    describe = partial(sharing, GAME, planned)
    assert describe(Limits(2)) == describe(Limits(2, 2 * largest)) == "tables at a time: up to 2"
    assert second < largest
    said = describe(Limits(3, 2 * largest - 1))
    assert said.startswith("tables at a time: up to 3; tables solved alone, with 3 threads: 1 (")
    assert f"{2 * largest - 1:,} bytes" in said
    tiers = load_game("foxhounds-6x6")
    said = sharing(tiers, plan(tiers, None, [start_material(tiers)]), Limits(2, 1 << 40))
    assert said.startswith("tables at a time: 1, with 2 threads (")
