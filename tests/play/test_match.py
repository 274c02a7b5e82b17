"""What a fallible player chooses, how a match goes on and back, and how it ends."""

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import toys
from support.checks import at_least_one

from tablebase.api.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import read
from tablebase.play.fallible import choose, kept_moves, parse_fuzz, weights
from tablebase.play.match import Ending, EndReason, Match
from tablebase_rules.doushouqi import game as doushouqi
from tablebase_rules.hexapawn import game as hexapawn

JUNGLE = doushouqi()
PAWNS = hexapawn()
AFTER_B2 = "ppp/1P1/P1P b"
"""Black may take b2 from either side, which is equally good, or step by, which is worse."""

FUZZ = st.floats(0, 1)
COUNTS = st.integers(1, 40).flatmap(lambda count: st.tuples(st.just(count), st.integers(1, count)))


def match_at(game: Game, text: str, *moves: str) -> Match:
    """A match from a position on, after some moves."""
    match = Match(game, read(game, text))
    for move in moves:
        match.play(match.legal()[move])
    return match


@given(COUNTS, FUZZ)
def test_weights_are_the_formula(counts: tuple[int, int], fuzz: float) -> None:
    """Every move has p, each kept one 1 - p more, over n p + k (1 - p); that sums to 1 and prefers no move to a kept one."""
    count, kept = counts
    found = weights(count, kept, fuzz)
    total = count * fuzz + kept * (1 - fuzz)
    assert found == pytest.approx([(fuzz + (1 - fuzz) * (number < kept)) / total for number in range(count)])
    assert math.isclose(sum(found), 1)
    assert found == sorted(found, reverse=True)
    assert min(found) >= 0


@pytest.mark.parametrize("wrong", ["", "much", "1.0001", "-0.1", "nan", "inf", "fair", "9" * 9999])
def test_text_that_is_no_fuzz_is_refused(wrong: str) -> None:
    """In a sentence that stays short, with what a fuzz is."""
    with pytest.raises(TablebaseError, match=r"from 0 .* to 1 .*, not ") as refused:
        parse_fuzz(wrong)
    assert len(str(refused.value)) < 250
    assert ("foxbox" in str(refused.value)) is (wrong == "fair")


@given(toys.positions(JUNGLE, 2))
def test_kept_moves_are_worth_what_the_position_is(tables: Tablebase, position: Position) -> None:
    """All kept moves have the position's value, and all others are worth less."""
    probe = tables.probe(JUNGLE, position)
    kept = kept_moves(probe)
    assert kept
    assert {one.value for one in kept} == {probe.value}
    assert all(one.value.merit < probe.value.merit for one in probe.moves if one not in kept)


def test_choices_follow_the_weights(pawn_tables: Tablebase) -> None:
    """Of 4,000 draws each move gets its share, within four standard deviations; the same seed draws the same moves."""
    probe = pawn_tables.probe(PAWNS, AFTER_B2)
    for fuzz in at_least_one((0.0, 0.5, 1.0)):
        drawn = [[choose(probe, fuzz, random).move for _ in range(4000)] for random in (Random(7), Random(7))]
        assert drawn[0] == drawn[1]
        counts = Counter(drawn[0])
        for one, share in zip(probe.moves, weights(4, 2, fuzz), strict=True):
            assert abs(counts[one.move] - 4000 * share) <= 4 * math.sqrt(4000 * share * (1 - share))


@given(st.data())
def test_undo_restores_the_turn(data: st.DataObject) -> None:
    """After any moves, undo of a side brings back the position in which it last moved, move by move to its first."""
    match = Match(JUNGLE, read(JUNGLE, JUNGLE.start))
    while (legal := match.legal()) and data.draw(st.integers(0, 9)):
        match.play(data.draw(st.sampled_from(list(legal.values()))))
    positions, moves = list(match.positions), list(match.moves)
    side = data.draw(st.integers(0, 1))
    turns = [ply for ply in range(len(moves)) if positions[ply].side == side]
    for ply in reversed(turns):
        assert match.undo(side)
        assert (match.positions, match.moves) == (positions[: ply + 1], moves[:ply])
        assert (match.side, match.plies) == (side, ply)
    before = list(match.positions)
    assert not match.undo(side)
    assert match.positions == before


