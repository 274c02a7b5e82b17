"""Texts of games by compiled functions, read many at a time and one by one."""

from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compiled import Node, NumberGraph

from tablebase.errors import NotationError
from tablebase.game.compiled import LOST, CompiledGame
from tablebase.game.installed import game_names, load_rules
from tablebase.game.native import BLOCK, read_texts
from tablebase.testing.contract import playout

COMPILED = [name for name in game_names() if isinstance(load_rules(name), CompiledGame)]
LARGE = ["connect4-7x6", "connect4-1x5", "kalah-pits=7-seeds=7", "awari-pits=6-seeds=1"]
ALL = [*COMPILED, *LARGE, pytest.param("mens_morris-men=9-rings=3", marks=pytest.mark.full)]


@cache
def game_of(name: str) -> tuple[CompiledGame, list[str]]:
    """Return a game, and texts of positions of random play to its end."""
    game = load_rules(name)
    assert isinstance(game, CompiledGame)
    return game, [game.format(position) for seed in range(5) for position in islice(playout(game, Random(seed)), 100)]


def parsed(game: CompiledGame, text: str) -> int:
    try:
        return game.parse(text)
    except NotationError:
        return -1


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=settings().max_examples // 2)
@given(st.data())
def test_damaged_texts_are_read_as_by_parse(name: str, data: Any) -> None:
    """Letters are exchanged, and then each one is left out, replaced and preceded by others.

    A text may be left to `parse` unless it is written as positions are.
    """
    game, texts = game_of(name)
    letters = list(data.draw(st.sampled_from(texts)))
    places = st.integers(0, len(letters) - 1)
    for one, other in data.draw(st.lists(st.tuples(places, places), max_size=2)):
        letters[one], letters[other] = letters[other], letters[one]
    text, news = "".join(letters), [*dict.fromkeys(texts[-1] + "01٣sn-wb./, \n\0\ud800"), ""]
    some = [text[:at] + new + text[at + left_out :] for at in range(len(text) + 1) for new in news for left_out in (0, 1)]
    for one, found in zip(some, read_texts(game, some).tolist(), strict=True):
        expected = parsed(game, one)
        is_left = found == -1 and (expected == -1 or game.format(expected) != one)
        assert found == expected or is_left, one


@pytest.mark.parametrize("name", ALL)
def test_no_text_of_a_position_is_left(name: str) -> None:
    """All of several blocks."""
    game, texts = game_of(name)
    repeats = 2 * BLOCK // len(texts) + 1
    assert read_texts(game, texts * repeats).tolist() == [*map(game.parse, texts)] * repeats


def test_only_texts_with_letters_are_read() -> None:
    """A function that reads them otherwise, or does nothing, is not asked."""

    class Reading(NumberGraph):
        read = staticmethod(lambda _, text: len(text))  # type: ignore[assignment]

    assert read_texts(Reading([Node(0, result=LOST)], [0]), ["abc", "", None, 5, "é"]).tolist() == [3, -1, -1, -1, 1]
    assert read_texts(NumberGraph([Node(0, result=LOST)], [0]), ["0"]).tolist() == [-1]


@pytest.mark.parametrize("text", ["1,0,0,8 0,0,0,9 n", "0,0,0,8 1,0,0,9 s", "1,0,0,8 0,0,0,9 -"])
def test_one_row_of_kalah_is_empty(text: str) -> None:
    """Then the game is over, and all seeds would be in the stores."""
    game, _ = game_of("kalah")
    with pytest.raises(NotationError):
        game.parse(text)
    assert read_texts(game, [text]).tolist() == [-1]
