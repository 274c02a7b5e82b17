"""Players and matches of games of chance or of several players."""

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from support.checks import at_least_one
from support.program import open_files, opened_since

from tablebase.game.installed import load_rules
from tablebase.play.lookahead_player import Chosen, parse_settings
from tablebase.play.state_match import MOST_TURNS, Ending, EndReason, StateMatch, opened
from tablebase.play.state_players import open_state_player
from tablebase.probe.prober import Prober
from tablebase.search.choices import Cards, Foresight, Objective
from tablebase.search.leaf_tables import load_tables
from tablebase.search.lookahead import Lookahead
from tablebase_rules import harehedgehog

RACE: Any = load_rules("harehedgehog-cards=none")
PIGLET: Any = load_rules("pig-die=2-target=2")
THREE = harehedgehog.game(players=3)


def match_at(game: Any, text: str, seed: int = 1, most_turns: int = 0) -> StateMatch:
    """A match that begins with a state."""
    return StateMatch(game, game.parse(text), Random(seed), most_turns)


# Matches


def test_a_game_to_its_end() -> None:
    """Two of three come home, and the third one is last; each move is an event of its player."""
    match = match_at(THREE, "63:1:0,62:3:0,0:68:3 1")
    assert (match.player, match.ending()) == (0, None)
    [event] = match.play(1)
    assert (event.player, event.code, event.label) == (0, 1, "")
    assert THREE.format(event.state) == "64:0:0#1,62:3:0,0:68:3 2" == THREE.format(match.state)
    match.play(2)
    assert match.ending() == Ending((1, 2, 3), EndReason.FINISHED)
    assert match.legal() == {}
    assert match.turns == 2


def test_draws_are_made_as_they_come_up() -> None:
    """A card is an event of the player who draws it; a match may begin before a draw; a seed repeats all."""
    seen = set()
    for seed in range(30):
        match = match_at(harehedgehog.game(), "3:62:3,0:68:3 1 draw:6", seed)
        [event, *_] = match.events
        assert (event.player, event.code) == (0, None)
        seen.add(event.label)
        assert match_at(harehedgehog.game(), "3:62:3,0:68:3 1 draw:6", seed).events == match.events
    assert len(seen) > 5
    moved, *drawn = match_at(harehedgehog.game(), "0:68:3,0:68:3 1").play(1)
    assert moved.code == 1
    assert [one.player for one in at_least_one(drawn)] == [0] * len(drawn)


def test_outcomes_are_drawn_by_their_probabilities() -> None:
    """Cards of which there are two come up twice as often as the others, as far as 6,000 draws say."""
    game = harehedgehog.game()
    random = Random(7)
    labels = [StateMatch(game, game.parse("3:62:3,0:68:3 1 draw:6"), random).events[0].label for _ in range(6000)]
    assert 1000 - 150 < labels.count("free") < 1000 + 150
    assert 500 - 110 < labels.count("again") < 500 + 110


def test_moves_are_taken_back() -> None:
    """The last one of a player, with all that came after it; turns are counted anew."""
    match = match_at(RACE, "0:68:3,0:68:3 1")
    assert not match.undo(0)
    for code in (2, 4, 1, 1):
        match.play(code)
    assert match.turns == 4
    assert match.undo(0)
    assert (RACE.format(match.state), match.turns) == ("2:65:3,4:58:3 1", 2)
    assert match.undo(1)
    assert (RACE.format(match.state), match.turns) == ("2:65:3,0:68:3 2", 1)
    assert not match.undo(1)
    drawn = match_at(harehedgehog.game(), "0:68:3,0:68:3 1")
    assert len(drawn.play(1)) > 1
    assert drawn.undo(0)
    assert (drawn.state, drawn.turns) == (drawn.start, 0)


def test_games_are_broken_off_and_blocked_ones_end() -> None:
    """By the number of turns, and where nobody can ever move again; places are those on the board."""
    match = match_at(RACE, "13:9:0,9:0:0 1", most_turns=2)
    match.play(1001)
    assert match.ending() is None
    match.play(-1)
    assert match.ending() == Ending((1, 2), EndReason.BROKEN_OFF)
    assert match_at(RACE, "4:0:0,3:2:0 1").ending() == Ending((1, 2), EndReason.DEADLOCK)
    assert match_at(PIGLET, "1,0 1 0", most_turns=1).most_turns == 1
    assert match_at(PIGLET, "1,0 1 0").most_turns == 2 * MOST_TURNS
    broken = match_at(PIGLET, "1,0 1 0", most_turns=1)
    broken.play(0)
    assert broken.ending() == Ending((1, 1), EndReason.BROKEN_OFF)


