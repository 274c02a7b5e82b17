"""A piece that no enemy can come to any more has won: the rules, what they may not say, and tables of games that have them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import toys
from support.solved import Solved
from twins import naive

from tablebase.errors import RulesError
from tablebase.game import Board, Escape, Game, Kind, Outcome, Step, load_game
from tablebase.game.moves import Position, decided, has_escaped, legal_moves
from tablebase.game.notation import render
from tablebase.positions.location import locate
from tablebase.positions.material import parse_material

LADDERS = [toys.ladder(away) for away in ("b", "w", "wb")]
HERDS = [toys.herd(sort) for sort in ("open", "reach", "white", "black")]
FOXES = [load_game(name) for name in ("foxhounds-4x4", "foxhounds")]
READINGS = [load_game(name) for name in ("hasenspiel", "hasenspiel-early=article", "hasenspiel-6x7-early=none")]
ALL = [*LADDERS, *HERDS, *FOXES, *READINGS]

some_position = st.sampled_from(ALL).flatmap(lambda game: toys.positions(game).map(lambda position: (game, position)))


@given(some_position)
def test_who_has_escaped_is_as_the_naive_twin_says(pair: tuple[Game, Position]) -> None:
    """With either side to move; then there are no legal moves, and the runner's side has won unless nobody could move anyway."""
    game, position = pair
    steps = naive.moves(game, position)
    away = naive.escaped(game, position)
    assert has_escaped(game, position) == away
    assert legal_moves(game, position) == ([] if away else sorted(steps, key=lambda move: (move.kind, move.origin)))
    outcome = decided(game, position)
    if not steps:
        assert outcome is game.no_move
    elif away:
        assert game.escape is not None
        owner = next(kind.side for kind in game.kinds if kind.symbol == game.escape.runner)
        assert outcome is (Outcome.WIN if owner == position.side else Outcome.LOSS)
    else:
        assert outcome is None


def tiny(escape: Escape | None, **changes: Any) -> Game:
    """A game on 3 x 1 with a runner A and two kinds that pursue it, one of which stands on the ends only."""
    kinds = (
        Kind("A", "runner", 0, (0, 1, 2), (Step(0, 1), Step(1, 0))),
        Kind("b", "pursuer", 1, (0, 1, 2), (Step(1, 2),), limit=2),
        Kind("c", "guard", 1, (0, 2), ()),
    )
    fields = {"board": Board.full(3, 1), "kinds": kinds, "start": "A1b w", "max_pieces": 3, "escape": escape}
    return toys.small(**fields | changes)


def zones(*zone: set[int], squares: tuple[int, ...] = (0, 1, 2)) -> dict[int, frozenset[int]]:
    return dict(zip(squares, map(frozenset, zone), strict=True))


SOME = zones({0, 1}, {1, 2}, {2})
EVEN = zones({0, 1}, {1}, {1, 2})
LINE = (Step(0, 1), Step(1, 0))
COLOURS = {
    "kinds": (Kind("A", "runner", 0, (0, 1, 2), LINE), Kind("a", "runner", 1, (0, 1, 2), LINE)),
    "swap": (0, 1, 2),
}
ERRORS: dict[str, tuple[Escape, dict[str, Any], str]] = {
    "nobody": (Escape("z", {}), {}, "a kind with a limit of one piece, not 'z'"),
    "several": (Escape("b", {}), {}, "a kind with a limit of one piece, not 'b'"),
    "its friend": (Escape("A", {"A": SOME}), {}, "the key 'A' of guarded must be an enemy of runner"),
    "no kind": (Escape("A", {"b": SOME, "z": SOME}), {}, "the key 'z' of guarded"),
    "a square forgotten": (Escape("A", {"b": zones({0}, {1}, squares=(0, 1))}), {}, "the key 'b' of guarded"),
    "a square too many": (Escape("A", {"c": SOME}), {}, "the key 'c' of guarded"),
    "off the board": (Escape("A", {"b": zones({0}, {3}, {2})}), {}, "that pursuer guards must be on the board"),
    "a crooked mirror": (Escape("A", {"b": SOME}), {"mirror": (2, 1, 0)}, "the mirror changes the squares that pursuer guards"),
    "nobody to move": (Escape("A", {"b": SOME}, to_move=frozenset()), {}, "must contain side 0, side 1 or both"),
    "a third side": (Escape("A", {"b": SOME}, to_move=frozenset({0, 2})), {}, "must contain side 0, side 1 or both"),
    "colour swap": (Escape("A", {"a": SOME}), COLOURS, "a game with colour swap cannot have an escape"),
}


