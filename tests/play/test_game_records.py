"""Records of games of every kind: written and read back, replayed by the rules, and refused where they are damaged."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.recorded import GAMES

from tablebase.errors import NotationError, TablebaseError
from tablebase.files.inputs import LONGEST_LINE
from tablebase.game import load_game
from tablebase.game.installed import load_rules
from tablebase.game.notation import render
from tablebase.game.rules import CHANCE, OVER
from tablebase.play import records as module
from tablebase.play.records import Record, label_of, read_records, record_of, records_in, replayed, write_record

PAWNS = load_game("hexapawn")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLACES = st.lists(st.integers(0, 3), min_size=2, max_size=6).map(lambda one: tuple(1 + sum(a < b for a in one) for b in one))
WORDS = st.from_regex(r"[a-h][1-9]-?[a-h][1-9]|-?[0-9]{1,4}|\{[a-z_0-9]{1,12}\}", fullmatch=True)


@st.composite
def odd_records(draw: Any) -> Record:
    """Records with any texts and events, which need not be those of a game."""
    places = draw(PLACES)
    names = tuple(draw(TEXTS) for _ in places)
    events = tuple(draw(st.lists(WORDS, max_size=60)))
    return Record(draw(TEXTS), draw(st.integers(0, 999)), names, draw(TEXTS), draw(st.integers(0, 99)), events, places, draw(TEXTS))


def reread(*games: Record) -> list[Record]:
    """The records in the text of some."""
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
    """Words with a hyphen are one move wherever a line ends."""
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


# Records that are damaged

GOOD = write_record(Record("hexapawn", 1, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "goal"))
PIG: Any = load_rules("pig-target=3-players=3")
ROLLED = write_record(
    record_of(PIG, 1, "abc", PIG.start, [("1", False), ("2", True), ("0", False), ("0", False)], (1, 2, 2), "broken off")
)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{2}", "{7}", r"move 2 of game 1 \(line 1\), '\{7\}', is not possible"),
        ("{2}", "2", "move 2 of .*, '2', is not legal"),
        ("1 {2}", "{2}", r"move 1 of .*, '\{2\}', is not possible"),
        ("1-2-2", "1-1-2", "line 1 do not fit"),
        ("1-2-2", "1-2", "line 1 has no tag White"),
        ("\n1-2-2", "\n1-1-3", "has no result"),
        ('[Player3 "c"]\n', "", "line 1 has no tag Player3"),
        ('[Player2 "b"]\n', "", "line 1 has no tag Player2"),
        ("\n1-0\n", "\n", "the game that begins in line 1 has no result: end its moves with that of its tag Result"),
        ('[Result "1-0"]\n', "", "line 1 has no tag Result"),
        ("\n1-0\n", f"\n{GOOD}", "the game that begins in line 1 has no result"),
        ("a2a3\n1-0\n", f"\n{GOOD}", "the game that begins in line 1 has no result"),
        ('[Start "3/P1p/3 w"]\n', "", "line 1 has no tag Start"),
        ('[White "a"]\n', "", "line 1 has no tag White"),
        ('[Result "1-0"]', '[Result "0-1"]', "the game that begins in line 1 has no result"),
        ('[Round "1"]', '[Round "x"]', "the tags Round, Opening and Result of the game that begins in line 1 do not fit"),
        ('[Start "3/P1p/3 w"]', r'[Start "\q"]', r"line 5, .*, is not a tag"),
        ('[White "a"]', r'[White "\ud800"]', r"line 3, .*, is not a tag"),
        ('[Start "3/P1p/3 w"]', '[Start "3/P1p/3 w"', "line 5, .*, is not a tag"),
        ('[Start "3/P1p/3 w"]', '[Start "3/P1p/4 w"]', r"the start of game 1 \(line 1\) is not one: row 1"),
        ('[Game "hexapawn"]', 'a2a3\n[Game "hexapawn"]', "line 1, 'a2a3', is not a tag"),
        ("a2a3", "a2a1", r"move 1 of game 1 \(line 1\), 'a2a1', is not legal"),
        ("a2a3", "a2a3 c2c1", r"move 2 of game 1 \(line 1\), 'c2c1', is not legal"),
        ("a2a3", "a2a3 {good", "line 1 has no result"),
        ('[Game "hexapawn"]', '[Game "doushouqi"]', r"game 1 \(line 1\) is one of doushouqi, not of hexapawn"),
        ("1-0", "0-1", "ends with 0-1, but its last position with 1-0"),
    ],
)
def test_texts_that_are_damaged(old: str, new: str, said: str) -> None:
    """Of two players or, where the words are theirs, of three."""
    rules, text = (PAWNS, GOOD) if old in GOOD else (PIG, ROLLED)
    with pytest.raises(TablebaseError, match=said) as refused:
        [list(replayed(rules, record)) for record in read_records(text.replace(old, new).split("\n"))]
    assert isinstance(refused.value, NotationError) == ("one of doushouqi" not in said)


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
        (b"\xff", "is not text in UTF-8"),
        (b"a" * (LONGEST_LINE + 1), f"has a line of more than {LONGEST_LINE:,} characters"),
        (b"a2a3", "line 1, 'a2a3', is not a tag"),
        (GOOD.replace("a2a3", "a2a3\n" * 9).encode(), "has more than 8 moves"),
    ]:
        monkeypatch.setattr(module, "MOST", 8)
        file.write_bytes(content)
        with pytest.raises(TablebaseError, match=said) as refused:
            list(records_in(file))
        assert str(refused.value).startswith(str(file))
    with pytest.raises(TablebaseError, match="name the file that match --output has written"):
        list(records_in(tmp_path / "nowhere"))