def test_openings() -> None:
    """A number of turns of random moves, the same by the same seed; a game that cannot go on for so long begins at its start."""
    found = [opened(RACE, RACE.start, 4, Random(seed)) for seed in (1, 1, 2, 3)]
    assert found[0] == found[1]
    assert len(set(found)) == 3
    assert opened(RACE, RACE.start, 0, Random(1)) == RACE.start
    # Of both moves one ends the game, and does not count.
    late, only = RACE.parse("63:1:0,0:0:0 1"), RACE.parse("56:71:0,0:0:0 2")
    assert {opened(RACE, late, 1, Random(seed)) for seed in range(9)} == {only}
    over = RACE.parse("64:0:0#1,0:0:0 2")
    assert opened(RACE, over, 3, Random(1)) == over


# Players


def test_the_computer_looks_ahead() -> None:
    """It plays what a search with its settings finds, by a seed of the match's, and says what it expects."""
    settings = "computer:depth=2,objective=lead,stop=no,alpha-beta=yes,sort=yes,cuts=0/4,cards=expectation,carrots=1.5"
    foresight = Foresight(2, Objective.LEAD, False, True, True, (0, 4), Cards.EXPECTATION)
    game: Any = harehedgehog.game()
    with open_state_player(settings, game, Path("nowhere")) as player:
        for text in ("9:200:0,10:5:0 1", "20:30:1,30:20:2 2", "0:68:3,0:68:3 1"):
            found = Lookahead(game, foresight, weights={"carrots": 1.5}).search(game.parse(text))
            assert player.choose(game.parse(text), Random(1)) == found.best
            assert player.remark.startswith(
                f"it expects {found.values[0] / 1000:,.1f}, {found.values[1] / 1000:,.1f} points after "
            )
    with open_state_player("computer", game, Path("nowhere")) as player:
        chosen = {seed: player.choose(game.parse("0:68:3,0:68:3 1"), Random(seed)) for seed in range(12)}
        assert len(set(chosen.values())) > 1
        assert chosen == {seed: player.choose(game.parse("0:68:3,0:68:3 1"), Random(seed)) for seed in range(12)}
    # To see one's own next turn, at least.
    for players, depth in ((2, 4), (3, 4), (4, 5), (6, 7)):
        assert parse_settings(harehedgehog.game(players=players), {}) == Chosen(Foresight(depth=depth), True, {})


def test_the_computer_has_tables_at_its_leaves(piglet_tables: Path) -> None:
    """Unless it is told not to, and where there are any."""
    foresight, remarks = Foresight(depth=1, cards=Cards.EXPECTATION), {}
    for tables, folder in (("yes", piglet_tables), ("no", piglet_tables), ("yes", Path("nowhere"))):
        used = load_tables(folder, PIGLET) if tables == "yes" else None
        values = Lookahead(PIGLET, foresight, used).search(PIGLET.start).values
        with open_state_player(f"computer:depth=1,cards=expectation,tables={tables}", PIGLET, folder) as player:
            player.choose(PIGLET.start, Random(0))
            remarks[tables, folder] = player.remark
        assert player.remark == ""
        assert remarks[tables, folder].startswith(f"it expects {values[0] / 1000:,.1f}, ")
    assert len(set(remarks.values())) == 2


def test_the_tables_play_by_what_is_certain(piglet_tables: Path) -> None:
    """One of the moves of the best bounds; closing closes the files."""
    before = open_files(piglet_tables)
    with open_state_player("tables", PIGLET, piglet_tables) as player:
        with closing(Prober(piglet_tables)) as prober:
            for text in ("0,0 1 0", "1,0 2 1", "0,1 1 1"):
                moves = prober.probe(PIGLET, PIGLET.parse(text)).moves
                best = [int(move.move) for move in moves if move.value == moves[0].value]
                assert player.choose(PIGLET.parse(text), Random(1)) in best
        assert player.remark.startswith("its chance is at least ")
        assert opened_since(before, piglet_tables)
    assert opened_since(before, piglet_tables) == []