def test_a_position_that_comes_back_is_a_draw() -> None:
    """The third time that a position stands on the board is a draw, not the second; undo makes the game go on."""
    game = toys.pacers()
    to_and_fro = ["a1b1", "a2b2", "b1a1", "b2a2"]
    assert match_at(game, game.start, *to_and_fro).ending() is None
    match = match_at(game, game.start, *to_and_fro, *to_and_fro)
    assert (match.plies, match.ending(), match.legal()) == (8, Ending(None, EndReason.REPEATED), {})
    assert match.undo(1)
    assert (match.plies, match.ending(), list(match.legal())) == (7, None, ["b2a2"])


def test_a_side_may_resign() -> None:
    """The side to move loses, with as many plies as were made; its opponent's undo takes the resignation back, too."""
    match = match_at(PAWNS, PAWNS.start, "b1b2")
    match.resign()
    assert (match.ending(), match.legal(), match.plies) == (Ending(0, EndReason.RESIGNED), {}, 1)
    assert match.undo(0)
    assert (match.ending(), list(match.legal())) == (None, ["a1a2", "b1b2", "c1c2"])


ENDINGS = {
    "a goal": ("hexapawn", "3/P1p/3 w", ["a2a3"], Ending(0, EndReason.GOAL)),
    "a goal with the last piece": ("hexapawn", "1p1/P2/3 w", ["a2b3"], Ending(0, EndReason.GOAL)),
    "the den": ("doushouqi", "7/7/7/7/7/7/7/3c3/R6 b", ["d2d1"], Ending(1, EndReason.GOAL)),
    "the last piece": ("doushouqi", "7/7/7/7/7/7/cW5/7/7 w", ["b3a3"], Ending(0, EndReason.LAST_PIECE)),
    "the last piece but one": ("doushouqi", "7/7/7/7/7/7/cW5/7/r6 w", ["b3a3"], None),
    "no move loses": ("hexapawn", "1p1/3/1P1 w", ["b1b2"], Ending(0, EndReason.NO_MOVE)),
    "no move draws": ("doushouqi", "7/7/7/7/7/7/7/w6/Cd5 w", [], Ending(None, EndReason.NO_MOVE)),
    "the first move": ("hexapawn", "ppp/3/PPP w", ["b1b2"], None),
    "the fox shut in": ("foxhounds", "6F1/5H1H/8/8/8/8/8/1H1H4 f", [], Ending(1, EndReason.NO_MOVE)),
    "the fox behind all hounds": ("foxhounds", "8/8/8/8/8/1H1H1H1H/4F3/8 f", [], Ending(0, EndReason.ESCAPED)),
    "the fox slips through": ("foxhounds", "8/8/8/5H1H/4F3/1H1H4/8/8 f", ["e4f3"], Ending(0, EndReason.ESCAPED)),
    "the fox before two hounds": ("foxhounds", "8/8/8/5H1H/4F3/1H1H4/8/8 f", ["e4d5"], None),
    "the rabbit low enough": ("hasenspiel", "8/8/8/8/8/8/1R6/2p1p1p1 b", [], Ending(0, EndReason.ESCAPED)),
    "the rabbit not low enough": ("hasenspiel", "8/8/8/8/8/8/1R6/p1p1p1p1 b", [], None),
    "the rabbit low enough, White to move": ("hasenspiel", "8/8/8/8/8/8/1R6/2p1p1p1 w", [], None),
    "no move before an escape": ("hasenspiel-early=article", "8/8/8/8/8/8/1p6/R7 w", [], Ending(1, EndReason.NO_MOVE)),
}


@pytest.mark.parametrize(("name", "start", "moves", "ending"), ENDINGS.values(), ids=ENDINGS)
def test_how_games_end(name: str, start: str, moves: list[str], ending: Ending | None) -> None:
    """A goal, the last piece, no move and an escape end a game as the rules say, for the side they say; else it goes on."""
    match = match_at(load_game(name), start, *moves)
    assert match.ending() == ending
    assert bool(match.legal()) == (ending is None)
