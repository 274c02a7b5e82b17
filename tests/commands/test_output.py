"""Tables and boards on terminals of any width; standard streams that are closed, full, abandoned or in another encoding."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
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
from support.program import PROGRAM, Answer, Ask, ask_fresh, assert_one_sentence, contents, drafts, files_of_at_most

from tablebase.commands import output, process
from tablebase.commands.output import write_board, write_rows, write_table
from tablebase.commands.parameters import Format
from tablebase.errors import CapacityError, RulesError
from tablebase.game import Game, Terrain, load_game
from tablebase.game.moves import legal_moves, play
from tablebase.game.notation import board_picture, parse, render_move
from tablebase.probe.html import titled_table
from tablebase.system.compute.messages import in_bytes, in_percent, in_time, number_text
from tablebase.web.pages import words

GAME = load_game("doushouqi")


def rows_of(block: str) -> list[list[str]]:
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
    names = [cells[0] for cells in columns]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*(cells[1:] for cells in columns), strict=True)]
    with redirect_stdout(io.StringIO()) as said, pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "output_width", lambda: width)
        write_table(rows, names, keys=len(columns))
    return said.getvalue().splitlines()


@given(st.data(), st.integers(0, 3), st.integers(1, 5))
def test_a_table_that_fits_is_what_rich_would_draw(data: st.DataObject, rows: int, count: int) -> None:
    """Also with lines, with characters of two columns or of none, with blanks, and with what is markup elsewhere."""
    columns = [[f"日 é{number}", *(data.draw(CELLS) for _ in range(rows))] for number in range(count)]
    table = Table(*(cells[0] for cells in columns), box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for row in zip(*(cells[1:] for cells in columns), strict=True):
        table.add_row(*row)
    drawn = io.StringIO()
    Console(file=drawn, width=1000, markup=False, highlight=False, emoji=False).print(table)
    assert written(columns, 1000) == [line.rstrip() for line in drawn.getvalue().splitlines()]


@given(st.data(), st.integers(1, 4), st.integers(30, 60))
def test_a_table_that_does_not_fit_is_broken(data: st.DataObject, count: int, width: int) -> None:
    """No line is longer than the terminal, and every text is read from top to bottom."""
    columns = [[f"head{number}", data.draw(st.text("ab日", min_size=1, max_size=50))] for number in range(count)]
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
        ["games"],
    ):
        found = READERS[style](ask(*command, "--format", style).out)
        expected = list(csv.reader(io.StringIO(ask(*command, "--format", "csv").out)))
        assert found == [[" ".join(cell.split("\n")) for cell in row] for row in expected]


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
    text = number_text(value)
    assert (float(text.replace(",", "")).is_integer()) == value.is_integer()
    if not round(value, 3).is_integer():
        assert float(text.replace(",", "")) == round(value, 3)


def test_a_share_is_nothing_or_everything_only_if_it_is() -> None:
    assert [in_percent(share) for share in (0, 0.5, 0.9996, 0.00001, 1)] == ["0.0 %", "50.0 %", "99.96 %", "0.001 %", "100.0 %"]


def test_numbers_in_tables(ask: Ask, hexapawns: Path) -> None:
    text = "SELECT 6.996 AS a, 0.99956 AS b, 0.99996 AS c, 12.3456 AS d, 7.0 AS e, 0.0::DOUBLE AS f"
    cells = ["6.996", "0.9996", "0.99996", "12.346", "7", "0"]
    assert ask("mine", "hexapawn", text, "--data", hexapawns).out.splitlines()[2].split() == cells
    numbers = {"a": 6.996, "b": 0.99956, "c": 0.99996, "d": 12.3456, "e": 7.0, "f": 0.0}
    assert re.findall("<td>(.*?)</td>", titled_table("", [], [numbers])) == cells
    assert [words.cell(number) for number in numbers.values()] == cells


@pytest.mark.parametrize(
    ("shown", "number", "text"),
    [
        *((in_bytes, *case) for case in ((0, "0 bytes"), (1023, "1,023 bytes"), (1536, "1.5 KiB"))),
        *((in_bytes, *case) for case in ((286 << 20, "286 MiB"), (3 << 40, "3.0 TiB"))),
        *((in_time, *case) for case in ((0.04, "0.0 s"), (59.9, "59.9 s"), (60, "1 min"), (7200, "2 h"))),
        *((in_time, *case) for case in ((3661, "1 h 1 min"), (90_000, "1 d 1 h"))),
    ],
)
def test_bytes_and_times_have_units(shown: Callable[[float], str], number: float, text: str) -> None:
    assert shown(number) == text


def test_the_look_of_the_board() -> None:
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


def coloured(game: Game, capsys: pytest.CaptureFixture[str]) -> str:
    write_board(game, parse(game, game.start))
    return capsys.readouterr().out


def test_colours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
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


NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
WORD = "ř…é𝄞"
"""One that Latin-1 has, two that it lacks, and one that even two bytes cannot number."""


def redirected(redirection: str, *words: object, program: str = PROGRAM) -> Answer:
    """Run a command in a process of its own, with a shell's redirections; what they do not concern is captured."""
    script = f'exec "$@" {redirection}'
    arguments = ["sh", "-c", script, "sh", sys.executable, "-c", program, *map(str, words)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
    return Answer(result.returncode, result.stdout, result.stderr)


def test_closed_streams_are_never_files(tmp_path: Path, hexapawns: Path) -> None:
    """A build without any standard stream says nothing, succeeds, and writes the same bytes as any other."""
    answer = redirected("<&- >&- 2>&-", "build", "hexapawn", "--pieces", "6", "--data", tmp_path)
    assert answer == Answer(0, "", "")
    assert len(contents(hexapawns)) == 6
    assert contents(tmp_path) == contents(hexapawns)
    assert drafts(tmp_path) == []


def test_closed_streams_are_open_in_children() -> None:
    """Where a worker's streams were closed, its first files would be taken for them."""
    child = "import os; [os.fstat(number) for number in range(3)]"
    program = "import subprocess, sys; from tablebase.commands import process; process.prepare_streams(); {}"
    call = f"sys.exit(subprocess.run([sys.executable, '-c', {child!r}]).returncode)"
    assert redirected("<&- >&- 2>&-", program=program.format(call)) == Answer(0, "", "")


@pytest.mark.parametrize(
    ("redirection", "words", "expected"),
    [
        (">&-", ["games"], Answer(0, "", "")),
        (">&-", ["probe", "chess", "x"], Answer(2, "", "error: unknown game 'chess': choose ")),
        ("2>/dev/full", ["probe", "chess", "x"], Answer(2, "", "")),
    ],
    ids=["output", "output and an error", "a full disk"],
)
def test_closed_streams_swallow(redirection: str, words: list[str], expected: Answer) -> None:
    """What is written to a closed stream is lost; the rest, and the exit code, are those of the command."""
    answer = redirected(redirection, *words)
    assert (answer.code, answer.out) == (expected.code, expected.out)
    assert answer.err[: len(expected.err) or 1] == expected.err


def test_a_closed_input_ends_a_game(hexapawns: Path) -> None:
    answer = redirected("<&-", "play", "hexapawn", "--data", hexapawns, "--seed", 5)
    assert (answer.code, answer.err) == (0, "")
    assert "White> \nend of input\ngame abandoned after 0 plies\n" in answer.out


@pytest.mark.parametrize(
    ("redirection", "word", "code", "reason"),
    [
        pytest.param("> /dev/full", "games", 3, "No space left on device", marks=NEEDS_FULL),
        pytest.param("> /dev/full", "--help", 3, "No space left on device", marks=NEEDS_FULL),
        ("1</dev/null", "games", 2, "Bad file descriptor"),
    ],
)
def test_an_output_that_cannot_be_written_is_a_sentence(redirection: str, word: str, code: int, reason: str) -> None:
    assert_one_sentence(redirected(redirection, word), f"cannot write to standard output ({reason})", code=code)


def test_an_output_that_may_not_grow_is_a_sentence(tmp_path: Path) -> None:
    """A limit on the size of files is want of space, as is a full disk."""
    with (tmp_path / "output").open("wb") as file, files_of_at_most(1):
        output = process._Stream(file.fileno(), "wb", closefd=False)
        assert output.write(b"12") == 1
        with pytest.raises(CapacityError, match=r"^cannot write to standard output \(File too large\): free some space"):
            output.write(b"2")


@pytest.mark.full
def test_a_build_needs_no_readers(tmp_path: Path, hexapawns: Path) -> None:
    """Work goes on if nobody reads about it any more."""
    script = '"$@" 2>&1 | true; echo "${PIPESTATUS[0]}"'
    words = ["build", "hexapawn", "--pieces", "3", "--data", str(tmp_path)]
    arguments = ["bash", "-c", script, "bash", sys.executable, "-c", PROGRAM, *words]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120).stdout == "0\n"
    assert len(contents(tmp_path)) == 2
    assert contents(tmp_path).items() <= contents(hexapawns).items()


