"""Games of pieces on squares as games without chance: the same moves, lines and ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.checks import at_least_one
from support.deterministic import DeterministicGame
from support.games import GAMES, random_games

from tablebase.errors import NotationError
from tablebase.game import Step, load_game
from tablebase.game.moves import decided, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.search import leaves
from tablebase.stochastic.paths import count_paths
from tablebase.testing import check_rules

PAWNS = DeterministicGame(load_game("hexapawn"))
FOX = DeterministicGame(load_game("foxhounds-6x6"))


@pytest.mark.parametrize("name", ["hexapawn", "foxhounds-6x6", "hasenspiel", "doushouqi"])
def test_they_pass_the_checks(name: str) -> None:
    """Also with captures, escapes and steps that win."""
    results = check_rules(DeterministicGame(load_game(name)), samples=60)
    assert [result.failure for result in results if result.failure] == []


@pytest.mark.parametrize("name", ["hexapawn-4x4", "pond", "hunt"])
def test_as_many_lines(name: str) -> None:
    """Every ply is a turn."""
    game = GAMES[name]
    same = DeterministicGame(game)
    for depth in (1, 3, 5):
        assert count_paths(same, same.start, depth) == leaves(game, parse(game, game.start), depth)


def test_moves_in_notation() -> None:
    """In the order of legal moves."""
    game = load_game("foxhounds-6x6")
    positions = [position for position in random_games(game, 3, 10) if decided(game, position) is None]
    for position in at_least_one(positions):
        codes = FOX.moves(FOX.state(position))
        assert [FOX.code_text(code) for code in codes] == [render_move(game, move) for move in legal_moves(game, position)]
        assert FOX.position(FOX.state(position)) == position


@pytest.mark.parametrize(
    ("text", "written", "places"),
    [
        ("p2/P2/3 w", "p2/P2/3 w 0-1", (2, 1)),
        ("P2/3/2p b 1-0", "P2/3/2p b 1-0", (1, 2)),
        ("2p/2P/3 b", "2p/2P/3 b 1-0", (1, 2)),
    ],
)
def test_ends_by_hand(text: str, written: str, places: tuple[int, ...]) -> None:
    """No legal move, also where the text does not say so, and a pawn on the far rank, which only the text can say."""
    state = PAWNS.parse(text)
    assert PAWNS.format(state) == written
    assert PAWNS.places(state) == places
    assert PAWNS.moves(state) == {}


def test_a_draw_is_shared() -> None:
    """In Dou Shou Qi, a side without a legal move has drawn."""
    game = DeterministicGame(load_game("doushouqi"))
    state = game.parse("7/7/7/7/7/7/7/w6/Cd5 w")
    assert game.format(state).endswith(" w 1/2-1/2")
    assert game.places(state) == (1, 1)


def test_a_win_in_one_by_hand() -> None:
    """Both pawns may step to the far rank; the third one is stopped."""
    state = PAWNS.parse("2p/P1P/3 w")
    assert {PAWNS.code_text(code): PAWNS.format(after) for code, after in PAWNS.moves(state).items()} == {"a2a3": "P1p/2P/3 b 1-0"}


def test_an_escape_ends_the_game() -> None:
    """The fox has passed all hounds: with legal moves left, it has won."""
    state = FOX.parse("2H3/3H2/4H1/6/2F3/6 h")
    assert FOX.format(state) == "2H3/3H2/4H1/6/2F3/6 h 1-0"
    assert (FOX.places(state), FOX.moves(state)) == ((1, 2), {})


@pytest.mark.parametrize("last", [False, True])
def test_of_two_ways_the_one_that_wins_counts(last: bool) -> None:
    """Wherever it is listed: a pawn may also win by its first step."""
    game = load_game("hexapawn")
    white, black = game.kinds
    wins = Step(0, 3, wins=True)
    steps = (*white.steps, wins) if last else (wins, *white.steps)
    twofold = DeterministicGame(replace(game, kinds=(replace(white, steps=steps), black), mirror=None, swap=None))
    after = {twofold.code_text(code): twofold.format(child) for code, child in twofold.moves(twofold.start).items()}
    assert after == {"a1a2": "ppp/P2/1PP b 1-0", "b1b2": "ppp/1P1/P1P b", "c1c2": "ppp/2P/PP1 b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ppp/3/PPP w 2-0", "'2-0' is not a result: write 1-0, 0-1, 1/2-1/2"),
        ("ppp/3/PPP w 1-0", "the result is another one"),
        ("ppp/3/PPP w 1/2-1/2", "the result is another one"),
        ("p2/P2/3 w 1-0", "the result is another one"),
        ("ppp/3/PPP", "is not a position"),
        ("ppp/ppp/PPP b 1-0", "has at most 6 pieces: remove some"),
        ("", "the position is empty"),
    ],
)
def test_what_is_no_state(text: str, said: str) -> None:
    """One sentence each."""
    with pytest.raises(NotationError) as refused:
        PAWNS.parse(text)
    assert said in str(refused.value)
