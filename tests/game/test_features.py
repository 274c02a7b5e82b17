"""Features: how they are described, loaded and named, and the general ones against the naive moves."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import toys
from support.program import Ask
from support.queries import columns_of, mined
from twins import naive

from tablebase.errors import TablebaseError
from tablebase.game import Game, load_game
from tablebase.game.features import Feature, Values, feature, load_features
from tablebase.game.moves import Position
from tablebase.positions.common_features import GENERAL, capturable, captures, mobility
from tablebase.positions.material import material_of
from tablebase.positions.position_arrays import Positions
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
GAMES = [
    toys.pond(),
    toys.hunt(),
    toys.twins(),
    toys.sisters(),
    toys.skaters(3, 4),
    toys.ladder("wb"),
    *(toys.herd(sort) for sort in ("open", "reach", "white", "black")),
    JUNGLE,
    *map(load_game, ("hexapawn", "foxhounds-4x4", "foxhounds", "hasenspiel")),
]


def alone(position: Position, game: Game) -> Positions:
    squares = np.array([[square for _, square in position.pieces]], dtype=np.int8)
    return Positions(game, material_of(game, position), position.side, squares)


@feature(pieces=1, kind="bool")
def first_rank(positions: Positions, piece: int) -> Values:
    """Whether the piece stands on the first rank.

    Nothing of this is shown.
    """
    return positions.squares[:, piece] < positions.game.board.width


@feature(pieces=2, words=("lower", "higher"))
def stands(positions: Positions, one: int, other: int) -> Values:
    """Which of two pieces has the greater square."""
    return np.where(positions.squares[:, one] < positions.squares[:, other], 0, 1)


def test_a_feature_is_described_by_its_function() -> None:
    """Name and first line of the docstring are taken; words make a text of it."""
    assert (first_rank.name, first_rank.pieces, first_rank.kind, first_rank.words) == ("first_rank", 1, "bool", ())
    assert first_rank.about == "Whether the piece stands on the first rank."
    assert (stands.kind, stands.words) == ("text", ("lower", "higher"))


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (mobility, [("mobility", ())]),
        (first_rank, [("first_rank_1", (0,)), ("first_rank_2", (1,)), ("first_rank_3", (2,))]),
        (stands, [("stands_1_2", (0, 1)), ("stands_1_3", (0, 2)), ("stands_2_3", (1, 2))]),
    ],
    ids=lambda value: value.name if isinstance(value, Feature) else "",
)
def test_names_of_columns(one: Feature, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    """A feature of the position has one column, of a piece one for each, of a pair one for each in order."""
    assert list(one.columns(3)) == expected


def test_a_game_with_features_can_be_pickled() -> None:
    """The whole game too, and its digest does not depend on features."""
    again = pickle.loads(pickle.dumps(JUNGLE))
    assert again == JUNGLE
    assert again.features == JUNGLE.features


@pytest.mark.parametrize(("pieces", "kind"), [(-1, "int"), (3, "int"), (0, "text"), (1, "date"), (2, "")])
def test_wrong_descriptions_are_refused(pieces: int, kind: str) -> None:
    """Only 0, 1 or 2 pieces, and only kinds that there are; a text is told by its words."""
    with pytest.raises(TablebaseError, match="bool, int or float"):
        feature(pieces=pieces, kind=kind)


TEXT = '''
from tablebase_rules.doushouqi_features import even, distance
from tablebase.features import feature

@feature(pieces=1, kind="bool")
def first_rank(positions, piece):
    """Whether the piece stands on the first rank."""
    return positions.squares[:, piece] < positions.game.board.width

@feature()
def mobility(positions):
    """Always seven."""
    return 7

def helper():
    """No feature."""
'''


def test_a_file_gives_its_features_in_order(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TEXT)
    found = load_features(file)
    assert [one.name for one in found] == ["even", "distance", "first_rank", "mobility"]
    assert found[:2] == tuple(one for name in ("even", "distance") for one in JUNGLE.features if one.name == name)


def test_features_are_listed(ask: Ask, tmp_path: Path, two_pieces: Path) -> None:
    """General ones, the game's and a user's, the first column of each as SQL knows it."""
    listed = ask("features", "doushouqi", "--format", "json").json
    assert [line["feature"] for line in listed] == [one.name for one in (*GENERAL, *JUNGLE.features)]
    assert {line["of"] for line in listed} == {"position", "each piece", "each pair"}
    by_name = {line["feature"]: line for line in listed}
    assert (by_name["relation"]["type"], by_name["relation"]["column"]) == ("weaker equal stronger", "relation_1_2")
    assert by_name["mobility"]["tells"] == mobility.about
    assert {line["column"] for line in listed} <= set(columns_of(JUNGLE, two_pieces))
    file = tmp_path / "mine.py"
    file.write_text(TEXT)
    more = ask("features", "doushouqi", "--features", file, "--format", "json").json
    assert [line["feature"] for line in more][-1] == "first_rank"
    assert ask("features", "hasenspiel", "--size", "6x6", "--format", "json").json == listed[: len(GENERAL)]


@given(st.sampled_from(GAMES).flatmap(lambda game: st.tuples(st.just(game), toys.positions(game))))
def test_general_features_are_as_the_naive_moves_have_it(pair: tuple[Game, Position]) -> None:
    """Moves, captures and what can be captured, in games of all sorts; where a piece has escaped there are none."""
    game, position = pair
    steps = [] if naive.escaped(game, position) else naive.moves(game, position)
    taken = [move for move in steps if move.captured is not None]
    one = alone(position, game)
    assert mobility.values(one, ()).tolist() == [len(steps)]
    assert captures.values(one, ()).tolist() == [len(taken)]
    for place, (_, square) in enumerate(position.pieces):
        assert capturable.values(one, (place,)).tolist() == [any(move.target == square for move in taken)]


def test_features_of_animals_by_hand(two_pieces: Path) -> None:
    """Distances, strengths, dens, water, regions and ranks of positions that were looked at one by one."""
    wanted = "distance_1_2, even_1_2, relation_1_2, to_den_1, to_den_2, first, swims_1, region_1, region_2, passing_1_2"

    def told(material: str, one: str, other: str) -> tuple[object, ...]:
        where = f"material = '{material}' AND p1_square = '{one}' AND p2_square = '{other}'"
        (row,) = mined(JUNGLE, two_pieces, f"SELECT {wanted} FROM positions WHERE {where}")
        return row

    # The rat has six steps to d9, the elephant eight down and three across; each of them takes the other.
    assert told("RvE", "d3", "a9") == (9, False, "equal", 6, 11, "mover", False, "home", "home", "ahead")
    # In the water on b4; the cat on d2 stands in a trap next to White's den.
    assert told("RvC", "b4", "d2") == (4, True, "weaker", 7, 1, "other", True, "river", "trap", "behind")
    # A lion on b3 jumps to b7: one step, two across and two up.
    assert told("LvT", "b3", "b8")[3:5] == (5, 6)
    # Both cats are a step away from the den of the other: who moves is first.
    assert told("CvC", "c9", "c1") == (8, True, "equal", 1, 1, "mover", False, "trap", "trap", "behind")
    # Cat and rat on one rank, each a step away from a den that is his own.
    assert told("CvC", "c9", "e9") == (2, True, "equal", 1, 9, "mover", False, "trap", "home", "beside")