@pytest.mark.parametrize("encoding", [pytest.param("latin-1", marks=pytest.mark.full), "ascii"])
def test_encodings(encoding: str, two_pieces: Path) -> None:
    """JSON means the same in every encoding; elsewhere, what an encoding lacks is written as an escape."""
    select = ["sql", f"SELECT '{WORD}' AS word", "--data", str(two_pieces), "--format"]
    probe = ["probe", "doushouqi", "7/3C3/7/7/7/7/7/7/c6 w", "--data", str(two_pieces)]
    calls = [[*select, "json"], [*select, "table"], [*select, "csv"], probe]
    imports = "from tablebase.commands import process; from tablebase.commands.program import run"
    program = f"{imports}; process.prepare_streams(); [print(run(call)) for call in {calls}]"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    arguments = [sys.executable, "-c", program]
    result = subprocess.run(arguments, capture_output=True, encoding=encoding, env=environment, check=True, timeout=120)
    assert result.stderr == ""
    data, table, plain, board = result.stdout.split("0\n", 3)
    assert json.loads(data) == [{"word": WORD}]
    shown = WORD.encode(encoding, "backslashreplace").decode(encoding)
    assert table == f"word\n{'-' * len(WORD)}\n{shown}\n"
    assert plain == f"word\n{shown}\n"
    assert "White to move: win in 1 ply" in board
    assert "\n----------" in board
    assert board.endswith("\n0\n")
    assert "\\" not in board


