"""Matches, and records of games of every kind, on the command line: `match`, `line --replay` and `match-stats`."""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support import odd_engine
from support.program import Ask, assert_one_sentence, assert_refused, files_of_at_most
from support.recorded import KINDS, records

from tablebase.commands.tablebase import Tablebase
from tablebase.game.installed import load_rules
from tablebase.game.values import Bounds
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import open_player
from tablebase.play.records import Record, label_of, records_in, replayed, write_record
from tablebase.play.standings import of_rounds, points_by_name
from tablebase.play.statistics import GAME, ROWS, MatchStatistics
from tablebase.play.tournament import Conditions, tournament
from tablebase.probe.prober import Prober

WORDS = ("hexapawn", "--player", "engine:nodes=60", "--player", "engine:level=1", "--games", 6, "--opening", 1, "--data", "nowhere")
PLAYERS = {"hexapawn": "engine:nodes=100", **dict.fromkeys(("pig-target=10", "harehedgehog-players=3"), "computer:depth=1")}
WON = Record("hexapawn", 1, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "goal")


def written(path: Path, *games: Record) -> Path:
    path.write_text("".join(map(write_record, games)))
    return path


@pytest.mark.parametrize("players", [2, 3])
def test_matches_of_several_players_are_written(players: int, ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "games"
    seated = ["--player", "random", "--player", "computer:depth=1"] if players == 2 else ["--player", "random"] * 2
    name = "harehedgehog" if players == 2 else "pig-target=20-players=3"
    answer = ask("match", name, *seated, "--games", 6, "--output", file, "--data", "nowhere", "--format", "json")
    games = list(records_in(file))
    rules: Any = load_rules(name)
    assert answer.err.endswith(f"wrote {len(games)} games to {file}\n")
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    for game in games:
        last = list(replayed(rules, game))[-1]
        assert (rules.result(last.position) is None) == (game.ending != "finished")
    assert any(label_of(event) for game in games for event in game.events)
    first = answer.json[0]
    seats = [(game, seat) for game in games for seat, player in enumerate(game.players) if player == "random"]
    if players == 2:
        assert first["place"] == sum(game.places[seat] for game, seat in seats) / len(seats)
        assert first["wins"] == sum(game.winner == seat for game, seat in seats)


def test_replay(ask: Ask, tmp_path: Path, hexapawns: Path, pawn_tables: Tablebase) -> None:
    file = tmp_path / "games"
    assert ask("match", *WORDS, "--output", file).code == 0
    record = list(records_in(file))[2]
    answer = ask("line", "hexapawn", "--replay", file, "--number", 3, "--data", hexapawns, "--format", "json")
    rows = answer.json
    assert [row["move"] for row in rows] == [*record.moves, None]
    assert rows[0]["position"] == record.start
    for row in rows[:-1]:
        probe = pawn_tables.probe("hexapawn", row["position"])
        assert (row["outcome"], row["distance"], row["best"]) == (str(probe.outcome), probe.distance, probe.best)
    assert f"game 3, {record.players[0]} against {record.players[1]}: {record.why}\n" in answer.err
    bare = ask("line", "hexapawn", "--replay", file, "--data", "nowhere", "--plies", 1, "--format", "csv").csv
    assert [(row["ply"], row["outcome"]) for row in bare] == [("0", ""), ("1", "")]
    drawn = ask("line", "hexapawn", "--replay", file, "--boards", "--plies", 1, "--data", "nowhere").out
    assert drawn.startswith(f"{record.start}\n\n 3 p p p")
    assert drawn.count("   a b c\n") == 2


@pytest.mark.parametrize("name", KINDS)
def test_games_of_every_kind_are_replayed(name: str, ask: Ask, tmp_path: Path) -> None:
    """Who moves, what he does or what is drawn, and every position; without tables, no value."""
    game = records(name, 2)[1]
    rules: Any = load_rules(name)
    file = written(tmp_path / "games", *records(name, 2))
    words = ["line", name, "--replay", file, "--number", 2, "--data", tmp_path / "nowhere"]
    rows = ask(*words, "--format", "json").json
    moments = list(replayed(rules, game))
    assert [row["position"] for row in rows] == [rules.format(moment.position) for moment in moments]
    assert [row["side"] for row in rows] == [rules.side(moment.position) for moment in moments]
    assert [row["move"] for row in rows] == [*(label_of(event) or event for event in game.events), None]
    assert {row["outcome"] for row in rows} == {row["best"] for row in rows} == {None}
    if "meaning" in rows[0]:
        assert [row["meaning"] for row in rows if row["side"] == "chance" and row["move"]] == [
            rules.draw_text(label_of(event)) for event in game.events if label_of(event)
        ]
    table = ask(*words)
    assert ("meaning" in rows[0]) == name.startswith(("pig", "hare")) == ("meaning" in table.out.splitlines()[0])
    assert ("best" in table.out.splitlines()[0]) == (rules.players == 2)
    assert f"game 2, {' against '.join(game.players)}: {game.why}\n" in table.err


def test_bounds_of_tables_stand_beside_moves(ask: Ask, tmp_path: Path, piglet_tables: Path) -> None:
    name: str = "pig-die=2-target=2"
    rules: Any = load_rules(name)
    file = written(tmp_path / "games", *records(name, 1))
    *rows, last = ask("line", name, "--replay", file, "--data", piglet_tables, "--format", "json").json
    with closing(Prober(piglet_tables)) as prober:
        for row in rows:
            answer = prober.of(rules).probe(rules.parse(row["position"]))
            assert (Bounds(row["lower"], row["upper"]), row["best"]) == (answer.value, answer.best)
    assert len(rows) > 3
    assert (last["lower"], last["best"]) == (None, None)


@pytest.mark.parametrize("name", ["hexapawn", "pig-target=10", "harehedgehog-players=3"])
def test_a_player_speaks_where_no_table_does(name: str, ask: Ask, tmp_path: Path, hexapawns: Path) -> None:
    """Of each position in which a player moves; not of those that tables know, unless they know nothing."""
    rules: Any = load_rules(name)
    words = ["line", name, "--replay", written(tmp_path / "games", records(name, 1)[0]), "--plies", 9]
    rows = ask(*words, "--player", PLAYERS[name], "--data", tmp_path / "nowhere", "--format", "json").json
    for row in rows:
        position = rules.parse(row["position"])
        speaks = row["move"] is not None and rules.to_move(position) >= 0
        expected = None
        if speaks:
            with open_player(PLAYERS[name], Seat(rules, position, None, tmp_path / "nowhere")) as player:
                player.choose(Match(rules, position), Random(0))
                expected = player.remark
        assert row["remark"] == expected
    assert any(row["remark"] for row in rows)
    if name == "hexapawn":
        known = ask(*words, "--player", "engine", "--data", hexapawns, "--format", "json").json
        assert {row["remark"] for row in known} == {None}


@pytest.mark.parametrize("name", ["pig-target=10", "harehedgehog-players=3"])
def test_games_by_functions_are_drawn(name: str, ask: Ask, tmp_path: Path) -> None:
    game = records(name, 1)[0]
    rules: Any = load_rules(name)
    words = ["line", name, "--replay", written(tmp_path / "games", game), "--plies", 6, "--data", tmp_path / "nowhere"]
    out = ask(*words, "--boards", "--player", "computer:depth=1").out
    for moment in list(replayed(rules, game))[:7]:
        assert f"{rules.drawn(moment.position)}\n" in out
    assert f"\n1. {game.events[0]} (" in out
    assert "   the computer expects " in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hexapawn", "--replay", "{file}", "--number", "2"], ", which has 1 in total: choose another --number"),
        (["doushouqi", "--replay", "{file}"], "game 1 (line 1) is a game of hexapawn, not of doushouqi"),
        (["pig", "--replay", "{file}"], "game 1 (line 1) is a game of hexapawn, not of pig"),
        (["awari", "--replay", "{file}", "--boards"], "awari does not have a board to draw: leave out --boards"),
        (["pig", "--replay", __file__], "line 1 ("),
    ],
)
def test_what_replay_refuses(words: list[str], said: str, ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "games"
    written(file, WON)
    assert_one_sentence(ask("line", *(word.format(file=file) for word in words)), said)


@pytest.mark.parametrize("by", ROWS)
def test_rows_of_statistics(by: str, ask: Ask, tmp_path: Path) -> None:
    kinds = ("hexapawn", "pig-players=3-target=10")
    files = [written(tmp_path / name, *records(name, 5)) for name in kinds]
    found = MatchStatistics()
    for file in files:
        for record in records_in(file):
            found.add(record)
    rows = ask("match-stats", *files, "--by", by, "--format", "json").json
    names = [*GAME, *ROWS[by]]
    assert rows == found.rows(by)
    assert list(rows[0]) == names
    assert ask("match-stats", *files, "--by", by, "--format", "csv").out.splitlines()[0] == ",".join(names)
    with_opening = ask("match-stats", *files, "--by", by, "--format", "json", "--with-opening").json
    assert (with_opening != rows) == (by not in ("seat", "ending"))
    table = ask("match-stats", *files, "--by", by)
    assert (table.code, table.err) == (0, "")
    assert len(table.out.splitlines()) == len(rows) + 2


def test_a_table_of_statistics(ask: Ask, tmp_path: Path) -> None:
    """Means with their standard deviation; of one game alone, its name is left out where lines are of its parts."""
    file = written(tmp_path / "games", WON)
    assert ask("match-stats", file).out.splitlines()[2].split() == (
        ["hexapawn", "1", "0", "1.0", "±", "0.0", "1.0", "±", "0.0", "1.0", "±", "0.0", "0", "0", "2"]
    )
    assert ask("match-stats", file, "--by", "ending").out.splitlines()[0].split() == ["ending", "games", "share"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/nowhere/games"], "/nowhere/games"),
        (["{folder}"], "{folder}"),
        (["/dev/null"], "no finished games in /dev/null: give files written by 'match --output'"),
        ([__file__], f"{__file__}: line 1 ("),
        (["{good}", "{bad}"], "{bad}: move 1 ('a2a1') of game 1 (line 1) is not legal"),
        (["{good}", "--by", "chance"], "cannot group these games by chance: choose another value for --by"),
        (["{good}", "--by", "colour"], "--by"),
        (["{other}"], "{other}: unknown game 'chess'"),
        ([], "FILE"),
    ],
)
def test_what_statistics_refuse(words: list[str], said: str, ask: Ask, tmp_path: Path) -> None:
    places = {"folder": tmp_path, "good": written(tmp_path / "good", WON), "bad": tmp_path / "bad", "other": tmp_path / "other"}
    places["bad"].write_text(write_record(WON).replace("a2a3", "a2a1"))
    places["other"].write_text(write_record(WON).replace("hexapawn", "chess"))
    assert_one_sentence(ask("match-stats", *(word.format(**places) for word in words)), said.format(**places))


