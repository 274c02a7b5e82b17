"""Texts of games by compiled functions, read many at a time and one by one."""

from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given
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


@st.composite
def damaged(draw: Any, texts: list[str]) -> str:
    """Draw a text with letters exchanged, left out and put in, a few times or never."""
    letters = list(draw(st.sampled_from(texts)))
    for _ in range(draw(st.integers(0, 3))):
        one, other = (draw(st.integers(0, max(len(letters) - 1, 0))) for _ in range(2))
        change = draw(st.sampled_from(("exchange", "leave out", "put in")))
        if change == "put in":
            letters.insert(one, draw(st.sampled_from([*texts[0], *"0129٣sn-xowb./, \0\n\ud800"])))
        elif letters and change == "exchange":
            letters[one], letters[other] = letters[other], letters[one]
        elif letters:
            del letters[one]
    return "".join(letters)


@pytest.mark.parametrize("name", ALL)
@given(st.data())
def test_damaged_texts_are_read_as_by_parse(name: str, data: Any) -> None:
    """Many together as one by one, except texts that are left to `parse`, such as numbers with leading zeros."""
    game, texts = game_of(name)
    some = data.draw(st.lists(damaged(texts), max_size=5))
    for text, found in zip(some, read_texts(game, some).tolist(), strict=True):
        expected = parsed(game, text)
        is_left = found == -1 and (expected == -1 or game.format(expected) != text)
        assert found == expected or is_left, text


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
