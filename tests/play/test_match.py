"""How a match goes on and back and ends, and matches of pairs of games: openings and seeds, results, programs that fail."""

import math
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import odd_engine, toys
from support.checks import at_least_one

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import RulesError, TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.installed import load_rules
from tablebase.game.moves import Position
from tablebase.game.rules import Ending
from tablebase.play.fallible import kept_moves, parse_fuzz, weights
from tablebase.play.match import BROKEN_OFF, DEADLOCK, REPEATED, RESIGNED, Match
from tablebase.play.protocol.client import Budget
from tablebase.play.schedules import Fixture, Pairs
from tablebase.play.standings import of_pairs, pair_points
from tablebase.play.tournament import Conditions, Played, recorded, tournament
from tablebase.probe.prober import Prober
from tablebase_rules import harehedgehog

JUNGLE = load_game("doushouqi")
PAWNS = load_game("hexapawn")
RACE: Any = load_rules("harehedgehog-cards=none")
PIGLET: Any = load_rules("pig-die=2-target=2")
HARES = harehedgehog.game()
THREE = harehedgehog.game(players=3)
COUNTS = st.integers(1, 40).flatmap(lambda count: st.tuples(st.just(count), st.integers(1, count)))


def match_at(rules: Any, text: str, *moves: str, seed: int = 1, most_turns: int | None = None) -> Match[Any]:
    match = Match(rules, rules.parse(text), Random(seed), most_turns)
    for move in moves:
        match.play(move)
    return match


@given(COUNTS, st.floats(0, 1))
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


@given(st.data())
def test_undo_restores_the_turn(data: st.DataObject) -> None:
    """After any moves, undo of a side brings back the position in which it last moved, move by move to its first."""
    match = match_at(JUNGLE, JUNGLE.start)
    while (legal := match.legal()) and data.draw(st.integers(0, 9)):
        match.play(data.draw(st.sampled_from(list(legal))))
    positions, events = match.positions, list(match.events)
    side = data.draw(st.integers(0, 1))
    turns = [ply for ply in range(len(events)) if positions[ply].side == side]
    for ply in reversed(turns):
        assert match.undo(side)
        assert (match.positions, match.events) == (positions[: ply + 1], events[:ply])
        assert (match.player, match.plies, match.turns) == (side, ply, ply)
    before = match.positions
    assert not match.undo(side)
    assert match.positions == before


def test_a_position_that_comes_back_is_a_draw() -> None:
    """The third time that a position stands on the board is a draw, not the second; undo makes the game go on."""
    game = toys.pacers()
    to_and_fro = ["a1b1", "a2b2", "b1a1", "b2a2"]
    assert match_at(game, game.start, *to_and_fro).ending() is None
    match = match_at(game, game.start, *to_and_fro, *to_and_fro)
    drawn = Ending((1, 1), REPEATED, "the same position has occurred three times")
    assert (match.plies, match.ending(), match.legal()) == (8, drawn, {})
    assert match.undo(1)
    assert (match.plies, match.ending(), list(match.legal())) == (7, None, ["b2a2"])


def test_a_side_may_resign() -> None:
    match = match_at(PAWNS, PAWNS.start, "b1b2")
    match.resign()
    assert (match.ending(), match.legal(), match.plies) == (Ending((1, 2), RESIGNED, "Black resigns"), {}, 1)
    assert match.undo(0)
    assert (match.ending(), list(match.legal())) == (None, ["a1a2", "b1b2", "c1c2"])


def test_only_legal_moves_are_made() -> None:
    match = match_at(PAWNS, "3/P1p/3 w")
    with pytest.raises(RulesError, match="the move 'a2a1' is not legal in 3/P1p/3 w: choose one of a2a3"):
        match.play("a2a1")
    assert (match.events, match.player) == ([], 0)
    match.play("a2a3")
    with pytest.raises(RulesError, match="is not legal in P2/2p/3 b: begin a new game"):
        match.play("c2c1")


first, second, nobody = (partial(Ending.of_two, winner) for winner in (0, 1, None))
ENDINGS = {
    "a goal with the last piece": ("hexapawn", "1p1/P2/3 w", ["a2b3"], first("goal", "the pawn has reached b3")),
    "the den": ("doushouqi", "7/7/7/7/7/7/7/3c3/R6 b", ["d2d1"], second("goal", "the cat has reached d1")),
    "the last piece": ("doushouqi", "7/7/7/7/7/7/cW5/7/7 w", ["b3a3"], first("last piece", "Black has no pieces left")),
    "the last piece but one": ("doushouqi", "7/7/7/7/7/7/cW5/7/r6 w", ["b3a3"], None),
    "no move loses": ("hexapawn", "1p1/3/1P1 w", ["b1b2"], first("no move", "Black has no legal move")),
    "no move draws": ("doushouqi", "7/7/7/7/7/7/7/w6/Cd5 w", [], nobody("no move", "White has no legal move")),
    "the fox behind all hounds": ("foxhounds", "8/8/8/8/8/1H1H1H1H/4F3/8 f", [], first("escaped", "the fox has escaped")),
    "the fox before two hounds": ("foxhounds", "8/8/8/5H1H/4F3/1H1H4/8/8 f", ["e4d5"], None),
}


