"""Records of games of every kind: written and read back, replayed, refused where they are damaged; statistics of them."""

import gc
import statistics as plain
import tracemalloc
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one
from support.recorded import GAMES, KINDS, records

from tablebase.errors import NotationError, TablebaseError
from tablebase.game import Game, load_game
from tablebase.game.installed import load_rules
from tablebase.game.notation import render
from tablebase.game.rules import CHANCE, OVER, Rules
from tablebase.play import records as module
from tablebase.play import statistics
from tablebase.play.records import Record, label_of, read_records, record_of, records_in, replayed, write_record
from tablebase.play.statistics import GAME, ROWS, MatchStatistics, spread
from tablebase.system.files.inputs import LONGEST_LINE

PAWNS = load_game("hexapawn")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLACES = st.lists(st.integers(0, 3), min_size=2, max_size=6).map(lambda one: tuple(1 + sum(a < b for a in one) for b in one))
WORDS = st.from_regex(r"[a-h][1-9]-?[a-h][1-9]|-?[0-9]{1,4}|\{[a-z_0-9]{1,12}\}", fullmatch=True)


@st.composite
def odd_records(draw: Any) -> Record:
    places = draw(PLACES)
    names = tuple(draw(TEXTS) for _ in places)
    events = tuple(draw(st.lists(WORDS, max_size=60)))
    return Record(draw(TEXTS), draw(st.integers(0, 999)), names, draw(TEXTS), draw(st.integers(0, 99)), events, places, draw(TEXTS))


def reread(*games: Record) -> list[Record]:
    return list(read_records("".join(map(write_record, games)).split("\n")))


@given(st.lists(odd_records(), max_size=4))
def test_text_and_back(games: list[Record]) -> None:
    assert reread(*games) == games


@given(GAMES)
def test_games_are_replayed(played: tuple[Record, list[Any]]) -> None:
    """From its text, a game has the positions that it had, who moved in them, and how many moves there were."""
    record, positions = played
    rules: Any = load_rules(record.game)
    [read] = reread(record)
    assert read == record
    moments = list(replayed(rules, read))
    assert [moment.position for moment in moments] == positions
    turn = 0
    for place, moment in enumerate(moments):
        turn += place > 0 and rules.begins_turn(moment.position)
        assert moment.turn == turn
        assert moment.mover == rules.to_move(moment.position)
        if moment.event is not None:
            assert (label_of(moment.event) is not None) == (moment.mover == CHANCE)
            assert moment.choices == len(rules.draws(moment.position) if moment.mover == CHANCE else rules.moves(moment.position))
    assert moments[-1].event is None
    assert len(read.moves) == sum(moment.mover != CHANCE for moment in moments[:-1])
    assert moments[-1].mover != OVER or record.places == rules.result(positions[-1]).places


def test_text_by_hand() -> None:
    """The form of PGN for two players."""
    text = Record("hexapawn", 7, ("a", 'b "c"'), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "White wins: goal")
    assert write_record(text) == (
        '[Game "hexapawn"]\n[Round "7"]\n[White "a"]\n[Black "b \\"c\\""]\n[Start "3/P1p/3 w"]\n[Opening "0"]\n'
        '[Result "1-0"]\n[Termination "White wins: goal"]\n\na2a3\n1-0\n\n'
    )
    assert [render(PAWNS, moment.position) for moment in replayed(PAWNS, text)] == ["3/P1p/3 w", "P2/2p/3 b"]
    assert text.ending == "goal"


def test_text_of_three_by_hand() -> None:
    """With more players: their names by number, places as the result, and what was drawn in braces."""
    rules: Any = load_rules("pig-target=3-players=3")
    events = [("1", False), ("3", True), ("0", False)]
    record = record_of(rules, 2, ["a", "b", "c"], rules.start, events, (1, 2, 2), "finished", opening=1)
    text = (
        '[Game "pig-target=3-players=3"]\n[Round "2"]\n[Player1 "a"]\n[Player2 "b"]\n[Player3 "c"]\n[Start "0,0,0 1 0"]\n'
        '[Opening "1"]\n[Result "1-2-2"]\n[Termination "player 1 wins: finished"]\n\n1 {3} 0\n1-2-2\n\n'
    )
    assert write_record(record) == text
    assert [rules.format(moment.position) for moment in replayed(rules, record)] == [
        "0,0,0 1 0",
        "0,0,0 1 0 roll",
        "0,0,0 1 3",
        "3,0,0 2 0",
    ]
    shared = record_of(rules, 1, ["a", "b", "c"], rules.start, [], (1, 1, 3), "broken off")
    assert (shared.why, shared.ending, shared.winner, record.winner) == ("draw: broken off", "broken off", None, 0)


