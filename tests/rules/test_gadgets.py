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

import tablebase
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.slices.material import material_name, material_of
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
    "black_edge": "Wg5 wg3",
    "black_edge_back": "Wg6 wg4",
    "white_edge": "Wg7 wg5",
    "white_edge_sides": "Wg7 wg5",
}
"""Where the wolves wait on each board."""
THROUGH, HELD = "win", "draw"


def board_of(name: str) -> Game:
    """The game on one of the boards."""
    return load_game(f"doushouqi-board={name}")


def placed(game: Game, pieces: str, side: str) -> Position:
    """A position by its pieces and their squares, ``Ta1 ec5``."""
    found = sorted((game.by_symbol[one[0]], game.board.square(one[1:])) for one in pieces.split())
    return Position(tuple(found), "wb".index(side))


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
            found = tables_of(board).probe_value(game, placed(game, f"{pieces} {WAITING.get(board, '')}", side)).outcome
            return str(found if side == "w" else found.reversed)

        yield of


CHEAP = [
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
    # The black edge protector: panthers pass, here a tiger, and cats do not.
    ("black_edge", "Tc2 dc3", THROUGH),
    ("black_edge", "Tc2 Cc1 dc3", THROUGH),
    ("black_edge", "Cc2 dc3", HELD),
    # Backwards only with a helper at the entrance.
    ("black_edge_back", "Tc6 dc4", HELD),
    ("black_edge_back", "Tc6 Pc3 dc4", THROUGH),
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
COSTLY = [
    # Only one tiger comes out of OR and of the outflow protector, though three were there; two would open the lock.
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


@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize(("board", "pieces", "expected"), CHEAP)
def test_who_gets_through(outcome: Outcome, board: str, pieces: str, expected: str, side: str) -> None:
    """Whoever moves first."""
    assert outcome(board, pieces, side) == expected


@pytest.mark.full
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize(("board", "pieces", "expected"), COSTLY)
def test_how_many_get_through(outcome: Outcome, board: str, pieces: str, expected: str, side: str) -> None:
    """A lock behind the outputs counts: it opens to two tigers, or to one from each output."""
    assert outcome(board, pieces, side) == expected


@pytest.mark.full
@pytest.mark.parametrize(("board", "expected"), [("channel", THROUGH), ("channel_back", HELD)])
def test_a_channel_has_one_direction(outcome: Outcome, board: str, expected: str) -> None:
    """With all four cats, which may leave their posts, and the dog."""
    game = board_of(board)
    pieces = " ".join(f"{game.kinds[kind].symbol}{game.board.names[square]}" for kind, square in game.initial.pieces)
    assert outcome(board, pieces) == expected


def test_who_moves_first_in_a_variable_has_it(outcome: Outcome) -> None:
    """White first: his panther leaves. Black first: nobody does, and White has no panther any more."""
    assert outcome("variable", "Pa1 pa2", "w") == THROUGH
    assert outcome("variable", "Pa1 pa2", "b") == HELD
    game = board_of("variable")
    assert "a2a1" in game.moves(placed(game, "Pa1 pa2 We4 we2", "b"))
    assert outcome("variable", "pa1", "w") == HELD


def test_choice_is_made_on_the_fork() -> None:
    """From the fork, a step to either side keeps the win, and the next move is out."""
    game = board_of("choice")
    after = game.moves(placed(game, "Tc4 Wg6 wg4", "w"))
    assert {"c4b4", "c4d4"} <= after.keys()
    for square, move in (("b4", "b4a4"), ("d4", "d4e4")):
        assert game.moves(placed(game, f"T{square} Wg6 wg4", "w"))[move].won


def squares(board: str, symbol: str) -> list[str]:
    """Where pieces of a kind can stand on a board."""
    game = board_of(board)
    return [game.board.names[square] for square in game.kinds[game.by_symbol[symbol]].squares]


@pytest.mark.parametrize(("board", "guests", "guard"), [("and", "Ta1 Td1", "e"), ("fanout", "Tc6 Tc1", "d")])
def test_wherever_the_guard_awaits_them(outcome: Outcome, board: str, guests: str, guard: str) -> None:
    """White has all he needs on the islands, and Black has moved his guard where he likes: White gets through."""
    free = set(squares(board, guard)) - {one[1:] for one in guests.split()}
    assert {outcome(board, f"{guests} {guard}{square}") for square in free} == {THROUGH}


def kept(outcome: Outcome, board: str, guest: str) -> set[tuple[str, str, str]]:
    """Positions of the inner tiger and the elephant in which White can wait for ever, and get through once the guest is there.

    Positions are removed until none is left that White to move must leave, or that Black to move can leave.
    """
    inside = [square for square in squares(board, "T") if square != guest[1:]]
    waiting = {one[1:] for one in WAITING[board].split()}
    pairs = [(t, e) for t, e in product(inside, squares(board, "e")) if t != e and not {t, e} & waiting]
    good = {(t, e, side) for t, e in pairs for side in "wb" if outcome(board, f"{guest} T{t} e{e}", side) == THROUGH}
    while True:
        left = {one for one in good if _stays(board, one, good)}
        if left == good:
            return good
        good = left


def _stays(board: str, position: tuple[str, str, str], good: Iterable[tuple[str, str, str]]) -> bool:
    """Whether a side keeps a position good, or cannot help it; with its wolf it may wait."""
    game, (tiger, elephant, side) = board_of(board), position
    mover, still = (tiger, elephant) if side == "w" else (elephant, tiger)
    moves = game.moves(placed(game, f"T{tiger} e{elephant} {WAITING[board]}", side))
    after = [move.removeprefix(mover) for move in moves if move.startswith(mover)]
    later = [(square, still, "b") if side == "w" else (still, square, "w") for square in [mover, *after]]
    return (any if side == "w" else all)(one in good for one in later)


@pytest.mark.parametrize(("board", "guest", "start"), [("or", "Ta1", "b3 c5"), ("or", "Td1", "b3 c5"), ("outflow", "Ta2", "d2 e4")])
def test_the_inner_tiger_can_wait(outcome: Outcome, board: str, guest: str, start: str) -> None:
    """However long the guest takes, the elephant can neither catch the inner tiger nor find a post that holds both."""
    tiger, elephant = start.split()
    assert (tiger, elephant, "b") in kept(outcome, board, guest)
    assert (tiger, elephant, "w") in kept(outcome, board, guest)


def test_the_page_shows_the_boards() -> None:
    """With the pieces of the start, as the files have them."""
    shown = (ROOT / "docs" / "gadgets.md").read_text()
    for board in board_names():
        lines = (ROOT / "rules" / "tablebase_rules" / "boards" / f"{board}.txt").read_text().splitlines()
        for row in lines[lines.index("") + 1 :]:
            assert row in shown, board