@pytest.mark.parametrize(("name", "start", "moves", "ending"), ENDINGS.values(), ids=ENDINGS)
def test_how_games_end(name: str, start: str, moves: list[str], ending: Ending | None) -> None:
    """A goal, the last piece, no move and an escape end a game as the rules say, for the side they say; else it goes on."""
    match = match_at(load_game(name), start, *moves)
    assert match.ending() == ending
    assert bool(match.legal()) == (ending is None)


LONG = "the game is too long and is broken off"


def test_a_game_to_its_end() -> None:
    """Two of three come home, and the third one is last; each move is an event of its player."""
    match = match_at(THREE, "63:1:0,62:3:0,0:68:3 1")
    assert (match.player, match.ending()) == (0, None)
    [event] = match.play("1")
    assert (event.player, event.text, event.drawn) == (0, "1", False)
    assert THREE.format(event.position) == "64:0:0#1,62:3:0,0:68:3 2" == THREE.format(match.position)
    match.play("2")
    assert match.ending() == Ending((1, 2, 3))
    assert match.legal() == {}
    assert match.turns == 2


def test_draws_are_made_as_they_come_up() -> None:
    """A card is an event of the player who draws it; a match may begin before a draw; a seed repeats all."""
    seen = set()
    for seed in range(30):
        match = match_at(HARES, "3:62:3,0:68:3 1 draw:6", seed=seed)
        [event, *_] = match.events
        assert (event.player, event.drawn) == (0, True)
        seen.add(event.text)
        assert match_at(HARES, "3:62:3,0:68:3 1 draw:6", seed=seed).events == match.events
    assert len(seen) > 5
    moved, *drawn = match_at(HARES, "0:68:3,0:68:3 1").play("1")
    assert (moved.text, moved.drawn) == ("1", False)
    assert [one.player for one in at_least_one(drawn)] == [0] * len(drawn)


def test_outcomes_are_drawn_by_their_probabilities() -> None:
    """Cards of which there are two come up twice as often as the others, as far as 6,000 draws say."""
    random, state = Random(7), HARES.parse("3:62:3,0:68:3 1 draw:6")
    labels = [Match(HARES, state, random).events[0].text for _ in range(6000)]
    assert 1000 - 150 < labels.count("free") < 1000 + 150
    assert 500 - 110 < labels.count("again") < 500 + 110


def test_moves_are_taken_back() -> None:
    """The last one of a player, with all that came after it; turns are counted anew."""
    match = match_at(RACE, "0:68:3,0:68:3 1")
    assert not match.undo(0)
    for move in ("2", "4", "1", "1"):
        match.play(move)
    assert (match.turns, match.plies) == (4, 4)
    assert match.undo(0)
    assert (RACE.format(match.position), match.turns) == ("2:65:3,4:58:3 1", 2)
    assert match.undo(1)
    assert (RACE.format(match.position), match.turns) == ("2:65:3,0:68:3 2", 1)
    assert not match.undo(1)
    drawn = match_at(HARES, "0:68:3,0:68:3 1")
    assert len(drawn.play("1")) > 1
    assert drawn.undo(0)
    assert (drawn.position, drawn.turns) == (drawn.start, 0)


def test_games_are_broken_off_and_blocked_ones_end() -> None:
    """By the number of turns, and where nobody can ever move again; places are those on the board."""
    match = match_at(RACE, "13:9:0,9:0:0 1", most_turns=2)
    match.play("1001")
    assert match.ending() is None
    match.play("-1")
    assert match.ending() == Ending((1, 2), BROKEN_OFF, LONG)
    assert match_at(RACE, "4:0:0,3:2:0 1").ending() == Ending((1, 2), DEADLOCK, "no player can move again")
    assert match_at(PIGLET, "1,0 1 0", most_turns=1).most_turns == 1
    assert match_at(PIGLET, "1,0 1 0").most_turns == 500
    broken = match_at(PIGLET, "1,0 1 0", most_turns=1)
    broken.play("0")
    assert broken.ending() == Ending((1, 1), BROKEN_OFF, LONG)


