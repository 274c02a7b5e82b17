"""Games without chance: every position of small ones against brute force, known numbers, their checks, and what is refused."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from support.checks import thinned
from twins import graphs, kalah, morris, noughts
from twins.graphs import DRAW, Graph

from tablebase.errors import NotationError, RulesError
from tablebase.game.installed import load_rules
from tablebase.game.rules import OVER, legal
from tablebase.testing import check_rules

TWINS: dict[str, Callable[[], Graph]] = {
    **{f"noughts-m={m}-n={n}-k={k}": lambda m=m, n=n, k=k: noughts.graph(m, n, k) for m, n, k in ((3, 3, 3), (2, 4, 3), (3, 3, 2))},
    **{f"morris-steps={steps}": lambda steps=steps: morris.graph(steps, "open") for steps in ("lines", "orthogonal", "any")},
    **{
        f"morris-steps={steps}-centre=closed": lambda steps=steps: morris.graph(steps, "closed")
        for steps in ("lines", "orthogonal")
    },
}
SHAPES = [(1, seeds) for seeds in range(1, 7)] + [(2, seeds) for seeds in range(1, 7)] + [(3, 1), (3, 2), (4, 1)]
LARGE_SHAPES = [(3, 3), (5, 1)]
LARGE = {"noughts-m=4-n=3-k=3": lambda: noughts.graph(4, 3, 3)}


def of_kalah(pits: int, seeds: int, capture: str = "always") -> tuple[str, Callable[[], Graph]]:
    return f"kalah-pits={pits}-seeds={seeds}-capture={capture}", lambda: kalah.graph(pits, seeds, capture)


TWINS |= dict(of_kalah(*shape) for shape in SHAPES) | dict(of_kalah(*shape, "seeds") for shape in ((2, 2), (2, 4), (3, 2)))
LARGE |= dict(of_kalah(*shape) for shape in LARGE_SHAPES) | dict([of_kalah(3, 3, "seeds")])
EVERY = [
    *TWINS,
    *(pytest.param(name, marks=pytest.mark.full if name.startswith("kalah") else pytest.mark.release) for name in LARGE),
]


@cache
def graph_of(name: str) -> Graph:
    return (TWINS | LARGE)[name]()


@cache
def values_of(name: str) -> dict[str, tuple[int, int | None]]:
    return graphs.values(graph_of(name))


def start_of(name: str) -> tuple[int, int | None]:
    return values_of(name)[next(iter(graph_of(name)))]


@pytest.mark.parametrize("name", thinned(EVERY, 2))
def test_every_position_is_that_of_the_twin(name: str) -> None:
    """Who moves, what each move leads to, how it ends, and its text; so no other position can be reached either."""
    rules: Any = load_rules(name)
    graph = graph_of(name)
    assert rules.format(rules.initial) == next(iter(graph))
    for text, place in graph.items():
        position = rules.parse(text)
        assert rules.format(position) == text
        assert rules.to_move(position) == (OVER if place.mover is None else place.mover)
        assert {move: rules.format(after) for move, after in legal(rules, position).items()} == place.moves
        ending = rules.result(position)
        assert (None if ending is None else ending.winner) == (None if place.winner == DRAW else place.winner)
        assert (ending is None) == (place.mover is not None)


@pytest.mark.parametrize(
    "name", ["noughts-m=3-n=3-k=3", "noughts-m=2-n=4-k=3", "morris-steps=lines", "morris-steps=orthogonal-centre=closed"]
)
def test_positions_that_look_alike_are_one(name: str) -> None:
    """All images have the same representative, which is one of them; they have the same value, and moves to the same positions."""
    rules: Any = load_rules(name)
    graph, values = graph_of(name), values_of(name)
    seen: set[str] = set()
    orbits = 0
    for text in graph:
        if text in seen:
            continue
        board, *mover = text.split()
        images = {" ".join([image, *mover]) for image in noughts.images(board)}
        [representative] = {rules.canonical(rules.parse(image)) for image in images}
        assert representative in images <= graph.keys()
        assert {values[image] for image in images} == {values[text]}
        after = [{rules.canonical(after) for after in graph[image].moves.values()} for image in images]
        assert all(one == after[0] for one in after)
        seen |= images
        orbits += 1
    assert seen == graph.keys()
    assert orbits == len({rules.canonical(text) for text in graph})


def counts(name: str) -> tuple[int, int, int]:
    rules: Any = load_rules(name)
    graph = graph_of(name)
    return len(graph), len({rules.canonical(rules.parse(text)) for text in graph}), sum(not place.moves for place in graph.values())


def test_noughts_and_crosses_as_known() -> None:
    """765 positions up to symmetry and 255,168 games are found everywhere; so are the games by their winner."""
    name = "noughts-m=3-n=3-k=3"
    assert counts(name) == (5478, 765, 958)
    assert graphs.games(graph_of(name), ".../.../...") == {0: 131_184, 1: 77_904, DRAW: 46_080}
    assert start_of(name) == (DRAW, None)
    assert start_of("noughts-m=3-n=3-k=2") == (0, 3)


@pytest.mark.release
def test_a_file_more_wins() -> None:
    assert counts("noughts-m=4-n=3-k=3") == (111_973, 28_275, 32_410)
    assert start_of("noughts-m=4-n=3-k=3") == (0, 7)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("morris-steps=lines", (0, 9)),
        ("morris-steps=orthogonal", (0, 9)),
        ("morris-steps=any", (DRAW, None)),
        ("morris-steps=lines-centre=closed", (DRAW, None)),
        ("morris-steps=orthogonal-centre=closed", (DRAW, None)),
    ],
)
def test_who_wins_three_mens_morris(name: str, value: tuple[int, int | None]) -> None:
    """The first player if he may begin on the centre and men move to the next point, otherwise nobody."""
    assert start_of(name) == value
    closed = name.endswith("closed")
    assert counts(name) == ((5381, 741, 416) if closed else (5390, 744, 416))


TABLE = {1: "DLWLWD", 2: "WLLLWW", 3: "DWW", 4: "W", 5: "D"}
"""Table 10 of Irving, Donkers and Uiterwijk: results for the first player, by pits and, from 1, seeds in each."""


@pytest.mark.parametrize("shape", [*SHAPES, *(pytest.param(shape, marks=pytest.mark.full) for shape in LARGE_SHAPES)])
def test_kalah_as_published(shape: tuple[int, int]) -> None:
    name, _ = of_kalah(*shape)
    winner, _ = start_of(name)
    assert {0: "W", 1: "L", DRAW: "D"}[winner] == TABLE[shape[0]][shape[1] - 1]


PERFECT = {
    (4, 1): (2, "32-32-1"),
    (4, 5): (2, "0-2-1-3-0-2-1-0-32-3-021-2-0-02-2-1-3-3-313032-13031-1-2-2-3"),
    (5, 4): (12, "12-04-03-2-20-41-1-42-32-3-2-40-0-1"),
    (6, 4): (10, "25-10-3-3-5153-1-4-5-045-4-535452-53-4-1-3-2-0-54-1-3"),
    (6, 5): (12, "12-02-05-2-4-51-53-3-45-20-3-2-2-345-5-4-351-0-54-1-52-354-4-254-3-3"),
}
"""Games of their Table 9 with the lead of the first player at the end: pits from 0, and a dash where the other player moves."""


@pytest.mark.parametrize("shape", PERFECT)
def test_published_games_of_kalah(shape: tuple[int, int]) -> None:
    """They can be played, the players take turns as printed, and the game is over with the printed lead."""
    rules: Any = load_rules(f"kalah-pits={shape[0]}-seeds={shape[1]}")
    lead, line = PERFECT[shape]
    position = rules.initial
    for turn, pits in enumerate(line.split("-")):
        for pit in pits:
            assert rules.to_move(position) == turn % 2
            position = legal(rules, position)[str(int(pit) + 1)]
    south, north = rules.rows(position)
    assert (rules.to_move(position), south[-1] - north[-1]) == (OVER, lead)


def test_moves_of_kalah_in_words() -> None:
    rules: Any = load_rules("kalah")
    said = {
        ("3,3,3,0 3,3,3,0 s", "1"): "sows 3 from pit 1, and moves again",
        ("3,3,3,0 3,3,3,0 s", "3"): "sows 3 from pit 3",
        ("1,0,3,2 4,3,3,2 s", "1"): "sows 1 from pit 1, captures 4",
        ("1,0,3,5 4,0,3,2 s", "1"): "sows 1 from pit 1, captures 1",
        ("0,0,1,9 3,2,0,3 s", "3"): "sows 1 from pit 3, which ends the game",
    }
    assert {(text, move): rules.move_text(rules.parse(text), move) for text, move in said} == said
    kept: Any = load_rules("kalah-capture=seeds")
    assert kept.move_text(kept.parse("1,0,3,5 4,0,3,2 s"), "1") == "sows 1 from pit 1"
    swept = legal(rules, rules.parse("0,0,1,9 3,2,0,3 s"))["3"]
    assert rules.format(swept) == "0,0,0,10 0,0,0,8 -"
    assert rules.result(swept).said == "South has 10 seeds and North 8"


def test_a_lap_of_kalah_sows_the_pit_it_began_with() -> None:
    """Seven seeds of three pits a side come back to the pit that was emptied, and capture there."""
    rules: Any = load_rules("kalah")
    assert rules.format(legal(rules, rules.parse("7,1,1,0 3,3,3,0 s"))["1"]) == "0,2,2,6 4,4,0,0 n"


def test_ends_in_words() -> None:
    for name, text, said in (
        ("noughts", "xxx/oo./...", "Crosses have 3 in a row"),
        ("noughts", "xox/xoo/oxx", "the board is full"),
        ("morris", "xx./ooo/x.. x", "Noughts have three in a row"),
    ):
        rules: Any = load_rules(name)
        assert rules.result(rules.parse(text)).said == said


WRONG = {
    "noughts": [
        "",
        ".../...",
        "..../.../...",
        ".../.../..X",
        "x../.../..x",
        "o../.../...",
        "xxx/ooo/...",
        "xxx/oo./o..",
    ],
    "morris": [
        "",
        ".../.../...",
        ".../.../... o",
        "xxx/x../ooo o",
        "xxo/oo./x.. x o",
        "xxx/oo./... x",
        "oo./xx./x.. x",
        "x../.../... x",
    ],
    "kalah": [
        "",
        "3,3,3,0 3,3,3,0",
        "3,3,3,0 3,3,3,1 s",
        "3,3,3 3,3,3 s",
        "3,3,3,0,0 3,3,3,0 s",
        "3,3,3,0 3,3,3,0 -",
        "0,0,0,9 3,3,3,0 n",
        "0,0,0,9 0,0,0,9 s",
        "-3,9,3,0 3,3,3,0 s",
        "٣,3,3,0 3,3,3,0 s",
    ],
    "awari": ["2,2,2,0 2,2,1,0 s"],
    "connect4": ["", "...../...../.....", "x..../...../...../.....", "...../...../...../o....", "...../...../...../xxx.."],
    "mens_morris": [
        "",
        "......../........ w",
        "......../......../........ w 12",
        "ww....../........ w 12",
        "......../........ b 12",
        "w......./........ w 11",
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_texts_that_are_no_positions(name: str, text: str) -> None:
    with pytest.raises(NotationError):
        load_rules(name).parse(text)


@pytest.mark.parametrize(
    "name",
    [
        *("noughts-m=0", "noughts-k=10", "morris-steps=far", "morris-centre=no", "kalah-pits=0", "kalah-seeds=10"),
        *("kalah-capture=no", "mens_morris-men=2", "pig-die=1", "pig-target=0", "pig-target=1001", "pig-players=7"),
    ],
)
def test_options_out_of_range(name: str) -> None:
    option, _, value = name.partition("-")[2].partition("=")
    with pytest.raises(RulesError, match=f"^(?:the option )?{option} of .* must be .*{value}"):
        load_rules(name)


OTHERS = ["noughts-m=5-n=4-k=2", "noughts-m=2-n=5-k=5", "kalah", "kalah-pits=3-seeds=5", "kalah-pits=5-seeds=2"]
COMPILED = ["awari", "connect4-7x6", "mens_morris"]


@pytest.mark.parametrize("name", [*thinned([name for name in TWINS if not name.startswith("kalah-pits=1")], 3), *OTHERS, *COMPILED])
def test_they_pass_their_checks(name: str) -> None:
    """Positions come back from their texts, their representatives play alike, and no other text is a position."""
    assert [result for result in check_rules(load_rules(name), samples=100) if result.failure] == []


@pytest.mark.parametrize("name", ["noughts", "noughts-m=5-n=2", "morris", "morris-steps=any"])
def test_pictures(name: str) -> None:
    rules: Any = load_rules(name)
    drawn = [rules.svg(position) for position in (rules.initial, *legal(rules, rules.initial).values())]
    assert len(set(drawn)) == len(drawn)
    assert all(picture.startswith("<svg ") and "width=" in picture and "height=" in picture for picture in drawn)
    assert load_rules("awari").svg(load_rules("awari").initial) is None
