"""Names of slices; slices divided by how far one-way pieces have come: numbers, exits, and the values of undivided ones."""

from dataclasses import replace

import pytest
from support import toys
from support.checks import at_least_one, before_release
from support.naive_codes import agree, noisy, placements_of, same, small_materials
from support.solved import Solved
from twins import naive

from tablebase.building.plan import with_dependencies
from tablebase.errors import NotationError
from tablebase.game import Game, Outcome, Step, load_game
from tablebase.game.moves import Position
from tablebase.positions.conversions import conversions
from tablebase.positions.equivalence import representative
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import dependencies, locate, slices, stored_materials
from tablebase.positions.material import (
    Material,
    material_name,
    material_of,
    materials,
    parse_material,
    parse_materials,
    placements,
)
from tablebase.solvers.registry import solve_material
from tablebase.tables.header import describe_layout

FOX, JUNGLE = load_game("foxhounds"), load_game("doushouqi")
GAMES = HUNT, TWINS, _, _, FOX_4 = toys.with_tiers()
UNDIVIDED = JUNGLE, toys.pond(), toys.sisters()
games = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
AS_IN = "expected the pieces of both sides, as in 'RCvW'"


def compositions(game: Game) -> list[naive.Kinds]:
    """The kinds of each material of two or three pieces, tiers not told apart, and of one of four."""
    return list(dict.fromkeys(material.kinds for material in small_materials(game)))


def tiers_of(game: Game, kinds: naive.Kinds) -> list[Material]:
    """All materials of these kinds."""
    return [material for material in materials(game, len(kinds)) if material.kinds == kinds]


@games
def test_every_placement_lies_in_one_tier(game: Game) -> None:
    """The tiers of a material are in order, each placement names its own, and together they have all placements."""
    for kinds in at_least_one(compositions(game)):
        listed = tiers_of(game, kinds)
        assert [material.advance for material in listed] == sorted({material.advance for material in listed})
        found = {material: placements_of(game, material) for material in listed}
        assert sum(map(len, found.values())) == len(naive.placements(game, kinds))
        for material, some in found.items():
            assert {material_of(game, Position(pieces, 0)) for pieces in some} <= {material}


def test_placements_of_the_chessboard() -> None:
    """All tiers of four hounds and a fox together have C(32, 4) * 28 placements; at the start there is one of the hounds."""
    tiers = parse_materials(FOX, "FvHHHH")
    assert [tier.advance for tier in tiers] == [(advance,) for advance in range(29)]
    assert sum(placements(FOX, tier) for tier in tiers) == 35_960 * 28
    assert [placements(FOX, tier) for tier in (tiers[0], tiers[1], tiers[-1])] == [28, 4 * 4 * 28, 28]


def test_a_tiered_piece_is_never_the_row() -> None:
    """A single hound is the lead, although it has as many squares as the fox; so are pawns of one side to those of the other."""
    lead, row = layout_of(FOX, parse_material(FOX, "FvH@3")).groups
    assert (FOX.kinds[lead.kind].symbol, lead.size, FOX.kinds[row.kind].symbol, row.size) == ("H", 4, "F", 32)
    assert [TWINS.kinds[group.kind].symbol for group in layout_of(TWINS, parse_material(TWINS, "PvP@1,2")).groups] == ["P", "p"]


def test_a_file_tells_its_tier() -> None:
    """What a table says of its index differs between tiers, which have different numbers of placements."""
    (first, second) = (layout_of(FOX_4, parse_material(FOX_4, name)) for name in ("FvHH@2", "FvHH@3"))
    assert first.size != second.size
    assert describe_layout(first) != describe_layout(second)


@pytest.mark.parametrize("game", [*GAMES, *UNDIVIDED], ids=lambda game: game.name)
def test_a_name_says_which_material(game: Game) -> None:
    """Reading a name gives the material back, the letters of a side in any order.

    Without the advance it gives all tiers, and one name if there is one tier.
    """
    for kinds in at_least_one(compositions(game)):
        tiers = tiers_of(game, kinds)
        bare = material_name(game, tiers[0]).partition("@")[0]
        assert list(parse_materials(game, bare)) == tiers
        for material in tiers:
            name = material_name(game, material)
            assert name == bare + "@" * bool(material.advance) + ",".join(map(str, material.advance))
            turned = name.replace(bare, "v".join(side[::-1] for side in bare.split("v")))
            assert parse_material(game, name) == parse_material(game, turned) == material
            assert parse_materials(game, name) == (material,)
        if len(tiers) == 1:
            assert parse_material(game, bare) == tiers[0]