def test_games_that_were_not_finished(ask: Ask, tmp_path: Path) -> None:
    file = written(tmp_path / "games", WON, replace(WON, places=(), events=()), WON)
    answer = ask("match-stats", file, "--format", "json")
    assert [(row["games"], row["drawn"]) for row in answer.json] == [(2, 0)]
    assert answer.err.endswith("left out 1 unfinished games\n")


def test_a_curve_of_points(ask: Ask, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    won = replace(WON, players=("one", "other"))
    games = [won, replace(won, players=("other", "one")), won]
    assert points_by_name((game.players, game.places) for game in games) == {"one": [1, 0, 1], "other": [0, 1, 0]}
    assert points_by_name([(("one", "one"), (1, 2))] * 2) == {"one (1)": [1, 1], "one (2)": [0, 0]}
    path, curve = written(tmp_path / "games.txt", *games * 10), tmp_path / "curve.svg"
    answer = ask("match-stats", path, "--curve", curve)
    assert (answer.code, answer.out) == (0, ask("match-stats", path).out)
    assert curve.read_text().count('<path d="M') > 2
    assert_one_sentence(ask("match-stats", path, "--curve", tmp_path / "curve.txt"), "cannot write a picture to")


def test_a_match_of_pairs(ask: Ask, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "other")]
    rows, again = (ask("match", *WORDS, "--output", file, "--format", "json").json for file in files)
    assert rows == again
    assert files[0].read_text() == files[1].read_text()
    first, second = rows
    assert [row["player"] for row in rows] == ["engine:nodes=60", "engine:level=1"]
    assert first["games"] == first["wins"] + first["draws"] + first["losses"] == 6
    assert (first["wins"], first["losses"]) == (second["losses"], second["wins"])
    assert first["share"] == pytest.approx((first["wins"] + first["draws"] / 2) / 6)
    assert first["share"] + second["share"] == pytest.approx(1)
    assert first["share_from"] + second["share_to"] == pytest.approx(1)
    texts = list(records_in(files[0]))
    won = sum(text.winner is not None and text.players[text.winner] == "engine:nodes=60" for text in texts)
    assert (len(texts), won) == (6, first["wins"])
    table = ask("match", *WORDS)
    assert table.out.split()[:7] == ["player", "games", "wins", "draws", "losses", "share", "forfeits"]


