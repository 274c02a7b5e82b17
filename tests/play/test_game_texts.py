"""Games as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.errors import NotationError, TablebaseError
from tablebase.game import load_game
from tablebase.game.notation import render
from tablebase.play.game_texts import GameText, read_games, replayed, write_game

PAWNS = load_game("hexapawn")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAYED = st.builds(
    GameText,
    TEXTS,
    st.integers(1, 999),
    st.tuples(TEXTS, TEXTS),
    TEXTS,
    st.integers(0, 99),
    st.lists(st.from_regex(r"[a-h][1-9][a-h][1-9]", fullmatch=True), max_size=9).map(tuple),
    st.sampled_from([0, 1, None]),
    TEXTS,
)


@given(st.lists(PLAYED, max_size=4))
def test_text_and_back(texts: list[GameText]) -> None:
    assert list(read_games("".join(map(write_game, texts)))) == texts


def test_text_by_hand() -> None:
    """The form of PGN."""
    text = GameText("hexapawn", 7, ("a", 'b "c"'), "3/P1p/3 w", 0, ("a2a3",), 0, "White wins: goal")
    assert write_game(text) == (
        '[Game "hexapawn"]\n[Round "7"]\n[White "a"]\n[Black "b \\"c\\""]\n[Start "3/P1p/3 w"]\n[Opening "0"]\n'
        '[Result "1-0"]\n[Termination "White wins: goal"]\n\na2a3\n1-0\n\n'
    )
    assert [render(PAWNS, position) for position in replayed(PAWNS, text)] == ["3/P1p/3 w", "P2/2p/3 b"]


GOOD = write_game(GameText("hexapawn", 1, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), 0, "goal"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\n1-0\n", "\n", "the last game has no result"),
        ('[Start "3/P1p/3 w"]\n', "", "has no tag Start"),
        ('[Result "1-0"]', '[Result "0-1"]', "do not fit its moves"),
        ('[Round "1"]', '[Round "x"]', "do not fit its moves"),
        ('[Start "3/P1p/3 w"]', r'[Start "\q"]', "is not a tag"),
        ("a2a3", "a2a1", "move 1 of game 1, 'a2a1', is not legal"),
        ("a2a3", "a2a3 c2c1", "move 2 of game 1, 'c2c1', is not legal"),
        ('[Game "hexapawn"]', '[Game "doushouqi"]', "game 1 is one of doushouqi, not of hexapawn"),
    ],
)
def test_texts_that_are_damaged(old: str, new: str, said: str) -> None:
    with pytest.raises(TablebaseError, match=said) as refused:
        [replayed(PAWNS, text) for text in read_games(GOOD.replace(old, new))]
    assert isinstance(refused.value, NotationError) == ("one of doushouqi" not in said)
