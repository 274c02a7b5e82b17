"""Outputs of commands: pictures, sheets and other files, their messages, and what is refused before any work, also for root."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from support.program import Ask, assert_one_sentence, contents, every_command

import tablebase
from tablebase.commands.parameters import Output
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import verb_parameters
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game.installed import load_rules

LOST = "7/7/7/7/3c3/7/7/R6/7 w"


@pytest.mark.parametrize("style", ["table", "json", "csv"])
def test_probe_draws_the_position(style: str, tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    words = ["probe", "doushouqi", LOST, "--data", tables.folder, "--format", style]
    path = tmp_path / "lost.svg"
    path.write_text("old", encoding="utf-8")
    answer = ask(*words, "--output", path)
    assert (answer.code, answer.out, answer.err) == (0, ask(*words).out, f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == tablebase.svg.board("doushouqi", LOST, arrows=["a2a1"])


@pytest.mark.parametrize(("width", "millimetres"), [("88mm", 88), ("5cm", 50), ("2in", 50.8), ("column", 88)])
def test_a_picture_is_as_wide_as_it_is_to_be(width: str, millimetres: float, tmp_path: Path, ask: Ask) -> None:
    words = ["probe", "hexapawn-3x4", "ppp/3/3/PPP w", "--output"]
    tablebase.build("hexapawn", size="3x4", data=tmp_path / "tables")
    for suffix in ("pdf", "png", "svg"):
        path = tmp_path / f"a.{suffix}"
        assert ask(*words, path, "--width", width, "--data", tmp_path / "tables").err.endswith(f"wrote {path}\n")
    drawn = tablebase.svg.board("hexapawn-3x4", "ppp/3/3/PPP w")
    box = [float(number) for number in drawn.partition('viewBox="')[2].partition('"')[0].split()]
    sizes = [millimetres, millimetres * box[3] / box[2]]
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert f'width="{sizes[0]:g}mm" height="{sizes[1]:g}mm"' in svg
    png = (tmp_path / "a.png").read_bytes()
    pixels = [int.from_bytes(png[begin : begin + 4], "big") for begin in (16, 20)]
    assert pixels == pytest.approx([size / 25.4 * 300 for size in sizes], abs=1)
    pdf = (tmp_path / "a.pdf").read_bytes()
    page = re.search(rb"/MediaBox ?\[ ?0 0 ([0-9.]+) ([0-9.]+) ?\]", pdf)
    assert page is not None
    assert [float(one) for one in page.groups()] == pytest.approx([size / 25.4 * 72 for size in sizes], abs=0.01)
    assert b"Hexapawn" in pdf


def test_python_writes_the_picture_of_the_command(pawn_tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    """Without a width in its own size, 400 pixels of 1/96 inch, as before."""
    picture = pawn_tables.probe("hexapawn", "ppp/3/PPP w").picture()
    for suffix, width in (("svg", None), ("png", None), ("svg", "88mm"), ("png", "88mm")):
        paths = [tmp_path / f"{name}.{suffix}" for name in ("a", "b")]
        tablebase.svg.write(picture, paths[0], width)
        options = ["--width", width] if width else []
        assert ask("probe", "hexapawn", "ppp/3/PPP w", "--data", pawn_tables.folder, "--output", paths[1], *options).code == 0
        assert paths[0].read_bytes() == paths[1].read_bytes()
    tablebase.svg.write(picture, tmp_path / "c.png")
    assert int.from_bytes((tmp_path / "c.png").read_bytes()[16:20], "big") == 1250
    foreign = tablebase.svg.Svg('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 48" width="100%"/>')
    tablebase.svg.write(foreign, tmp_path / "e.png")
    assert int.from_bytes((tmp_path / "e.png").read_bytes()[16:20], "big") == 300
    with pytest.raises(TablebaseError, match="invalid --width '3m'"):
        tablebase.svg.write(picture, tmp_path / "d.svg", "3m")
    with pytest.raises(TablebaseError, match=r"d\.gif for a picture"):
        tablebase.svg.write(picture, tmp_path / "d.gif")


def test_line_draws_every_ply(tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    words = ["line", "doushouqi", LOST, "--data", tables.folder]
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "line", tmp_path / "empty"):
        answer = ask(*words, "--to", folder)
        assert (answer.code, answer.out, answer.err) == (0, ask(*words).out, f"wrote 9 pictures to {folder}\n")
        written = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
        assert list(written) == [f"{ply:03}.svg" for ply in range(9)]
        assert list(written.values()) == tables.line("doushouqi", LOST).pictures()
    assert "Last move: d2d1" in written["008.svg"]
    (tmp_path / "empty" / "000.svg").write_text("mine", encoding="utf-8")
    assert_one_sentence(ask(*words, "--to", tmp_path / "empty"), "is not empty: choose a new folder for --to")
    assert (tmp_path / "empty" / "000.svg").read_text(encoding="utf-8") == "mine"


def test_line_draws_every_ply_in_other_formats(pawn_tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    """As `tablebase.svg.write` writes its pictures, at a width."""
    words = ["line", "hexapawn", "--plies", 1, "--data", pawn_tables.folder]
    for kind, width in (("png", "88mm"), ("pdf", None)):
        folder = tmp_path / kind
        answer = ask(*words, "--to", folder, "--picture", kind, *(["--width", width] if width else []))
        assert (answer.code, answer.err) == (0, f"wrote 2 pictures to {folder}\n")
        for ply, drawn in enumerate(pawn_tables.line("hexapawn", "ppp/3/PPP w", 1).pictures()):
            tablebase.svg.write(drawn, tmp_path / f"picture.{kind}", width)
            assert (folder / f"{ply:03}.{kind}").read_bytes() == (tmp_path / f"picture.{kind}").read_bytes()
    for option in (["--picture", "png"], ["--width", "88mm"]):
        assert_one_sentence(ask(*words, *option), "cannot use --picture or --width without --to: add --to DIR")


def test_games_by_functions_are_drawn_in_the_same_way(piglet_tables: Path, tmp_path: Path, ask: Ask) -> None:
    name, start = "pig-die=2-target=3", "0,0 1 0"
    rules: Any = load_rules(name)
    data = ["--data", piglet_tables]
    answer = ask("probe", name, start, *data, "--output", tmp_path / "a.svg", "--sheet", tmp_path / "sheet.svg")
    assert f"\n\n{rules.drawn(rules.initial)}\n\nplayer 1 to move: " in answer.out
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == tablebase.svg.board(name, start)
    with Tablebase(piglet_tables) as tables:
        assert (tmp_path / "sheet.svg").read_text(encoding="utf-8") == tables.probe_many(name, [start]).sheet()[0]
        line = tables.line(name, start, 4)
    drawn = ask("line", name, "--plies", 4, *data, "--boards", "--to", tmp_path / "line").out
    files = sorted((tmp_path / "line").iterdir())
    assert [path.read_text(encoding="utf-8") for path in files] == line.pictures()
    assert len(files) == 5
    for row, probe in zip(line.to_dict(), line, strict=True):
        assert f"{rules.drawn(probe.asked)}\n   {probe.value.said}, {row['best']}\n\n" in drawn


def test_sheets_are_those_of_python(pawn_tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    file = tmp_path / "positions"
    file.write_text("ppp/3/PPP w\nppp/1P1/P1P b\n", encoding="utf-8")
    white = tablebase.boxes("hexapawn", side="w")
    probed, line = pawn_tables.probe_many("hexapawn", file.read_text().splitlines()), pawn_tables.line("hexapawn", "ppp/3/PPP w")
    data = ["--data", pawn_tables.folder, "--format", "csv"]
    for words, sheet in (
        (["probe", "hexapawn", f"@{file}", *data, "--sheet"], probed.sheet()),
        (["probe", "hexapawn", "ppp/3/PPP w", "ppp/1P1/P1P b", *data, "--page", "letter", "--sheet"], probed.sheet("letter")),
        (["line", "hexapawn", *data, "--sheet"], line.sheet()),
        (["line", "hexapawn", *data, "--every", "--page", "letter", "--sheet"], line.sheet(every=True, page="letter")),
        (["boxes", "hexapawn", "--format", "csv", "--output"], tablebase.boxes("hexapawn").sheet()),
        (["boxes", "hexapawn", "--side", "w", "--page", "letter", "--output"], white.sheet("letter")),
    ):
        [page] = sheet
        path = tmp_path / "sheet.svg"
        answer = ask(*words, path)
        without = [word for word in words[:-1] if word not in ("--page", "letter", "--every")]
        assert (answer.code, answer.out, answer.err) == (0, ask(*without).out, f"wrote {path}\n")
        assert path.read_text(encoding="utf-8") == page
    printed = ask("line", "hexapawn", *data, "--sheet", tmp_path / "line.pdf")
    assert printed.err == f"wrote {tmp_path / 'line.pdf'}\n"
    assert (tmp_path / "line.pdf").read_bytes().startswith(b"%PDF-")
    pages = ask("boxes", "hexapawn-2x6", "--output", tmp_path / "boxes.png")
    assert pages.err == f"wrote {tmp_path / 'boxes-1.png'} {tmp_path / 'boxes-2.png'}\n"


def test_boxes_that_have_learned(tmp_path: Path, ask: Ask) -> None:
    boxes = tmp_path / "boxes.json"
    lost = "b1b2\nb2c3\nquit\n"
    assert ask("boxes", "hexapawn", "--format", "json").json == tablebase.boxes("hexapawn")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", StringIO(lost))
        ask("play", "hexapawn", "--player", "matchboxes", "--boxes", boxes, "--seed", 6)
    rows = ask("boxes", "hexapawn", "--boxes", boxes, "--format", "json").json
    assert [(row["position"], row["beads"], row["taken"]) for row in rows if row["taken"]] == [("ppp/1P1/P1P b", "a3b2", "a3a2")]
    assert rows == tablebase.boxes("hexapawn", boxes=boxes)
    assert_one_sentence(ask("boxes", "hexapawn-3x4", "--boxes", boxes), "a different game")


def test_sheets_with_a_position_without_an_answer(pawn_tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    words = ["probe", "hexapawn", "--data", pawn_tables.folder, "--sheet", tmp_path / "a.svg"]
    answer = ask(*words, "ppp/3/PPP w", "x")
    assert answer.code == 2
    assert "no answer for 1 of 2 positions" in answer.err
    (tmp_path / "many").write_text("ppp/3/PPP w\n" * 1001, encoding="utf-8")
    assert_one_sentence(ask(*words, f"@{tmp_path / 'many'}"), "a sheet must have 1 to 1,000 boards, not 1,001")
    assert not (tmp_path / "a.svg").exists()


OUTPUTS = {
    (verb.name, one.name): one.shell.output
    for verb in VERBS.values()
    if verb.group
    for one in verb_parameters(verb)
    if one.shell.output is not None
}
"""By command and by the name of its parameter."""
INPUTS = {
    ("batch", "file"),
    ("boxes", "boxes"),
    ("line", "replay"),
    ("merge", "place"),
    ("prove", "check"),
    ("unpack", "place"),
    ("serve", "unix_socket"),
    ("verify", "published"),
}
"""Parameters that name files and folders that are read, or a socket."""
NEEDED = {
    ("match", "output"): ["--player", "tables", "--player", "tables", "--games", "2"],
    ("match-stats", "curve"): ["games.txt"],
    ("play", "boxes"): ["--player", "matchboxes"],
    ("plot", "csv"): ["--output", "other.svg", "distances"],
    ("plot", "output"): ["distances"],
    ("probe", "sheet"): ["ppp/3/PPP w"],
    ("probe", "svg"): ["ppp/3/PPP w"],
    ("train", "curve"): ["--games", "1", "--output", "hexapawn.learner"],
    ("train", "output"): ["--games", "1"],
    ("unpack", "to"): ["{data}"],
}
"""What commands need beside a game, a folder and their output."""

NAMED = {
    ("build", "log"),
    ("build", "json_log"),
    ("line", "sheet"),
    ("play", "boxes"),
    ("probe", "sheet"),
    ("match-stats", "curve"),
    ("plot", "csv"),
    ("train", "curve"),
}
"""Outputs whose options have a name of their own."""


def option_of(output: tuple[str, str]) -> str:
    [option] = next(one.opts for one in every_command()[output[0]].params if one.name == output[1])
    return str(option)


def command_of(output: tuple[str, str], target: Path, data: Path) -> list[str]:
    name = output[0]
    words = [word.format(data=data) for word in NEEDED.get(output, [])]
    game = ["hexapawn"] * VERBS[name].takes_game
    folder = [] if name in ("boxes", "unpack", "match-stats") else ["--data", str(data)]
    return [name, *(words + game if name == "plot" else game + words), option_of(output), str(target), *folder]


def test_all_outputs_are_known() -> None:
    """Whatever parameter names a file or a folder is an input or an output."""
    commands: dict[str, Any] = every_command()
    named = {
        (name, one.name)
        for name, command in commands.items()
        for one in command.params
        if one.metavar in ("FILE", "DIR") and one.name not in ("data", "features", "rules")
    }
    assert named == INPUTS | OUTPUTS.keys()


def test_outputs_are_named_alike() -> None:
    for (name, parameter), kind in OUTPUTS.items():
        if (name, parameter) not in NAMED:
            assert option_of((name, parameter)) == ("--to" if kind in (Output.FOLDER, Output.NEW_FOLDER) else "--output")


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_folder_of_a_tablebase_is_left_alone(output: tuple[str, str], hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "link").symlink_to(hexapawns)
    before = contents(hexapawns)
    for name in ("hexapawn/2/new.svg", "new.svg", "catalog.sqlite", next(iter(sorted(before)))):
        for folder in (hexapawns, tmp_path / "link"):
            assert_one_sentence(ask(*command_of(output, folder / name, hexapawns)), name)
    assert contents(hexapawns) == before
