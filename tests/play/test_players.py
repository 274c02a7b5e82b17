"""The players by name: what each chooses, held against plain Python and against tables, and what is refused."""

from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support import toys
from support.checks import at_least_one
from support.program import open_files, opened_since, random_position
from twins import walk as naive_walk
from twins.walk import walked

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.installed import load_rules
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.play import graph_player
from tablebase.play.engine_player import SURE, EnginePlayer
from tablebase.play.fallible import weights
from tablebase.play.graph_player import GraphPlayer
from tablebase.play.learning.matchboxes import grow_tree
from tablebase.play.lookahead_player import Chosen, parse_settings
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import all_players, find_player, open_player, player_names
from tablebase.play.ranking import ranking
from tablebase.positions.material import materials
from tablebase.probe.prober import Prober
from tablebase.search.choices import Cards, Foresight, Objective
from tablebase.search.lookahead import Lookahead, load_tables
from tablebase.system.compute.messages import count_plies
from tablebase_rules import harehedgehog

FOX, HOUNDS = 0, 1
PIGLET: Any = load_rules("pig-die=2-target=2")
RACE: Any = load_rules("harehedgehog")
FAIR = {4: 0.095558, 6: 0.041771}
"""The fuzz with an even chance, as FACTS gives it and Leslie-Hurd's article for 8x8."""


class Recorder(Random):
    """Remembers what it drew from, and with what weights."""

    def choices(self, population: Sequence[Any], weights: Any = None, **_: Any) -> list[Any]:  # type: ignore[override]
        """Draw the first."""
        self.drawn = dict(zip(population, weights, strict=True))
        return [population[0]]


def seat(name: str, side: int = 0, folder: Path = Path("nowhere")) -> Seat:
    rules: Any = load_rules(name)
    return Seat(rules, rules.initial, side, folder)


def match_at(rules: Any, text: str) -> Match[Any]:
    return Match(rules, rules.parse(text))


def undecided(name: str) -> list[Position]:
    return at_least_one(position for position, children in walked(name).children.items() if children)


def reached(player: GraphPlayer, position: Position) -> list[Position]:
    after = player.graph.game.moves(position)
    return sorted(after[move]._replace(won="") for move in player.kept_moves(position))


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("doushouqi", "tables fuzzy learner engine random"),
        ("hexapawn", "tables fuzzy ranking exploit matchboxes learner engine random"),
        ("foxhounds-4x4", "tables fuzzy foxbox ranking exploit matchboxes learner engine random"),
        ("harehedgehog", "computer tables fuzzy random"),
        ("harehedgehog-players=3", "computer random"),
        ("pig-players=3", "random"),
    ],
)
def test_who_plays_what(game: str, names: str) -> None:
    """Each player plays games of either kind as far as it can; all others are refused with the reason, as a clause."""
    rules: Any = load_rules(game)
    assert player_names(rules) == tuple(names.split())
    for record in all_players():
        if record.name not in names.split():
            with pytest.raises(
                TablebaseError, match=f"the player {record.name} cannot play {game}, because .*: choose {names.split()[0]}"
            ):
                open_player(record.name, seat(game))


def test_settings_have_one_form() -> None:
    """Behind the name or as arguments, but not both; weights of an evaluation are settings, too."""
    with open_player("ranking:fuzz=0.5", seat("hexapawn")) as one, open_player("ranking", seat("hexapawn"), fuzz="0.5") as other:
        assert isinstance(one, GraphPlayer)
        assert isinstance(other, GraphPlayer)
        assert one.fuzz == other.fuzz == 0.5
    with pytest.raises(TablebaseError, match="the setting fuzz of the player ranking is given twice"):
        open_player("ranking:fuzz=0.5", seat("hexapawn"), fuzz="0.5")
    assert set(find_player("computer").settings_in(RACE)) >= {"depth", "carrots", "lettuces", "squares"}


