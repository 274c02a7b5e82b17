"""The gadgets of the proof that Dou Shou Qi is PSPACE-hard, on boards of our own: each lemma's sentence, by tables.

White getting through is a win, and not getting through is a draw. White's tigers come from islands, over one square of water
that stands for a gadget protector, and both sides have a wolf elsewhere with which they may wait.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from support.checks import thinned
from support.games import placed

import tablebase
from tablebase.game import Game, load_game
from tablebase.positions.material import material_name, material_of
from tablebase_rules._jungle_boards import board_names

Outcome = Callable[..., str]
ROOT = Path(__file__).parents[2]
WAITING = {
    "and": "Wh6 wh4",
    "or": "Wh6 wh4",
    "or_twice": "Wj9 wj7",
    "outflow": "Wj5 wj3",
    "outflow_twice": "Wl8 wl6",
    "fanout": "Wg6 wg4",
    "fanout_both": "Wj10 wj8",
    "choice": "Wg6 wg4",
    "choice_both": "Wj9 wj7",
    "variable": "We4 we2",
    "variable_held": "Wg7 wg5",
    "black_edge": "Wg6 wg4",
    "black_edge_back": "Wg8 wg6",
    "den": "Wg7 wg5",
    "white_edge": "Wg7 wg5",
    "white_edge_sides": "Wg7 wg5",
}
"""Where the wolves wait on each board."""
THROUGH, HELD = "win", "draw"


def board_of(name: str) -> Game:
    return load_game(f"doushouqi-board={name}")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    """Outcomes for White, from tables of all pieces of a board that are built when they are first asked for."""
    with ExitStack() as stack:

        @cache
        def tables_of(board: str) -> tablebase.Tablebase:
            game, folder = board_of(board), tmp_path_factory.mktemp(board)
            tablebase.build(game, material=material_name(game, material_of(game, game.initial)), data=folder)
            return stack.enter_context(tablebase.open(folder))

        def of(board: str, pieces: str, side: str = "w") -> str:
            game = board_of(board)
            found = tables_of(board).probe_value(game, placed(game, f"{pieces} {WAITING.get(board, '')}", "wb".index(side))).outcome
            return str(found if side == "w" else found.reversed)

        yield of


GADGETS = [
    # 2.1: out with a tiger from either side, and not with one alone.
    ("and", "Ta1 Td1 ec5", THROUGH),
    ("and", "Ta1 ec5", HELD),
    ("and", "Td1 ec5", HELD),
    # 2.2: the inner tiger and at least one more.
    ("or", "Ta1 Td1 Tb3 ec5", THROUGH),
    ("or", "Ta1 Tb3 ec5", THROUGH),
    ("or", "Td1 Tb3 ec5", THROUGH),
    ("or", "Tb3 ec5", HELD),
    # 2.3: the inner tiger cannot leave by itself.
    ("fanout", "Tc6 Tc1 dc4", THROUGH),
    ("fanout", "Tc6 dc4", HELD),
    # 2.4: either way is open.
    ("choice", "Tc1", THROUGH),
    ("choice", "Tb4", THROUGH),
    ("choice", "Td4", THROUGH),
    # The black edge protector: panthers pass, and cats do not.
    ("black_edge", "Pc2 dc3", THROUGH),
    ("black_edge", "Pc2 Cc1 dc3", THROUGH),
    ("black_edge", "Cc2 dc3", HELD),
    # Backwards only with a helper at the entrance; two who come backwards, by one trap or by both, do not help each other.
    ("black_edge_back", "Tc8 dc5", HELD),
    ("black_edge_back", "Tc8 Pc4 dc5", THROUGH),
    ("black_edge_back", "Tb7 Pb6 dc5", HELD),
    ("black_edge_back", "Tb6 Pd6 dc5", HELD),
    # Behind such a protector only a panther gets to the black den.
    ("den", "Pc2 dc3", THROUGH),
    ("den", "Pc2 Cc1 dc3", THROUGH),
    ("den", "Cc2 dc3", HELD),
    # The white edge protector: White passes, and neither one black piece nor two get through.
    ("white_edge", "Tb1 Cc5", THROUGH),
    ("white_edge", "Cc5 eb3", HELD),
    ("white_edge", "Cc5 db2", HELD),
    ("white_edge", "Cc5 eb3 db2", HELD),
    ("white_edge_sides", "Cc4 eb6 pb7 db2 eb1", HELD),
    # The outflow protector lets a tiger out if one or two have come.
    ("outflow", "Td2 ee4", HELD),
    ("outflow", "Ta2 Td2 ee4", THROUGH),
    ("outflow", "Ta1 Ta2 Td2 ee4", THROUGH),
]
LOCKED = [
    # Only one tiger comes out of AND, of OR and of the outflow protector, so one is lost; two would open the lock.
    ("or_twice", "Ta1 Td1 ec5 dg8", HELD),
    ("or_twice", "Ta1 Td1 Tb3 ec5 dg8", HELD),
    ("or_twice", "Te7 Td7 ec5 dg8", THROUGH),
    ("or_twice", "Te7 Tb3 ec5 dg8", HELD),
    ("outflow_twice", "Ta1 Ta2 Td2 ee4 di7", HELD),
    ("outflow_twice", "Tg5 Tf6 ee4 di7", THROUGH),
    # Both outputs of FANOUT; without the dog that guards it, too, and not with the inner tiger alone.
    ("fanout_both", "Td6 Td1 dd4 dd8", THROUGH),
    ("fanout_both", "Td6 dd4 dd8", HELD),
    # One output of CHOICE for one tiger, both for two.
    ("choice_both", "Td1 dd7", HELD),
    ("choice_both", "Td1 Td2 dd7", THROUGH),
]
"""A lock behind the outputs counts: it opens to two tigers, or to one from each output."""


@pytest.mark.parametrize("side", ["w", pytest.param("b", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("board", "pieces", "expected"), [*thinned(GADGETS, 2), *(pytest.param(*one, marks=pytest.mark.full) for one in LOCKED)]
)
def test_who_gets_through(outcome: Outcome, board: str, pieces: str, expected: str, side: str) -> None:
    assert outcome(board, pieces, side) == expected


@pytest.mark.release
@pytest.mark.parametrize(("board", "expected"), [("channel", THROUGH), ("channel_back", HELD)])
def test_a_channel_has_one_direction(outcome: Outcome, board: str, expected: str) -> None:
    """With all four cats, which may leave their posts, and the dog: 25 million positions each."""
    game = board_of(board)
    pieces = " ".join(f"{game.kinds[kind].symbol}{game.board.names[square]}" for kind, square in game.initial.pieces)
    assert outcome(board, pieces) == expected


def test_who_moves_first_in_a_variable_has_it(outcome: Outcome) -> None:
    """White first: his panther leaves. Black first: nobody does, and White has no panther any more."""
    assert outcome("variable", "Pa1 pa2", "w") == THROUGH
    assert outcome("variable", "Pa1 pa2", "b") == HELD
    game = board_of("variable")
    assert "a2a1" in game.moves(placed(game, "Pa1 pa2 We4 we2", 1))
    assert outcome("variable", "pa1", "w") == HELD


def test_nobody_leaves_a_variable_that_black_has(outcome: Outcome) -> None:
    """A white edge protector holds Black's piece after it has taken White's, and lets White's pass if White moves first."""
    assert outcome("variable_held", "Tb1 tb2 Cc5", "w") == THROUGH
    assert outcome("variable_held", "Tb1 tb2 Cc5", "b") == HELD
    assert outcome("variable_held", "tb1 Cc5", "w") == HELD
    assert outcome("variable_held", "tb1", "w") == "loss"