def test_a_full_disk_is_said_of_the_record(ask: Ask, tmp_path: Path) -> None:
    """The sentence names the file, though what is left of a game is written again when it is closed."""
    with files_of_at_most(100):
        answer = ask("match", *WORDS, "--output", tmp_path / "games")
    assert_refused(answer, 3, f"no space is left for {tmp_path / 'games'}")


def test_forfeits_are_named(ask: Ask) -> None:
    engine = f"uci:{sys.executable} {odd_engine.__file__} illegal"
    answer = ask("match", *WORDS[:3], "--player", engine, "--games", 2, "--opening", 1, "--data", "nowhere", "--format", "json")
    assert [row["forfeits"] for row in answer.json] == [0, 2]
    assert "game 1: White wins: the engine " in answer.err
    assert "has played the illegal move" in answer.err


def test_a_match_in_rounds(ask: Ask) -> None:
    names = ["computer:depth=1", "random"]
    words = ["harehedgehog", "55:30:0,52:30:0 1", "--player", names[0], "--player", names[1], "--games", 4, "--seed", 9]
    words += ["--opening", 2, "--data", "nowhere"]
    rules: Any = load_rules("harehedgehog")
    start = rules.parse("55:30:0,52:30:0 1")
    expected = of_rounds(names, list(tournament(rules, names, 4, Conditions(start, 2, 9, Path("nowhere")))))
    assert ask("match", *words, "--format", "json").json == expected
    found = ask("match", *words, "--format", "csv").csv
    assert [row["share"] for row in found] == [str(row["share"]) for row in expected]
    table = ask("match", *words)
    assert (table.code, table.err) == (0, "")
    assert table.out.splitlines()[0].split() == ["player", "games", "wins", "rank", "place", "share", "broken", "off"]
    for name, digits in (("rank", 0), ("place", 2), ("share", 3)):
        number, low, high = (f"{expected[0][name + bound]:.{digits}f}" for bound in ("", "_from", "_to"))
        assert f"{number} ({low} to {high})" in table.out