@pytest.mark.parametrize(
    ("game", "text", "sentence"),
    [
        *((JUNGLE, text, f"invalid material '{text}': {AS_IN}") for text in ("", "RC", "RCv", "vW", "RvCvW", "RCVW", "@1")),
        (JUNGLE, "RXvW", "White has no piece 'X': use the letters RCWDPTLE"),
        (JUNGLE, "RCvx", "Black has no piece 'x': use the letters RCWDPTLE"),
        (JUNGLE, "RC vW", "White has no piece ' ': use the letters RCWDPTLE"),
        (JUNGLE, "RRvW", "too many White rat pieces in 'RRvW': expected at most 1"),
        (JUNGLE, "RvCWW", "too many Black wolf pieces in 'RvCWW': expected at most 1"),
        (FOX, "FvHHHH", "'FvHHHH' is divided into 29 slices: choose a slice from FvHHHH@0 to FvHHHH@28"),
        (FOX, "FvHHHH@29", "FvHHHH has no tier '29': choose a tier from 0 to 28"),
        (FOX, "FvHHHH@", "FvHHHH has no tier '': choose a tier from 0 to 28"),
        (FOX, "FvHHHH@²", "FvHHHH has no tier '²': choose a tier from 0 to 28"),
        (FOX, "FvHHHHH@1", "too many Hounds hound pieces in 'FvHHHHH@1': expected at most 4"),
        (JUNGLE, "RCvW@1", "'RCvW@1' has a tier, but RCvW is not divided into tiers: write RCvW"),
        (TWINS, "PPvP@1", "PPvP has no tier '1': choose a tier from 0,0 to 4,2"),
        (TWINS, "PKvPK", "'PKvPK' is divided into 9 slices: choose a slice from PKvPK@0,0 to PKvPK@2,2"),
    ],
)
def test_a_bad_name_is_refused(game: Game, text: str, sentence: str) -> None:
    """One sentence says what is wrong, and which pieces or tiers there are."""
    with pytest.raises(NotationError) as caught:
        parse_material(game, text)
    assert str(caught.value) == sentence
    if "choose a slice from" not in sentence:
        with pytest.raises(NotationError):
            parse_materials(game, text)


def test_a_step_that_only_captures_leads_nowhere_else() -> None:
    """Climbers that go up one rung and take two rungs ahead lead two tiers on only by taking a piece."""
    game = toys.ladder()
    climber = game.kinds[0]
    steps = [Step(s, s + 3) for s in range(9)] + [Step(s, s + 6, quiet=False, victims=frozenset("wx")) for s in range(6)]
    game = replace(game, name="ladder-far", kinds=(replace(climber, steps=tuple(steps)), *game.kinds[1:]))
    found = {(way.victim, material_name(game, way.child)) for way in conversions(game, parse_material(game, "CvWX@0"))}
    assert found == {(None, "CvWX@1"), (1, "CvX@2"), (2, "CvW@2")}


@pytest.mark.parametrize("game", [*GAMES, *UNDIVIDED], ids=lambda game: game.name)
def test_tiers_come_in_order(game: Game) -> None:
    """What a set of tables needs stands before them, a tier before those that lead to it, and nothing else."""
    wanted = list(stored_materials(game, 3))[:40]
    order = with_dependencies(game, wanted)
    assert set(wanted) <= set(order)
    assert len(set(order)) == len(order)
    for place, table in enumerate(order):
        assert set(dependencies(game, table)) <= set(order[:place])
        assert table in wanted or any(table in dependencies(game, later) for later in order[place:])


@games
def test_tiers_are_slices_of_their_own(game: Game) -> None:
    """Each tier has a slice with either side to move, stored in the table of a tier of the same advance."""
    found = slices(game, 3)
    assert len(found) == 2 * len(materials(game, 3))
    for one in found:
        assert one.location.material.advance == one.material.advance
        assert one.location.side == one.side
        assert representative(game, one.location.material) == one.location.material


def test_a_tiered_kind_is_not_its_untiered_twin() -> None:
    """Two kinds that move alike, the first of them tiered, do not stand for each other, for one table is divided and one not."""
    game = toys.sisters()
    up = tuple(step for step in game.kinds[0].steps if step.target > step.origin)
    kinds = tuple(replace(kind, steps=up, tiered=kind.symbol == "A") if kind.side == 0 else kind for kind in game.kinds)
    game = replace(game, name="sisters-tiered", kinds=kinds)
    alone = parse_material(game, "BvC")
    assert locate(game, alone, 0).material == alone
    assert locate(game, parse_material(game, "AvC@1"), 0).material == parse_material(game, "AvC@1")


@pytest.mark.parametrize(
    ("game", "undivided"),
    [
        (HUNT, toys.hunt()),
        (FOX_4, FOX_4),
        *before_release((TWINS, toys.twins()), (toys.ladder(), toys.ladder())),
    ],
    ids=lambda game: game.name,
)
def test_tiers_hold_the_values_of_undivided_slices(solved: Solved, game: Game, undivided: Game) -> None:
    """Every position, whichever side is to move, has the value that the naive solution finds, which knows no tiers."""
    for kinds in at_least_one(compositions(game)):
        for position, (outcome, distance) in naive.solve(undivided, kinds).items():
            assert solved(game, "groups").value(position) == (Outcome(outcome), distance), position
        for material in tiers_of(game, kinds):
            one = locate(game, material, 0).material
            assert agree(solved(game), solved(game, "groups"), one), one


@pytest.mark.parametrize(
    ("game", "engine"),
    [*((game, "groups") for game in GAMES), *before_release(*((game, "reference") for game in GAMES))],
    ids=lambda one: one if isinstance(one, str) else one.name,
)
def test_what_void_cells_of_children_hold_does_not_matter(solved: Solved, game: Game, engine: str) -> None:
    """Files hold a neighbour's code where there is no position; with any code at all there, tables come out the same."""
    load = noisy(solved(game).load)
    for kinds in at_least_one(compositions(game)):
        for material in tiers_of(game, kinds):
            codes, coding, _ = solve_material(game, material, load, engine)
            expected = solved(game).table(material)
            assert coding == expected[1]
            assert same(codes, expected[0])