def test_what_has_happened() -> None:
    """A match made of the events of another one is the same, draws included; what is not possible is a sentence."""
    rules = load_rules("pig")
    first = Match(rules, rules.initial, Random(4))
    for move in ("1", "1", "0", "1"):
        if move in first.legal():
            first.play(move)
    happened = [event.text for event in first.events]
    again = Match(rules, rules.initial, Random(5), happened=happened)
    assert (again.events, again.player, again.turns, again.plies) == (first.events, first.player, first.turns, first.plies)
    # A draw that is not told is made.
    assert len(Match(rules, rules.initial, Random(5), happened=["1"]).events) == 2
    with pytest.raises(RulesError, match="'7' is impossible in 0,0 1 0 roll: choose 1, 2, 3, 4, 5, 6"):
        Match(rules, rules.initial, happened=["1", "7"])
    with pytest.raises(RulesError, match="the move '6' is not legal"):
        Match(rules, rules.initial, happened=["6"])


WIDE = load_game("hexapawn-4x4")
HERE = Conditions(PAWNS.initial, opening=1, folder=Path("nowhere"))
ODD = f"uci:{sys.executable} {odd_engine.__file__}"


def games(*names: str, count: int = 4, conditions: Conditions[Position] = HERE, game: str = "hexapawn") -> list[Played]:
    return list(tournament(load_game(game), names, count, conditions))


def moves_of(game: Played) -> list[str]:
    return [text for text, _ in game.happened]


def match_of(game: Played, rules: Game = PAWNS) -> Match[Position]:
    match = Match(rules, rules.parse(game.start))
    for move in moves_of(game):
        match.play(move)
    return match


def test_pairs_and_seeds() -> None:
    """Both games of a pair have one opening, with colours swapped; the same seed gives the same games, another one others."""
    wide = replace(HERE, start=WIDE.initial, opening=3)
    one, other = (games("engine:level=1", "engine:nodes=40", count=6, conditions=wide, game=WIDE.name) for _ in range(2))
    assert one == other
    assert one != games("engine:level=1", "engine:nodes=40", count=6, conditions=replace(wide, seed=2), game=WIDE.name)
    assert [game.fixture.seats for game in one] == [(0, 1), (1, 0)] * 3
    assert [game.fixture.number for game in one] == [0, 1, 2, 3, 4, 5]
    for first, second in zip(one[::2], one[1::2], strict=True):
        assert moves_of(first)[:3] == moves_of(second)[:3]
    assert len({tuple(moves_of(game)[:3]) for game in one}) > 1
    assert not any(game.forfeit for game in one)


def test_results_are_those_of_the_moves() -> None:
    """Each game's moves, replayed by the rules, end as is said, also in its text; turns are those behind the opening."""
    names = ("engine:nodes=60", "engine:level=1")
    for game in games(*names, count=8):
        match, winner = match_of(game), game.ending.winner
        assert match.ending() == game.ending
        assert winner is not None
        assert game.turns == len(moves_of(game)) - 1
        text = recorded(PAWNS, names, game)
        assert text.players == (names if game.fixture.seats == (0, 1) else names[::-1])
        assert (text.number, text.start, text.opening) == (game.fixture.number + 1, PAWNS.start, 1)
        assert (list(text.moves), text.winner) == (moves_of(game), winner)
        assert text.why == f"{('White', 'Black')[winner]} wins: {game.ending.why}"


def test_tables_end_games(two_pieces: Path) -> None:
    """As soon as a move leads into them, with the result of perfect play; without them, games go on."""
    start = JUNGLE.parse("7/7/7/7/3c3/3C3/3d3/7/7 w")
    into = replace(HERE, start=start, opening=0, folder=two_pieces, most_plies=30)
    for game in games("engine:level=1", "engine:level=1", conditions=into, game="doushouqi"):
        positions = match_of(game, JUNGLE).positions
        assert game.ending.why == "by the tables"
        with closing(Prober(two_pieces)) as prober:
            value = prober.slices(JUNGLE).look_up(positions[-1])
        assert game.ending.winner == (positions[-1].side if value.outcome is Outcome.WIN else 1 - positions[-1].side)
        assert [sum(map(len, position.pieces)) for position in positions[-2:]] == [6, 4]
    longer = games("engine:level=1", "engine:level=1", conditions=replace(into, adjudicated=False), game="doushouqi")
    assert any(len(moves_of(game)) > 1 for game in longer)


