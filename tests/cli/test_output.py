"""Tables and boards on terminals of any width."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import Ask

from tablebase.cli.output import GAP, _blocks, in_bytes, in_time, write_board
from tablebase.errors import RulesError
from tablebase.game import Game, Terrain, load_game
from tablebase.game.moves import legal_moves, play
from tablebase.game.notation import board_picture, parse, render_move

GAME = load_game("doushouqi")


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 3), st.integers(20, 80))
def test_columns_are_divided_into_blocks(widths: list[int], keys: int, available: int) -> None:
    """Each column once, in order, beside the first ones; a block is only too wide if it holds a single further column."""
    named = {str(number): width for number, width in enumerate(widths)}
    blocks = _blocks(named, keys, available)
    first = list(named)[:keys]
    assert [name for block in blocks for name in block[len(first) :]] == list(named)[keys:]
    for block in blocks:
        assert block[: len(first)] == first
        width = sum(named[name] for name in block) + GAP * (len(block) - 1)
        assert width <= available or len(block) <= len(first) + 1


def rows_of(block: str) -> list[list[str]]:
    """The cells of a table below its headings."""
    return [line.split() for line in block.splitlines()[2:]]


def test_a_table_fits_a_narrow_terminal(two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is longer, no number is broken, and nothing is lost; without a limit it is one block."""
    wide = ask("stats", "doushouqi", "--by", "material", "--data", two_pieces).out
    monkeypatch.setenv("COLUMNS", "60")
    narrow = ask("stats", "doushouqi", "--by", "material", "--data", two_pieces).out
    assert max(map(len, wide.splitlines())) > 80
    assert max(map(len, narrow.splitlines())) <= 60
    first, *others = map(rows_of, narrow.split("\n\n"))
    assert len(others) > 0
    # The names of a row, in two columns, are repeated in each block.
    rows = [row + [cell for block in others for cell in block[number][2:]] for number, row in enumerate(first)]
    assert rows == rows_of(wide)


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 bytes"), (1023, "1,023 bytes"), (1536, "1.5 KiB"), (286 << 20, "286 MiB"), (3 << 40, "3.0 TiB")]
)
def test_bytes_have_units(number: int, text: str) -> None:
    assert in_bytes(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (59.9, "59.9 s"), (60, "1 min"), (3661, "1 h 1 min"), (90_000, "1 d 1 h"), (7200, "2 h")]
)
def test_times_have_units(seconds: float, text: str) -> None:
    assert in_time(seconds) == text


def test_the_look_of_the_board() -> None:
    """River, traps and dens have symbols, and the last move's squares stand in brackets."""
    position = parse(GAME, "7/7/7/7/7/7/7/R2c3/7 b")
    move = next(move for move in legal_moves(GAME, position) if GAME.board.names[move.target] == "d1")
    shown = board_picture(GAME, play(position, move), render_move(GAME, move)).splitlines()
    assert [shown[0], shown[3]] == [" 9 . . ^ # ^ . .", " 6 . ~ ~ . ~ ~ ."]
    assert shown[7:] == [" 2 R . .[^]. . .", " 1 . . ^[c]^ . .", "   a b c d e f g", "   White to move"]
    along = next(move for move in legal_moves(GAME, position) if GAME.board.names[move.target] == "c2")
    assert board_picture(GAME, play(position, along), render_move(GAME, along)).splitlines()[7] == " 2 R .[c ^]. . ."
    assert GAME.legend() == "~ river, ^ trap, # den"
    assert load_game("hexapawn").legend() == ""


@pytest.mark.parametrize(
    "terrain",
    [
        (Terrain("river", "R", (1,)),),
        (Terrain("river", "[", (1,)),),
        (Terrain("river", "~~", (1,)),),
        (Terrain("river", "~", (63,)),),
        (Terrain("river", "~", (1,)), Terrain("sea", "~", (2,))),
        (Terrain("river", "~", (1, 2)), Terrain("sea", "=", (2,))),
    ],
)
def test_terrain_that_cannot_be_drawn(terrain: tuple[Terrain, ...]) -> None:
    with pytest.raises(RulesError, match="terrain"):
        replace(GAME, terrain=terrain)


def test_terrain_is_no_rule() -> None:
    """Tables stay valid when the look of a board changes."""
    assert replace(GAME, terrain=()).digest == GAME.digest


def coloured(game: Game, capsys: pytest.CaptureFixture[str]) -> str:
    """The start of a game as a terminal shows it."""
    write_board(game, parse(game, game.start))
    return capsys.readouterr().out


def test_colours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal only, and not where NO_COLOR is set."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = coloured(GAME, capsys)
    assert "\x1b" not in plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    bright = coloured(GAME, capsys)
    assert "\x1b[34m~" in bright
    assert re.sub(r"\x1b\[[\d;]*m", "", bright) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert re.search(r"\x1b\[[\d;]*3\d", coloured(GAME, capsys)) is None