@pytest.mark.parametrize(("escape", "changes", "error"), ERRORS.values(), ids=ERRORS)
def test_a_contradictory_escape_is_refused(escape: Escape, changes: dict[str, Any], error: str) -> None:
    """Each fault raises RulesError with a sentence that names the game and the fault."""
    with pytest.raises(RulesError, match=f"^tiny: .*{error}"):
        tiny(escape, **changes)


def test_a_right_escape_is_accepted() -> None:
    """Zones may be empty, enemies may guard nothing, and a mirror may map them onto themselves."""
    assert tiny(None, **COLOURS).escape is None
    assert tiny(Escape("A", {})).escape is not None
    assert tiny(Escape("A", {"b": zones(set(), set(), set()), "c": zones({0}, {2}, squares=(0, 2))})).escape is not None
    assert tiny(Escape("A", {"b": EVEN}), mirror=(2, 1, 0)).escape is not None


def test_every_part_of_an_escape_changes_the_digest() -> None:
    """Games that differ in the escape alone have different digests; only the order of what is guarded does not matter."""
    runner = Escape("A", {"b": SOME, "c": zones({0}, {2}, squares=(0, 2))})
    others = [
        None,
        replace(runner, runner="c", guarded={}),
        replace(runner, guarded={}),
        replace(runner, guarded={"b": SOME}),
        replace(runner, guarded={"b": EVEN, "c": runner.guarded["c"]}),
        replace(runner, room=True),
        replace(runner, to_move=frozenset({0})),
        replace(runner, to_move=frozenset({1})),
    ]
    assert len({tiny(one).digest for one in (runner, *others)}) == 1 + len(others)
    again = {symbol: dict(reversed(runner.guarded[symbol].items())) for symbol in "cb"}
    assert tiny(replace(runner, guarded=again)).digest == tiny(runner).digest


@pytest.mark.parametrize(
    ("escape", "alike"),
    [
        (None, True),
        # A and B guard the same squares from the same ones.
        (Escape("c", {symbol: dict.fromkeys(range(6), frozenset({0, 1, 2})) for symbol in "AB"}), True),
        (Escape("c", {"A": dict.fromkeys(range(6), frozenset({0, 1, 2}))}), False),
        # Only B can escape.
        (Escape("B", {"c": dict.fromkeys(range(6), frozenset({0, 1, 2}))}), False),
    ],
    ids=["none", "guard alike", "guard otherwise", "runs alone"],
)
def test_who_guards_or_runs_otherwise_is_no_alias(solved: Solved, escape: Escape | None, alike: bool) -> None:
    """A and B move and take alike; they have one table only if an escape sees no difference, and values are right anyhow."""
    game = replace(toys.sisters(), name="sisters-escape", escape=escape)
    names = ("AvC", "BvC")
    locations = [locate(game, parse_material(game, name), 0).material for name in names]
    assert (locations[0] == locations[1]) == alike
    for name in names:
        for position, pair in naive.solve(game, parse_material(game, name).kinds).items():
            assert solved(game).value(position) == (Outcome(pair[0]), pair[1]), render(game, position)


def test_the_tests_above_meet_what_they_are_about() -> None:
    """Among the positions of the ladder there are escapes of either side to move, and some in which the runner is stuck."""
    game = toys.ladder("wb")
    away = [p for p in naive.solve(game, parse_material(game, "CCvW@0").kinds) if naive.escaped(game, p)]
    assert {position.side for position in away} == {0, 1}
    stuck = [position for position in away if not naive.moves(game, position)]
    assert stuck
    assert {naive.value(game, position) for position in stuck} == {("draw", None)}