@pytest.mark.parametrize("plies", [0, 1])
def test_tables_that_know_the_opening_end_no_game(plies: int, pawn_tables: Tablebase) -> None:
    """Otherwise both games of every pair would end there, and every match would be even."""
    known = replace(HERE, folder=pawn_tables.prober.store.folder, opening=plies)
    for game in games("engine:level=1", "engine:level=1", conditions=known):
        assert len(moves_of(game)) > plies
        assert game.ending.why != "by the tables"


def test_long_games_are_drawn() -> None:
    start = replace(HERE, start=JUNGLE.initial, opening=2, most_plies=5)
    for game in games("engine:nodes=30", "engine:nodes=30", count=2, conditions=start, game="doushouqi"):
        assert (len(moves_of(game)), game.ending) == (7, Ending((1, 1), "no result within 5 plies"))
        assert recorded(JUNGLE, ["a", "b"], game).why == "draw: no result within 5 plies"


def test_a_last_game_without_its_twin_is_no_pair() -> None:
    def played(seats: tuple[int, int], winner: int) -> Played:
        return Played(Fixture(0, seats, "", "", ("", "")), "", 0, (), 30, Ending.of_two(winner, "goal"), False)

    assert pair_points([played((0, 1), 0), played((1, 0), 1)] * 3 + [played((0, 1), 0)]) == [2.0] * 3


PATIENCE = 4.0
"""Seconds: more than a process needs to start on a busy machine."""
FAILURES = {
    "crash": "has ended with exit code 3",
    "hang": f"has not answered within {PATIENCE:g} s",
    "illegal": "has played the illegal move 'a1a1'",
    "empty": "has sent bestmove without a move",
    "close": "has closed its output",
    "talk": f"has not answered within {PATIENCE:g} s",
    "mumble": "has written a line of more than 65,536 bytes",
}
COSTLY = ("hang", "talk", "close", "empty", "mumble")
"""Failures that take a time limit to notice, and others that a default run can do without."""


@pytest.mark.release
def test_an_engine_that_plays_well() -> None:
    """A program of its own makes the moves that it says, with the same games for the same seed."""
    one, other = (games(f"{ODD} none", "engine:nodes=40", conditions=replace(HERE, seed=5)) for _ in range(2))
    assert one == other
    assert not any(game.forfeit for game in one)
    for game in one:
        match = Match(PAWNS, PAWNS.initial)
        for ply, move in enumerate(moves_of(game)):
            assert ply < 1 or game.fixture.seats[match.player] == 1 or move == min(match.legal())
            match.play(move)


@pytest.mark.parametrize("how", [pytest.param(how, marks=pytest.mark.full) if how in COSTLY else how for how in FAILURES])
def test_engines_that_fail_lose(how: str) -> None:
    """With a sentence, whichever side they play; the next game is played by a new process."""
    [first, second] = games("engine:level=1", f"{ODD} {how}", count=2, conditions=replace(HERE, patience=PATIENCE))
    for game in (first, second):
        assert game.forfeit
        assert game.ending.winner is not None
        assert game.fixture.seats[game.ending.winner] == 0
        assert game.ending.why.startswith(f"the engine '{ODD.removeprefix('uci:')} {how}"[:50])
        assert game.ending.why.endswith(FAILURES[how])
    rows = of_pairs(["engine", "odd"], [first, second])
    assert [(row["wins"], row["losses"], row["forfeits"]) for row in rows] == [(2, 0, 0), (0, 2, 2)]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("", "the engine command is empty"),
        ("'", "cannot be started"),
        ("/nowhere/engine", "cannot be started"),
        (f"{sys.executable} -c pass", "has ended with exit code 0"),
        ("~/python -c exit(3)", "has ended with exit code 3"),
    ],
)
def test_what_is_no_engine(command: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command is no shell's, but ``~`` stands for the home folder."""
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(TablebaseError, match=said):
        games(f"uci:{command}", "engine", count=2)


def test_what_a_move_may_take() -> None:
    assert Budget(500, None).command == "go nodes 500"
    assert Budget(None, 0.25).command == "go movetime 250"
    assert Budget(None, 0.0001).command == "go movetime 1"


def test_openings_that_end_the_game() -> None:
    """Those that do are drawn again; a number of plies after which all do is refused."""
    pairs = Pairs(PAWNS, 2, 60, seed=1)
    for fixture in pairs:
        match = pairs.begun(PAWNS, fixture, PAWNS.initial, 3)
        assert (match.plies, match.ending()) == (3, None)
    with pytest.raises(TablebaseError, match="openings of 8 random plies nearly always end the game"):
        pairs.begun(PAWNS, fixture, PAWNS.initial, 8)