@NEEDS_FULL
def test_the_first_error_is_reported() -> None:
    """If a command fails and its output cannot be written either, its own sentence and exit code are given."""
    program = """
import sys
from tablebase.commands import program
from tablebase.commands import output
from tablebase.errors import TablebaseError

def fail(*_, **__):
    sys.stdout.write("some output")
    raise TablebaseError("first")

output.write_rows = fail
program.main(["games", "--format", "csv"])
"""
    assert redirected(">/dev/full", program=program) == Answer(2, "", "error: first\n")


@pytest.mark.parametrize(("status", "code", "said"), [(None, 0, ""), (0, 0, ""), (7, 7, ""), ("no way", 1, "error: no way\n")])
def test_an_exit_is_not_success(status: object, code: int, said: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that is not ours and exits the program, such as a rules module's, decides on the exit code."""

    def leave(*_: object) -> None:
        raise SystemExit(status)

    monkeypatch.setattr("tablebase.game.game_arguments.load_rules", leave)
    answer = ask("stats", "doushouqi")
    assert (answer.code, answer.out, answer.err) == (code, "", said)


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_line_is_written_at_once(unbuffered: bool, tmp_path: Path) -> None:
    """What is written to a file shows how far long work has come, also where Python was asked not to buffer anything."""
    path = tmp_path / "log"
    with path.open("wb") as log:
        raw = log.raw if unbuffered else log
        given = io.TextIOWrapper(raw, write_through=unbuffered, line_buffering=not unbuffered)
        stream = process._text(given, log.fileno(), is_status=True)
        stream.write("half done\n")
        assert path.read_text() == "half done\n"
        given.detach()


@pytest.mark.parametrize(
    ("words", "text", "said"),
    [
        (["probe", "hexapawn", "-"], "ppp/3/PPP w", "loss"),
        pytest.param(["sql", "-"], "select 7 as number", "7", marks=pytest.mark.full),
        pytest.param(["play", "hexapawn"], "moves", "a1a2 b1b2 c1c2", marks=pytest.mark.full),
        pytest.param(["uci", "hexapawn"], "uci", "uciok", marks=pytest.mark.full),
    ],
)
def test_a_byte_order_mark_before_standard_input(words: list[str], text: str, said: str, hexapawns: Path) -> None:
    """PowerShell writes one into a pipe."""
    answer = ask_fresh(*words, "--data", hexapawns, given=f"\ufeff{text}\n")
    assert (answer.code, said in answer.out, "\ufeff" in answer.out) == (0, True, False)


def test_quiet_commands_print_only_results_and_errors(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    file, build = tmp_path / "night.toml", '[[build]]\ngame = "hexapawn"\nmaterial = "PvP"\n'
    file.write_text(f'workers = 1\n{build}[[then]]\ncommand = ["verify", "hexapawn"]\n')
    tables = tmp_path / "tables"
    assert redirected("", "batch", file, "--quiet", "--data", tables) == Answer(0, "", "")
    (table,) = tables.rglob("*.h5")
    table.write_bytes(table.read_bytes()[:-1])
    answer = ask("verify", "--quick", "--quiet", "--data", tables)
    assert (answer.code, answer.err.splitlines()) == (1, answer.errors)
    assert len(answer.errors) == 1
    assert ask("copy", "hexapawn", "--to", tmp_path / "copy", "--data", hexapawns, "--quiet") == Answer(0, "", "")
    assert "copied to" in ask("copy", "hexapawn", "--to", tmp_path / "again", "--data", hexapawns).err
