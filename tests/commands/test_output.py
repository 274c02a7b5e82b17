"""Tables and boards on terminals of any width."""

import csv
import io
import re
import sys
import time
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich import box
from rich.console import Console
from rich.table import Table
from support.program import Ask

from tablebase.commands import output
from tablebase.commands.output import GAP, _blocks, write_board, write_rows, write_table
from tablebase.commands.parameters import Format
from tablebase.compute.messages import in_bytes, in_percent, in_time, number_text
from tablebase.errors import RulesError
from tablebase.game import Game, Terrain, load_game
from tablebase.game.moves import legal_moves, play
from tablebase.game.notation import board_picture, parse, render_move
from tablebase.probe.html import titled_table
from tablebase.web.pages import words

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


CELLS = st.lists(st.text("ab 1é日\u0301[]:─", max_size=6).map("a{}b".format), min_size=1, max_size=2).map("\n".join)


def written(columns: list[list[str]], width: int) -> list[str]:
    """Lines of a table of texts, of which each column begins with its heading."""
    names = [str(number) for number in range(len(columns))]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*(cells[1:] for cells in columns), strict=True)]
    with redirect_stdout(io.StringIO()) as said, pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "output_width", lambda: width)
        write_table(rows, names, [cells[0] for cells in columns], keys=len(columns))
    return said.getvalue().splitlines()