def test_moves_are_not_broken_at_hyphens() -> None:
    words = tuple(form.format("x" * length) for length in range(1, 60) for form in ("{}-back", "-12", "{{fall-{}}}"))
    record = Record("x", 1, ("a", "b"), "", 0, words, (1, 1), "")
    assert reread(record) == [record]


def test_moves_that_look_like_results() -> None:
    """The last word decides a game, and the tag says which one that is: a line of moves may end with any word."""
    one = Record("x", 1, ("a", "b"), "", 0, ("6-5", "2-1", "1-0"), (1, 2), "")
    other = Record("x", 2, ("a", "b", "c"), "", 0, ("1-0", "1/2-1/2", "2-1-3", "*"), (2, 1, 3), "")
    assert reread(one, other, one) == [one, other, one]


ANNOTATED = """\
; games of a day
[Game "hexapawn"]
[Round "1"]
[White "a"]
[Black "b"]
[Start "ppp/3/PPP w"]
[Opening "0"]
[Result "*"]
[Termination "broken off"]

{[%clk 0:10]
[Game "in a comment"]} 1. a1a2 {good} b3a2 ; takes 1-0
2.b1a2 {} 2... c3c2 {a long
comment
} * {bad}
"""


def test_what_other_programs_add() -> None:
    """Comments and move numbers are skipped; a game that was not finished has no places, and is replayed up to its end."""
    [read] = read_records(ANNOTATED.split("\n"))
    assert (read.moves, read.places, read.winner) == (("a1a2", "b3a2", "b1a2", "c3c2"), (), None)
    assert render(PAWNS, list(replayed(PAWNS, read))[-1].position) == "p2/P1p/2P w"
    assert reread(read) == [read]
    rolled = ROLLED.replace("1 {2} 0 0", "1. 1 {2} {a fine roll}\n2. 0 ; holds\n2... 0")
    assert reread(*read_records(rolled.split("\n"))) == list(read_records(ROLLED.split("\n")))


GOOD = write_record(Record("hexapawn", 1, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "goal"))
PIG: Any = load_rules("pig-target=3-players=3")
ROLLED = write_record(
    record_of(PIG, 1, "abc", PIG.start, [("1", False), ("2", True), ("0", False), ("0", False)], (1, 2, 2), "broken off")
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{2}", "{7}", r"move 2 \('\{7\}'\) of game 1 \(line 1\) is not possible"),
        ("{2}", "2", "move 2 \\('2'\\) of .* is not legal"),
        ("1 {2}", "{2}", r"move 1 \('\{2\}'\) of .* is not possible"),
        ("1-2-2", "1-1-2", "line 1 has an invalid Round, Opening or Result tag"),
        ("1-2-2", "1-2", "line 1 has no White tag"),
        ("\n1-2-2", "\n1-1-3", "does not end with its result"),
        ('[Player3 "c"]\n', "", "line 1 has no Player3 tag"),
        ("\n1-0\n", "\n", "the game starting on line 1 does not end with its result: add the result after the moves"),
        ('[Result "1-0"]\n', "", "line 1 has no Result tag"),
        ("\n1-0\n", f"\n{GOOD}", "the game starting on line 1 does not end with its result"),
        ('[Start "3/P1p/3 w"]\n', "", "line 1 has no Start tag"),
        ('[Result "1-0"]', '[Result "0-1"]', "the game starting on line 1 does not end with its result"),
        ('[Round "1"]', '[Round "x"]', "the game starting on line 1 has an invalid Round, Opening or Result tag"),
        ('[Start "3/P1p/3 w"]', r'[Start "\q"]', r"line 5 .* is not a tag"),
        ('[White "a"]', r'[White "\ud800"]', r"line 3 .* is not a tag"),
        ('[Start "3/P1p/3 w"]', '[Start "3/P1p/3 w"', "line 5 .* is not a tag"),
        ('[Start "3/P1p/3 w"]', '[Start "3/P1p/4 w"]', r"the start position of game 1 \(line 1\) is invalid: rank 1"),
        ('[Game "hexapawn"]', 'a2a3\n[Game "hexapawn"]', "line 1 .'a2a3'. is not a tag"),
        ("a2a3", "a2a1", r"move 1 \('a2a1'\) of game 1 \(line 1\) is not legal"),
        ("a2a3", "a2a3 c2c1", r"move 2 \('c2c1'\) of game 1 \(line 1\) is not legal"),
        ("a2a3", "a2a3 {good", "line 1 does not end with its result"),
        ('[Game "hexapawn"]', '[Game "doushouqi"]', r"game 1 \(line 1\) is a game of doushouqi, not of hexapawn"),
        ("1-0", "0-1", "has the result 0-1, but its moves lead to 1-0"),
    ],
)
def test_texts_that_are_damaged(old: str, new: str, said: str) -> None:
    """Of two players or, where the words are theirs, of three."""
    rules, text = (PAWNS, GOOD) if old in GOOD else (PIG, ROLLED)
    with pytest.raises(TablebaseError, match=said) as refused:
        [list(replayed(rules, record)) for record in read_records(text.replace(old, new).split("\n"))]
    assert isinstance(refused.value, NotationError) == ("a game of doushouqi" not in said)