def test_the_dog_is_back_in_time(outcome: Outcome) -> None:
    """Behind the one trap while a tiger passes by the other, it holds the tiger from coming back at once."""
    assert outcome("black_edge_back", "Tb6 dd6", "b") == HELD


def test_choice_is_made_on_the_fork() -> None:
    """From the fork, a step to either side keeps the win, and the next move is out."""
    game = board_of("choice")
    after = game.moves(placed(game, "Tc4 Wg6 wg4"))
    assert {"c4b4", "c4d4"} <= after.keys()
    for square, move in (("b4", "b4a4"), ("d4", "d4e4")):
        assert game.moves(placed(game, f"T{square} Wg6 wg4"))[move].won


def squares(board: str, symbol: str) -> list[str]:
    game = board_of(board)
    return [game.board.names[square] for square in game.kinds[game.by_symbol[symbol]].squares]


@pytest.mark.parametrize(("board", "guests", "guard"), [("and", "Ta1 Td1", "e"), ("fanout", "Tc6 Tc1", "d"), ("den", "Pc2", "d")])
def test_wherever_the_guard_awaits_them(outcome: Outcome, board: str, guests: str, guard: str) -> None:
    """White has all he needs on the islands, and Black has moved his guard where he likes: White gets through."""
    free = set(squares(board, guard)) - {one[1:] for one in guests.split()}
    assert {outcome(board, f"{guests} {guard}{square}") for square in free} == {THROUGH}