@pytest.mark.parametrize("name", ["hexapawn", "harehedgehog"])
def test_random_moves_are_all_alike(name: str) -> None:
    rules: Any = load_rules(name)
    with open_player("random", seat(name)) as player:
        drawn = [[player.choose(Match(rules, rules.initial), Random(seed)) for seed in range(99)] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) == set(Match(rules, rules.initial).legal())


@pytest.mark.parametrize(("name", "player"), [("hexapawn", "ranking"), ("foxhounds-4x4", "foxbox"), ("hexapawn", "matchboxes")])
def test_games_with_too_many_positions_are_refused(name: str, player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player that would have to know more positions than it can says so, with exit code 3."""
    monkeypatch.setattr("tablebase.play.graph_player.LIMIT", 70)
    monkeypatch.setattr("tablebase.play.learning.matchboxes.LIMIT", 35)
    grow_tree.cache_clear()
    with pytest.raises(CapacityError, match=r"than the supported (70|35) positions: choose a smaller board"):
        open_player(player, seat(name))


@pytest.mark.parametrize("size", [4, 6])
def test_the_fox_box_player_is_that_of_the_twin(size: int) -> None:
    """In every position on either side it keeps what plain Python keeps, and its fair fuzz gives an exactly even chance.

    The chance is played out with the exact probabilities of the moves that the player keeps, not sampled.
    """
    name = f"foxhounds-{size}x{size}"
    one, values = walked(name), naive_walk.values(walked(name))
    boxes = naive_walk.best_later(one, FOX, naive_walk.box_plies(one, values))
    expected = naive_walk.kept_moves(one, values, boxes)
    with open_player("foxbox", seat(name), fuzz="fair") as player:
        assert isinstance(player, GraphPlayer)
        kept = {position: tuple(reached(player, position)) for position in undecided(name)}
    assert kept == {position: tuple(sorted(expected[position])) for position in kept}
    assert f"{player.fuzz:.6f}" == f"{FAIR[size]:.6f}"
    assert player.subject == f"the FoxBox player with fuzz {player.fuzz:.6g} plays"
    loser = HOUNDS if values[one.start][0] == "win" else FOX
    chances = [naive_walk.error_probability(one, kept, loser, fuzz)[one.start] for fuzz in (player.fuzz, player.fuzz + 1e-5)]
    assert chances[0] < 0.5 <= chances[1]


@pytest.mark.full
def test_simple_hounds_stay_in_boxes() -> None:
    """Where hounds win they keep the moves after which the next FoxBox is soonest; all else is as without the setting."""
    name = "foxhounds-6x6"
    one, values = walked(name), naive_walk.values(walked(name))
    plies = naive_walk.box_plies(one, values)
    with open_player("foxbox:simple=yes", seat(name)) as player, open_player("foxbox", seat(name)) as other:
        assert isinstance(player, GraphPlayer)
        assert isinstance(other, GraphPlayer)
        differ = 0
        for position in undecided(name):
            kept, hard = reached(player, position), reached(other, position)
            if position.side == FOX or values[position][0] != "win":
                assert kept == hard
                continue
            won = [child for child in one.children[position] if values[child][0] == "loss"]
            assert kept == sorted(child for child in won if plies[child] == min(plies[other] for other in won))
            differ += kept != hard
    assert differ
    with pytest.raises(TablebaseError, match="the setting simple must be yes or no, not 'maybe'"):
        open_player("foxbox:simple=maybe", seat(name))


def test_the_fox_box_player_says_why() -> None:
    """After each move: the plies in which the fox wins, or B and the largest B to come, as in plain Python; errors are named."""
    name = "foxhounds-4x4"
    game, one, values = load_game(name), walked(name), naive_walk.values(walked(name))
    plies = naive_walk.box_plies(one, values)
    later = naive_walk.best_later(one, FOX, plies)

    def said(position: Position) -> str:
        outcome, distance = values[position]
        if (outcome == "win") == (position.side == FOX):
            return f"the fox wins in {count_plies(distance)}"
        most, until = later[position]
        return f"B is {plies[position]}, and the largest B that the fox can bring about is {most:.0f}, in {count_plies(until)}"

    errors, wins, random = 0, 0, Random(1)
    with open_player("foxbox:fuzz=0.5", seat(name)) as player:
        assert isinstance(player, GraphPlayer)
        for position in undecided(name):
            match = Match(game, position)
            move = player.choose(match, random)
            assert move is not None
            kept = move in player.kept_moves(position)
            expected = said(match.legal()[move]._replace(won=""))
            assert player.remark == (expected if kept else f"an error: {expected}")
            errors, wins = errors + (not kept), wins + expected.startswith("the fox wins")
            assert player.hint(match).startswith(f"{said(position)}; it would play {player.kept_moves(position)[0]}\n")
    assert errors
    assert wins


@pytest.mark.parametrize("name", ["hasenspiel-4x6", "hasenspiel-6x4-early=none", "hexapawn", "foxhounds-4x4"])
def test_the_ranking_is_that_of_plain_python(name: str) -> None:
    """By what can be forced, by its length, and by the share of games won, counted by playing all of them."""
    one, values = walked(name), naive_walk.values(walked(name))

    @cache
    def games(position: Position) -> tuple[int, int]:
        children = one.children[position]
        if not children:
            return (1, 0) if one.winner(position) == 0 else (0, 1)
        first, second = zip(*map(games, children), strict=True)
        return sum(first), sum(second)

    def worth(child: Position, side: int) -> tuple[bool, int, Fraction]:
        outcome, plies = values[child]
        won = (outcome == "win") == (child.side == side)
        return won, -plies if won else plies, Fraction(games(child)[side], sum(games(child)))

    by_share = 0
    with open_player("ranking", seat(name)) as player:
        assert isinstance(player, GraphPlayer)
        for position in undecided(name):
            children = {child: worth(child, position.side) for child in one.children[position]}
            best = max(children.values())
            assert reached(player, position) == sorted(child for child, its in children.items() if its == best)
            by_share += len({its for its in children.values() if its[:2] == best[:2]}) > 1
    assert by_share


def test_a_draw_is_better_than_a_loss_and_worse_than_a_win() -> None:
    """Where having no move is a draw and White may win, White prefers the win and Black the draw."""
    game = toys.shelter("gate")
    player = GraphPlayer("the ranking", ranking(graph_player.graph_of(Seat(game, game.initial, 0))))
    winner = player.strategy.values.winner
    won, drawn = (int((winner == one).argmax()) for one in (0, -1))
    assert (winner[won], winner[drawn]) == (0, -1)
    assert player.merit(won, 0) > player.merit(drawn, 0)
    assert player.merit(won, 1) < player.merit(drawn, 1)


@pytest.mark.parametrize(("player", "name"), [("ranking", "hexapawn"), ("foxbox", "foxhounds-4x4")])
@pytest.mark.parametrize("fuzz", ["0", "0.25", "1"])
def test_players_that_know_all_positions_err_by_their_fuzz(player: str, name: str, fuzz: str) -> None:
    """Every legal move weighs what the fuzz says, the kept ones alike."""
    with open_player(player, seat(name), fuzz=fuzz) as opened:
        assert isinstance(opened, GraphPlayer)
        game, several = opened.graph.game, 0
        for position in undecided(name):
            recorder = Recorder()
            match = Match(game, position)
            opened.choose(match, recorder)
            kept = opened.kept_moves(position)
            moves = sorted(match.legal(), key=lambda move: move not in kept)
            assert recorder.drawn == dict(zip(moves, weights(len(moves), len(kept), float(fuzz)), strict=True))
            several += len(moves) > len(kept)
    assert several


def test_a_player_is_made_for_a_start() -> None:
    """A position that cannot be reached from there is one sentence; one in the middle of a game may be the start."""
    game = load_game("foxhounds-4x4")
    middle = walked("foxhounds-4x4").children[game.initial][0]
    with open_player("foxbox", Seat(game, middle, 1)) as player:
        assert player.choose(Match(game, middle), Random(0)) in Match(game, middle).legal()
        with pytest.raises(TablebaseError, match=f"cannot be reached from the start {render(game, middle)}: start"):
            player.choose(match_at(game, game.start), Random(0))


def test_the_computer_looks_ahead() -> None:
    """It plays what a search with its settings finds, by a seed of the match's, and says what it expects."""
    settings = "computer:depth=2,objective=lead,stop=no,alpha-beta=yes,sort=yes,cuts=0/4,cards=expectation,carrots=1.5"
    foresight = Foresight(2, Objective.LEAD, False, True, True, (0, 4), Cards.EXPECTATION)
    with open_player(settings, seat("harehedgehog")) as player:
        assert player.subject == "the computer at depth 2 plays"
        for text in ("9:200:0,10:5:0 1", "20:30:1,30:20:2 2", "0:68:3,0:68:3 1"):
            found = Lookahead(RACE, foresight, weights={"carrots": 1.5}).search(RACE.parse(text))
            assert player.choose(match_at(RACE, text), Random(1)) == str(found.best)
            assert player.remark.startswith(
                f"the computer expects {found.values[0] / 1000:,.1f}, {found.values[1] / 1000:,.1f} points after "
            )
    with open_player("computer", seat("harehedgehog")) as player:
        chosen = [[player.choose(match_at(RACE, "0:68:3,0:68:3 1"), Random(seed)) for seed in range(12)] for _ in range(2)]
        assert chosen[0] == chosen[1]
        assert len(set(chosen[0])) > 1
    # To see one's own next turn, at least.
    for players, depth in ((2, 4), (3, 4), (4, 5), (6, 7)):
        assert parse_settings(harehedgehog.game(players=players), {}) == Chosen(Foresight(depth=depth), True, {})


def test_the_computer_has_tables_at_its_leaves(piglet_tables: Path) -> None:
    foresight, remarks = Foresight(depth=1, cards=Cards.EXPECTATION), {}
    for tables, folder in (("yes", piglet_tables), ("no", piglet_tables), ("yes", Path("nowhere"))):
        used = load_tables(folder, PIGLET) if tables == "yes" else None
        values = Lookahead(PIGLET, foresight, used).search(PIGLET.start).values
        with open_player(f"computer:depth=1,cards=expectation,tables={tables}", seat(PIGLET.name, 0, folder)) as player:
            player.choose(Match(PIGLET, PIGLET.start), Random(0))
            remarks[tables, folder] = player.remark
        assert player.remark == ""
        assert remarks[tables, folder].startswith(f"the computer expects {values[0] / 1000:,.1f}, ")
    assert len(set(remarks.values())) == 2


def test_the_tables_play_by_what_is_certain(piglet_tables: Path) -> None:
    """One of the moves of the best bounds, with a fuzz also another one; closing closes the files."""
    before = open_files(piglet_tables)
    with open_player("tables", seat(PIGLET.name, 0, piglet_tables)) as player:
        with closing(Prober(piglet_tables)) as prober:
            for text in ("0,0 1 0", "1,0 2 1", "0,1 1 1"):
                moves = prober.of(PIGLET).probe(PIGLET.parse(text)).moves
                best = {move.move for move in moves if move.value == moves[0].value}
                assert {player.choose(match_at(PIGLET, text), Random(seed)) for seed in range(20)} == best
        assert player.remark.startswith("the probability of winning is at least ")
        assert opened_since(before, piglet_tables)
    assert opened_since(before, piglet_tables) == []
    with open_player("fuzzy:fuzz=1", seat(PIGLET.name, 0, piglet_tables)) as player:
        drawn = {player.choose(match_at(PIGLET, "0,1 1 1"), Random(seed)) for seed in range(20)}
    assert drawn == set(match_at(PIGLET, "0,1 1 1").legal())


JUNGLE = load_game("doushouqi")
NOWHERE = Path("nowhere")


def seated(game: Game, text: str, level: int, folder: Path = NOWHERE) -> EnginePlayer:
    position = game.parse(text)
    return EnginePlayer(Seat(game, position, position.side, folder), level)


def test_a_seed_repeats_a_game() -> None:
    """At a weak level, and another seed gives another game; at the others, chance plays no part."""
    start = JUNGLE.initial

    def opening(level: int, seed: int) -> list[str]:
        random, match = Random(seed), Match(JUNGLE, start)
        with EnginePlayer(Seat(JUNGLE, start, 0, NOWHERE), level) as player:
            for _ in range(8):
                match.play(player.choose(match, random))
        return [event.text for event in match.events]

    weak = [opening(2, seed) for seed in (0, 1, 2, 0, 1, 2)]
    assert weak[:3] == weak[3:]
    assert len({tuple(moves) for moves in weak}) > 1
    assert opening(SURE, 0) == opening(SURE, 1)


def test_every_win_of_the_tables_is_won_in_time(three_pieces: Path, more_tables: Tablebase) -> None:
    """At the weakest level, against the tables, in as many plies as they say."""
    random, games = Random(1), 0
    while games < 5:
        position = random_position(JUNGLE, random.choice(materials(JUNGLE, 3)), 0, random)
        value = more_tables.probe_value(JUNGLE, position)
        if value.outcome is not Outcome.WIN or value.distance < 10:  # type: ignore[operator]
            continue
        match, games = Match(JUNGLE, position), games + 1
        with EnginePlayer(Seat(JUNGLE, position, 0, three_pieces), 1) as player:
            while (ending := match.ending()) is None:
                if match.player == 1:
                    match.play(more_tables.probe(JUNGLE, match.position).moves[0].move)
                    continue
                left = more_tables.probe_value(JUNGLE, match.position)
                match.play(player.choose(match, random))
                assert player.remark == f"win in {left.distance} (from the table)"
        assert (ending.winner, match.plies) == (0, value.distance)


def test_it_knows_the_game_so_far() -> None:
    """A side that is behind makes the move that brings a position about for the third time, however little it searches."""
    text = "7/7/7/7/3e3/7/7/7/1R5 w"
    match: Match[Position] = Match(JUNGLE, JUNGLE.parse(text))
    for move in ("b1a1", "d5d6", "a1a2", "d6d5", "a2a1", "d5d6", "a1a2", "d6d5"):
        match.play(move)
    with seated(JUNGLE, text, 1) as player:
        assert {player.choose(match, Random(seed)) for seed in range(5)} == {"a2a1"}
        assert player.remark.startswith("+0.00 at depth ")
        player.choose(Match(JUNGLE, match.position), Random(0))
        assert player.remark.startswith("-")


def test_a_search_that_sees_nothing_makes_any_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.play.engine_player.LINES", 1)
    monkeypatch.setattr("tablebase.play.engine_player.NODES", (1,))
    match = Match(JUNGLE, JUNGLE.initial)
    with seated(JUNGLE, JUNGLE.start, 1) as player:
        moves = {player.choose(match, Random(seed)) for seed in range(20)}
        assert player.remark == "random move"
    assert len(moves) > 5
    assert moves <= set(match.legal())


def test_closing_closes_the_tables(three_pieces: Path) -> None:
    before = open_files(three_pieces)
    text = "7/7/3t3/7/7/R6/4E2/7/7 w"
    with seated(JUNGLE, text, 2, three_pieces) as player:
        player.choose(Match(JUNGLE, JUNGLE.parse(text)), Random(0))
        assert opened_since(before, three_pieces)
    assert opened_since(before, three_pieces) == []
