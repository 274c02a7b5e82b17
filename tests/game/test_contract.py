"""The contract that all rules fulfil: what both kinds say of a position, its moves and its end."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from support import toys
from support.checks import thinned
from support.installs import court
from twins import naive

from tablebase.errors import NotationError
from tablebase.game import Board, Game, Kind, Outcome, Step, load_game
from tablebase.game.game_arguments import as_asked
from tablebase.game.installed import load_rules
from tablebase.game.moves import Position, played
from tablebase.game.notation import parse, render_move
from tablebase.game.rules import CHANCE, OVER, Ending, Rules, legal
from tablebase.testing.contract import playouts

TOYS = [toys.pond(), toys.hunt(), toys.twins(), court(), toys.ladder("wb"), toys.herd("open"), toys.shelter("draw")]
PIECES = [load_game(name) for name in ("doushouqi", "hexapawn", "foxhounds-4x4", "hasenspiel-4x4")] + TOYS
FUNCTIONS = [
    load_rules(name) for name in ("noughts", "morris", "kalah", "pig", "pig-players=3", "harehedgehog", "harehedgehog-players=6")
]


@pytest.mark.parametrize("rules", [*PIECES, *FUNCTIONS], ids=lambda rules: rules.name)
def test_a_game_that_is_played_to_its_end(rules: Rules[Any]) -> None:
    """Who moves, what follows and how it ends fit together in every position of random play."""
    ends = 0
    for positions in playouts(rules, 300, Random(f"contract {rules.name}")):
        assert positions[0] == rules.initial
        for position, after in zip(positions, [*positions[1:], None], strict=True):
            mover, ending = rules.to_move(position), rules.result(position)
            moves = legal(rules, position)
            assert (mover == OVER) == (ending is not None)
            assert bool(moves) == (mover >= 0)
            assert all(isinstance(text, str) for text in moves)
            if after is not None:
                assert after in ([draw.state for draw in rules.draws(position)] if mover == CHANCE else moves.values())
            if ending is not None:
                ends += 1
                assert min(ending.places) == 1
                assert rules.standing(position) == ending.places
    assert ends or rules.name not in ("hexapawn", "foxhounds-4x4", "pig")


def endings_of_pieces() -> Iterator[tuple[Game, Position]]:
    for game in PIECES:
        for positions in playouts(game, 200, Random(f"twin {game.name}")):
            yield from ((game, position) for position in positions)


def test_ends_are_those_of_the_naive_twin() -> None:
    """A side without a move, an escaped piece, a goal, or no pieces left; the winner is first, and a draw has no winner."""
    seen: dict[str, int] = {}
    for game, position in endings_of_pieces():
        ending = game.result(position)
        sides = {game.side_of(kind) for kind, _ in position.pieces}
        stuck, away = not naive.moves(game, position), naive.escaped(game, position)
        if not position.won:
            assert (ending is not None) == (stuck or away)
            assert len(sides) == 2
        if ending is None:
            continue
        seen[ending.why] = seen.get(ending.why, 0) + 1
        assert ending.said
        if position.won:
            assert game.parse(game.format(position)) == position
            assert (ending.why, ending.winner) == (position.won, 1 - position.side)
            assert (len(sides) == 1) == (position.won == "last piece") or position.won == "goal"
        elif stuck:
            expected = {Outcome.WIN: position.side, Outcome.LOSS: 1 - position.side}.get(game.no_move)
            assert ending.winner == expected
        else:
            assert (ending.why, ending.winner) == ("escaped", game.runner_side)
        assert [ending.outcome(side) for side in (0, 1)].count(Outcome.WIN) == (ending.winner is not None)
    assert set(seen) == {"goal", "last piece", "no move", "escaped"}


@pytest.mark.parametrize("game", thinned(PIECES, 2), ids=lambda game: game.name)
def test_moves_of_pieces_are_those_of_the_naive_twin(game: Game) -> None:
    """With the position after each, and the mark of those that win at once; sorted by text; each is read as it is written."""
    for positions in playouts(game, 200, Random(f"moves {game.name}")):
        for position in positions:
            found = game.moves(position)
            assert list(found) == sorted(found)
            expected: dict[str, set[Position]] = {}
            for move in [] if position.won or naive.escaped(game, position) else naive.moves(game, position):
                expected.setdefault(render_move(game, move), set()).add(played(game, position, move))
            assert found.keys() == expected.keys()
            for text, child in found.items():
                assert child in expected[text]
                assert bool(child.won) == any(one.won for one in expected[text])
                assert game.parse(game.format(child)) == child
            assert (game.viewer(position), game.side(position)) == (position.side, game.sides[position.side].letter)


def crossing() -> Game:
    """Two steps between the same squares, one of which wins; both squares are homes, so the board does not show the end."""
    squares = (0, 1, 2)
    king = Kind("K", "king", 0, squares, (Step(0, 1), Step(0, 1, wins=True), Step(1, 2)))
    guard = Kind("g", "guard", 1, squares, (Step(2, 1), Step(1, 0)))
    return Game("crossing", "Crossing", Board.full(3, 1), toys.SIDES, (king, guard), "K1g w", Outcome.DRAW, 2)


def test_the_step_that_wins_counts() -> None:
    """Of two steps between the same squares; the text has the mark that the board does not show."""
    game = crossing()
    assert list(game.moves(game.initial)) == ["a1b1"]
    after = game.moves(game.initial)["a1b1"]
    assert (after.won, game.to_move(after), game.moves(after)) == ("goal", OVER, {})
    assert game.result(after) == Ending((1, 2), "goal", "White has won with the last move")
    assert game.format(after) == "1Kg b lost"
    assert game.parse("1Kg b lost") == after
    assert game.parse("1Kg b").won == ""


@pytest.mark.parametrize(
    ("text", "error"),
    {
        "K1g b lost": "White has not won \\(no piece on a winning square\\): remove 'lost' from the position",
        "1K1 w lost": "Black has no pieces: place at least one piece of each side",
        "1Kg w lost": "Black has not won \\(no piece on a winning square\\)",
        "1Kg b won": "'1Kg b won' is not a position",
        "1Kg lost b": "'1Kg lost b' is not a position",
    }.items(),
)
def test_a_mark_that_no_move_can_have_left(text: str, error: str) -> None:
    """It is refused wherever a position is read, and a marked one where the game must not be over."""
    with pytest.raises(NotationError, match=error):
        as_asked(crossing(), text)
    with pytest.raises(NotationError, match="the game is over in '1Kg b lost'"):
        parse(crossing(), "1Kg b lost")


def test_ends_of_doushouqi_by_their_text() -> None:
    """What the board shows is read with the position, which no table has, and is none of those that cannot be."""
    game = load_game("doushouqi")
    for text, ending in {
        "3R3/7/7/7/3c3/7/7/7/7 b": Ending((1, 2), "goal", "the rat has reached d9"),
        "7/7/7/7/7/7/7/7/R6 b": Ending((1, 2), "last piece", "Black has no pieces left"),
    }.items():
        position = game.parse(text)
        assert (game.result(position), game.to_move(position), game.side(position)) == (ending, OVER, "b")
        game.check(position)
        with pytest.raises(NotationError):
            game.check(position._replace(won=""))


def test_functions_have_numbered_players() -> None:
    """Sides are numbers from 1; chance and the end have words of their own; a move is the text of its code."""
    rules = load_rules("pig-players=3")
    assert [(side.letter, side.name) for side in rules.sides] == [("1", "player 1"), ("2", "player 2"), ("3", "player 3")]
    rolled = legal(rules, rules.initial)
    assert rolled.keys() == {str(code) for code in rules.moves(rules.initial)}
    assert {rules.side(position) for position in rolled.values()} >= {"chance"}
    assert [rules.move_text(rules.initial, text) for text in rolled] == [rules.code_text(int(text)) for text in rolled]
    assert rules.viewer(next(position for position in rolled.values() if rules.to_move(position) == CHANCE)) == 0


@pytest.mark.parametrize(
    ("places", "winner", "outcomes"),
    [((1, 2), 0, "win loss"), ((2, 1), 1, "loss win"), ((1, 1), None, "draw draw"), ((1, 1, 3), None, "draw draw loss")],
)
def test_an_ending_for_each_player(places: tuple[int, ...], winner: int | None, outcomes: str) -> None:
    ending = Ending(places)
    assert ending.winner == winner
    assert " ".join(ending.outcome(player) for player in range(len(places))) == outcomes