@given(st.data(), st.integers(0, 3), st.integers(1, 5))
def test_a_table_that_fits_is_what_rich_would_draw(data: st.DataObject, rows: int, count: int) -> None:
    """Also with lines, with characters of two columns or of none, with blanks, and with what is markup elsewhere."""
    columns = [["日 é", *(data.draw(CELLS) for _ in range(rows))] for _ in range(count)]
    table = Table(*(cells[0] for cells in columns), box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for row in zip(*(cells[1:] for cells in columns), strict=True):
        table.add_row(*row)
    drawn = io.StringIO()
    Console(file=drawn, width=1000, markup=False, highlight=False, emoji=False).print(table)
    assert written(columns, 1000) == [line.rstrip() for line in drawn.getvalue().splitlines()]


@given(st.data(), st.integers(1, 4), st.integers(30, 60))
def test_a_table_that_does_not_fit_is_broken(data: st.DataObject, count: int, width: int) -> None:
    """No line is longer than the terminal, and every text is read from top to bottom."""
    columns = [["head", data.draw(st.text("ab日", min_size=1, max_size=50))] for _ in range(count)]
    lines = written(columns, width)
    assert max(map(output.cell_len, lines)) <= width
    for letter in "ab日":
        assert "".join(lines[2:]).count(letter) == sum(cells[1].count(letter) for cells in columns)


@pytest.mark.parametrize("unicode", [True, False])
def test_texts_that_are_wrapped(unicode: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is wider than a terminal continues below, as does one of several lines; a terminal obeys no character."""
    monkeypatch.setattr(output, "is_unicode", lambda: unicode)
    write_table([{"a": "one\ntwo", "n": 1}, {"a": "\x1b", "n": 12}], ["a", "n"])
    rule = "─" if unicode else "-"
    assert capsys.readouterr().out == f"a       n\n{rule * 9}\none     1\ntwo\n\\x1b   12\n"
    monkeypatch.setenv("COLUMNS", "20")
    write_table([{"a": "x" * 50}], ["a"])
    assert capsys.readouterr().out == "\n".join(["a", rule * 20, "x" * 20, "x" * 20, "x" * 10, ""])


def test_a_long_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows both ends of more than 100 rows and how many are between, a program reads all."""

    def shown(count: int) -> list[str]:
        write_table([{"n": number} for number in range(count)], ["n"])
        return capsys.readouterr().out.split("\n")[2:-1]

    assert len(shown(101)) == 101
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert len(shown(100)) == 100
    between = "... 61 more rows: --format csv writes all ..."
    assert [line.strip() for line in shown(101)] == [*map(str, range(20)), between, *map(str, range(81, 101))]


MARKUP = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "textless": "<", "textgreater": ">", "textbar": "|"}


def read_markdown(text: str) -> list[list[str]]:
    """The texts of the cells of a table, as another program shows them; nothing in them is markup."""
    cells: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            cells.append([])
        elif token.type == "inline":
            assert {one.type for one in token.children or ()} <= {"text", "text_special"}
            cells[-1].append("".join(one.content for one in token.children or ()))
    return cells


def read_latex(text: str) -> list[list[str]]:
    """The texts of the cells of a table; an escape stands for one character, and every other one that LaTeX obeys is an error."""
    one = r"\\(text[a-z]+)\{\}|\\([{}#$%&_])|\{([^{}])\}|([^\\{}#$%&_^~<>|])"
    lines = re.findall(r"^(.*) \\\\$", text, re.MULTILINE)
    cells = [re.split(r"(?<!\\) ?& ?", line) for line in lines]
    assert all(re.fullmatch(f"(?:{one})*", cell) for row in cells for cell in row)
    assert not [cell for row in cells for cell in row if cell.startswith(("[", "*")) or "--" in cell]
    return [["".join(MARKUP.get(a, b + c + d) for a, b, c, d in re.findall(one, cell)) for cell in row] for row in cells]


READERS = {Format.MARKDOWN: read_markdown, Format.LATEX: read_latex}
SPECIAL = st.text("ab1\\`*_[]()<>|&~$#{}%^\"-!;'=+é日", max_size=12)


@pytest.mark.parametrize("style", READERS)
@given(st.lists(st.tuples(SPECIAL, SPECIAL, st.integers(-9, 9)), max_size=3))
def test_tables_of_documents_say_what_csv_says(style: Format, cells: list[tuple[str, str, int]]) -> None:
    """Whatever is markup elsewhere, in cells and in the names of columns."""
    rows = [dict(zip(("n_|a&", "[b]", "c"), row, strict=True)) for row in cells]
    said = {}
    for one in (Format.CSV, style):
        with redirect_stdout(io.StringIO()) as out:
            write_rows(rows, one, ["n_|a&", "[b]", "c"])
        said[one] = out.getvalue()
    assert READERS[style](said[style]) == list(csv.reader(io.StringIO(said[Format.CSV])))


def test_a_table_of_a_document_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers on the right; what is missing is empty, a line ends no row, and no character moves a terminal."""
    rows = [{"name": "a\nb\x1b", "n": 1234567, "share": 0.123456, "ok": True}, {"name": None, "n": None, "share": 1.0, "ok": False}]
    write_rows(rows, Format.MARKDOWN)
    head, rule, *lines = capsys.readouterr().out.splitlines()
    assert (head, rule) == ("| name | n | share | ok |", "| --- | ---: | ---: | --- |")
    assert lines == ["| a b\\\\x1b | 1234567 | 0.123456 | true |", "|  |  | 1.0 | false |"]
    write_rows(rows, Format.LATEX)
    assert capsys.readouterr().out.splitlines() == [
        "% needs \\usepackage{booktabs}",
        *("\\begin{tabular}{lrrl}", "\\toprule", "name & n & share & ok \\\\", "\\midrule"),
        *("a b\\textbackslash{}x1b & 1234567 & 0.123456 & true \\\\", " &  & 1.0 & false \\\\"),
        *("\\bottomrule", "\\end{tabular}"),
    ]


@pytest.mark.parametrize("style", READERS)
def test_commands_write_tables_for_documents(style: Format, two_pieces: Path, ask: Ask) -> None:
    """Those that have other tables for people, too, with the fields and rows of CSV."""
    text = "7/7/7/7/3c3/7/7/R6/7 w"
    for command in (
        ["stats", "doushouqi", "--data", two_pieces],
        ["probe", "doushouqi", text, "--data", two_pieces],
        ["line", "doushouqi", text, "--data", two_pieces],
        ["patterns", "doushouqi", "--pool", "--depth", 0, "--data", two_pieces],
        ["mine", "doushouqi", "SELECT material, distance, position FROM positions WHERE distance > 32", "--data", two_pieces],
        ["analyse", "hexapawn", "--depth", 1, "--no-tables"],
        ["games"],
    ):
        found = READERS[style](ask(*command, "--format", style).out)
        expected = list(csv.reader(io.StringIO(ask(*command, "--format", "csv").out)))
        # A search takes another time each time.
        timed = [place for place, name in enumerate(expected[0]) if name in ("seconds", "nodes")]
        drop = [[cell for place, cell in enumerate(row) if place not in timed] for row in found]
        assert drop == [[" ".join(cell.split("\n")) for place, cell in enumerate(row) if place not in timed] for row in expected]


def test_a_long_table_takes_no_longer_than_three_times_its_csv() -> None:
    rows = [{"material": "RvR", "distance": number, "share": number / 7, "stalemate": False} for number in range(5000)]
    seconds = {}
    for style in (Format.CSV, Format.TABLE):
        for _ in range(3):
            with redirect_stdout(io.StringIO()):
                begin = time.process_time()
                write_rows(rows, style)
                taken = time.process_time() - begin
            seconds[style] = min(seconds.get(style, taken), taken)
    # The command also reads the rows, which takes the same time for both: so this is stricter.
    assert seconds[Format.TABLE] < 5 * seconds[Format.CSV]


@given(st.floats(-2000, 2000))
def test_a_number_does_not_look_whole_unless_it_is(value: float) -> None:
    """It is rounded, to three decimals if these are enough."""
    text = number_text(value)
    assert (float(text.replace(",", "")).is_integer()) == value.is_integer()
    if not round(value, 3).is_integer():
        assert float(text.replace(",", "")) == round(value, 3)


def test_a_share_is_nothing_or_everything_only_if_it_is() -> None:
    assert [in_percent(share) for share in (0, 0.5, 0.9996, 0.00001, 1)] == ["0.0 %", "50.0 %", "99.96 %", "0.001 %", "100.0 %"]


def test_numbers_in_tables(ask: Ask, hexapawns: Path) -> None:
    """The same digits for everything that shows numbers: terminal, pages and notebooks."""
    text = "SELECT 6.996 AS a, 0.99956 AS b, 0.99996 AS c, 12.3456 AS d, 7.0 AS e, 0.0::DOUBLE AS f"
    cells = ["6.996", "0.9996", "0.99996", "12.346", "7", "0"]
    assert ask("mine", "hexapawn", text, "--data", hexapawns).out.splitlines()[2].split() == cells
    numbers = {"a": 6.996, "b": 0.99956, "c": 0.99996, "d": 12.3456, "e": 7.0, "f": 0.0}
    assert re.findall("<td>(.*?)</td>", titled_table("", [], [numbers])) == cells
    assert [words.cell(number) for number in numbers.values()] == cells


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