def test_a_number_of_players_that_the_game_has_not() -> None:
    three = record_of(PIG, 1, "abc", PIG.start, [], (1, 1, 1), "broken off")
    pair: Any = load_rules("pig-target=3")
    with pytest.raises(NotationError, match="game 1 has 3 players, but pig-target=3 has 2"):
        list(replayed(pair, replace(three, game=pair.name)))


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault names the file; a line, or a game, without end is refused before it fills the memory."""
    file = tmp_path / "games"
    file.write_bytes(f"{GOOD}{ROLLED}".replace("\n", "\r\n").encode())
    assert [record.line for record in records_in(file)] == [1, 13]
    for content, said in [
        (b"\xff", "is not UTF-8 text"),
        (b"a" * (LONGEST_LINE + 1), f"has a line of more than {LONGEST_LINE:,} characters"),
        (b"a2a3", "line 1 .'a2a3'. is not a tag"),
        (GOOD.replace("a2a3", "a2a3\n" * 9).encode(), "has more than 8 moves"),
    ]:
        monkeypatch.setattr(module, "MOST", 8)
        file.write_bytes(content)
        with pytest.raises(TablebaseError, match=said) as refused:
            list(records_in(file))
        assert str(refused.value).startswith(str(file))
    with pytest.raises(TablebaseError, match="use a file written by 'match --output'"):
        list(records_in(tmp_path / "nowhere"))


def collected(*games: Record, with_opening: bool = False) -> MatchStatistics:
    found = MatchStatistics(with_opening=with_opening)
    for game in games:
        found.add(game)
    return found


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_spread_is_that_of_the_numbers(numbers: list[int]) -> None:
    mean, deviation, *others = spread(Counter(numbers))
    assert mean == pytest.approx(plain.fmean(numbers))
    assert deviation == pytest.approx(plain.pstdev(numbers))
    assert others == [min(numbers), plain.median(numbers), max(numbers)]
    assert spread({}) == (None,) * 5


# A capture of a pawn by the second player, who then has reached the other side.
SHORT = Record("hexapawn", 1, ("a", "b"), "ppp/3/PPP w", 2, ("b1b2", "a3b2", "c1b2", "c3b2"), (1, 1), "draw: broken off")
WON = Record("hexapawn", 2, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "White wins: goal")


def test_two_games_by_hand() -> None:
    """Of the first one, the two plies of its opening are left out, or counted."""
    [row] = collected(SHORT, WON).rows("game")
    assert (row["game"], row["players"], row["games"], row["drawn"], row["opening"]) == ("hexapawn", 2, 2, 1, 1.0)
    assert [row[f"plies{name}"] for name in ("", "_sd", "_min", "_median", "_max")] == [1.5, 0.5, 1, 1.5, 2]
    assert [row[f"turns{name}"] for name in ("", "_sd", "_min", "_median", "_max")] == [1.5, 0.5, 1, 1.5, 2]
    # White takes or steps with either pawn; Black takes back or steps; in the other game, one pawn steps.
    assert row["choices"] == pytest.approx((4 + 2 + 1) / 3)
    assert (row["choices_min"], row["choices_median"], row["choices_max"]) == (1, 2.0, 4)
    assert (row["captures"], row["pieces_left"], row["chance"]) == (1.0, 2.5, 0.0)
    [whole] = collected(SHORT, WON, with_opening=True).rows("game")
    assert (whole["opening"], whole["plies"], whole["turns"], whole["captures"]) == (0.0, 2.5, 2.5, 1.5)


def test_other_rows_by_hand() -> None:
    found = collected(SHORT, WON)
    assert found.rows("seat") == [
        {"game": "hexapawn", "players": 2, "seat": 1, "side": "White", "games": 2, "wins": 1, "shared": 1}
        | {"win_share": 0.5, "place": 1.0},
        {"game": "hexapawn", "players": 2, "seat": 2, "side": "Black", "games": 2, "wins": 0, "shared": 1}
        | {"win_share": 0.0, "place": 1.5},
    ]
    assert [(row["ending"], row["games"], row["share"]) for row in found.rows("ending")] == [
        ("broken off", 1, 0.5),
        ("goal", 1, 0.5),
    ]
    squares = found.rows("square")
    assert [(row["square"], row["moves"], row["captures"]) for row in squares[:3]] == [("b2", 2, 2), ("a3", 1, 0), ("a1", 0, 0)]
    assert (len(squares), squares[0]["share"]) == (9, pytest.approx(2 / 3))
    assert [(row["piece"], row["name"], row["moves"], row["captures"], row["captured"]) for row in found.rows("piece")] == [
        ("P", "White pawn", 2, 1, 1),
        ("p", "Black pawn", 1, 1, 1),
    ]
    assert found.rows("chance") == []


def test_a_game_of_chance_by_hand() -> None:
    """Three players; a turn of two rolls, one of a lost roll, and one of holding, of which the first is the opening."""
    pig: Any = load_rules("pig-target=9-players=3")
    events = [("1", False), ("2", True), ("1", False), ("3", True), ("0", False), ("1", False), ("1", True), ("0", False)]
    game = record_of(pig, 1, "abc", pig.start, events, (1, 2, 2), "broken off", opening=1)
    [row] = collected(game).rows("game")
    assert (row["players"], row["opening"], row["plies"], row["turns"], row["chance"]) == (3, 3.0, 2.0, 2.0, 1.0)
    assert (row["choices"], row["captures"], row["pieces_left"]) == (2.0, None, None)
    [whole] = collected(game, with_opening=True).rows("game")
    assert (whole["opening"], whole["plies"], whole["turns"], whole["chance"]) == (0.0, 5.0, 3.0, 3.0)
    labels = collected(game, with_opening=True).rows("chance")
    assert [(one["label"], one["meaning"], one["times"]) for one in labels] == [("2", "2", 1), ("3", "3", 1), ("1", "1", 1)]
    assert [row["place"] for row in collected(game).rows("seat")] == [1.0, 2.0, 2.0]
    assert collected(game).rows("square") == collected(game).rows("piece") == []


@pytest.mark.parametrize("name", KINDS)
def test_random_games_are_as_a_plain_recount_says(name: str) -> None:
    games = records(name, 8)
    rules: Rules[Any] = load_rules(name)
    plies, turns, choices, chance, left = [], [], [], 0, 0
    for game in games:
        moments = list(replayed(rules, game))
        begin = next((place for place, moment in enumerate(moments) if moment.turn >= game.opening), len(moments) - 1)
        own = moments[begin:]
        moved = [moment for moment in own if moment.event is not None and moment.mover != CHANCE]
        plies.append(len(moved))
        turns.append(sum(rules.begins_turn(moment.position) for moment in own[1:]))
        choices += [len(rules.moves(moment.position)) for moment in moved]
        chance += sum(moment.mover == CHANCE for moment in own[:-1])
        left += len(moments[-1].position.pieces) if isinstance(rules, Game) else 0
    [row] = collected(*games).rows("game")
    for key, numbers in (("plies", plies), ("turns", turns), ("choices", choices)):
        assert row[key] == pytest.approx(plain.fmean(at_least_one(numbers)))
        assert row[f"{key}_sd"] == pytest.approx(plain.pstdev(numbers))
        assert row[f"{key}_median"] == plain.median(numbers)
    assert row["chance"] == pytest.approx(chance / 8)
    assert row["pieces_left"] == (left / 8 if isinstance(rules, Game) else None)
    found = collected(*games)
    assert sum(row["share"] for row in found.rows("ending")) == pytest.approx(1)
    for by in ("chance", "square", "piece"):
        assert not found.rows(by) or sum(row["share"] for row in found.rows(by)) == pytest.approx(1)


def test_kinds_of_games_are_apart() -> None:
    """Each game and number of players has rows of its own, whatever the order of the games."""
    one, three = records("harehedgehog", 2), records("harehedgehog-players=3", 1)
    found = collected(one[0], three[0], one[1])
    assert [(row["game"], row["players"], row["games"]) for row in found.rows("game")] == [
        ("harehedgehog", 2, 2),
        ("harehedgehog-players=3", 3, 1),
    ]
    assert all([*row] == [*GAME, *names] for by, names in ROWS.items() for row in found.rows(by))
    with pytest.raises(TablebaseError, match="unknown game 'chess'"):
        collected(replace(WON, game="chess"))


@pytest.mark.release
def test_memory_does_not_grow_with_games(tmp_path: Path) -> None:
    """After some games, hundreds more need no memory worth mentioning, though their text has 100 kB."""
    file = tmp_path / "games"
    file.write_text("".join(map(write_record, records("hexapawn", 20))) * 25)
    found, used = MatchStatistics(), []
    tracemalloc.start()
    for _ in range(2):
        for record in records_in(file):
            found.add(record)
        gc.collect()
        used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert used[1] - used[0] < 10_000 < file.stat().st_size / 5
    assert found.rows("game")[0]["games"] == 1000


def test_endings_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "MOST_ENDINGS", 2)
    found = collected(*(replace(WON, why=f"White wins: {why}") for why in "abacad"))
    assert [(row["ending"], row["games"]) for row in found.rows("ending")] == [("a", 3), ("others", 2), ("b", 1)]