def kept(outcome: Outcome, board: str, guest: str, guard: str) -> set[tuple[str, str, str]]:
    """Positions of the inner tiger and the guard in which White can wait for ever, and get through once the guest is there.

    Positions are removed until none is left that White to move must leave, or that Black to move can leave.
    """
    inside = [square for square in squares(board, "T") if square != guest[1:]]
    waiting = {one[1:] for one in WAITING[board].split()}
    pairs = [(t, g) for t, g in product(inside, squares(board, guard)) if t != g and not {t, g} & waiting]
    good = {(t, g, side) for t, g in pairs for side in "wb" if outcome(board, f"{guest} T{t} {guard}{g}", side) == THROUGH}
    while True:
        left = {one for one in good if _stays(board, guard, one, good)}
        if left == good:
            return good
        good = left


def _stays(board: str, guard: str, position: tuple[str, str, str], good: Iterable[tuple[str, str, str]]) -> bool:
    """Whether a side keeps a position good, or cannot help it; with its wolf it may wait."""
    game, (tiger, held, side) = board_of(board), position
    mover, still = (tiger, held) if side == "w" else (held, tiger)
    moves = game.moves(placed(game, f"T{tiger} {guard}{held} {WAITING[board]}", "wb".index(side)))
    after = [move.removeprefix(mover) for move in moves if move.startswith(mover)]
    later = [(square, still, "b") if side == "w" else (still, square, "w") for square in [mover, *after]]
    return (any if side == "w" else all)(one in good for one in later)


@pytest.mark.parametrize(
    ("board", "guest", "tiger", "guard"),
    [("or", "Ta1", "b3", "ec5"), ("or", "Td1", "b3", "ec5"), ("outflow", "Ta2", "d2", "ee4"), ("fanout", "Tc1", "c6", "dc4")],
)
def test_the_inner_tiger_can_wait(outcome: Outcome, board: str, guest: str, tiger: str, guard: str) -> None:
    """However long the guest takes, the guard can neither catch the inner tiger nor find a post that holds both."""
    good = kept(outcome, board, guest, guard[0])
    assert {(tiger, guard[1:], side) for side in "wb"} <= good


def test_the_page_shows_the_boards() -> None:
    """With the pieces of the start, as the files have them."""
    shown = (ROOT / "docs" / "gadgets.md").read_text()
    for board in board_names():
        lines = (ROOT / "rules" / "tablebase_rules" / "boards" / f"{board}.txt").read_text().splitlines()
        for row in lines[lines.index("") + 1 :]:
            assert row in shown, board
