"""The command line: stable output for programs, exit codes, and instant help."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.program import PROGRAM, Ask, ask_fresh, assert_one_sentence, every_command
from support.tablebases import copy_of

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.commands.descriptions import list_built
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
COMMANDS: dict[str, Any] = every_command()
COUNTED = "pieces slices distinct placements stalemates positions wins losses draws longest_win longest_loss"
BEFORE_THE_DEN = "7/3C3/7/7/7/7/7/7/c6 w"
TOO_LATE = "7/3C3/7/7/7/7/7/7/c6 b"


def parse_table(text: str) -> list[dict[str, str]]:
    header, rule, *lines = text.rstrip("\n").splitlines()
    assert set(rule) <= set("─-━ ")
    names = re.split(r" {2,}", header.strip())
    return [dict(zip(names, re.split(r" {2,}", line.strip()), strict=True)) for line in lines]


def as_cells(row: dict[str, Any]) -> dict[str, str]:
    numbers = {name: f"{value:,}" for name, value in row.items() if isinstance(value, int)}
    return {name.replace("_", " "): "-" if value is None else numbers.get(name, value) for name, value in row.items()}


def test_probe_json_is_stable(two_pieces: Path, ask: Ask) -> None:
    """One object per position, with exactly the documented fields; moves are rated for the mover, best first."""
    answer = ask("probe", "doushouqi", TOO_LATE, BEFORE_THE_DEN, "--data", two_pieces, "--format", "json")
    assert (answer.code, answer.err) == (0, "")
    late, early = answer.json
    assert list(late) == ["game", "position", "side", "outcome", "distance", "best", "moves"]
    assert list(late.values())[:6] == ["doushouqi", TOO_LATE, "b", "loss", 2, "a1a2"]
    assert [list(move) for move in late["moves"]] == [["move", "position", "outcome", "distance"]] * 2
    assert [list(move.values()) for move in late["moves"]] == [
        ["a1a2", "7/3C3/7/7/7/7/7/c6/7 w", "loss", 2],
        ["a1b1", "7/3C3/7/7/7/7/7/7/1c5 w", "loss", 2],
    ]
    assert (early["side"], early["outcome"], early["distance"], early["best"]) == ("w", "win", 1, "d8d9")
    assert early["moves"][0] == {"move": "d8d9", "position": "3C3/7/7/7/7/7/7/7/c6 b", "outcome": "win", "distance": 1}
    assert len(early["moves"]) == 4


@pytest.mark.parametrize("by", [pytest.param("pieces", marks=pytest.mark.full), "material"])
def test_stats_are_stable(by: str, three_pieces: Path, ask: Ask) -> None:
    arguments = ["stats", "doushouqi", "--by", by, "--data", three_pieces]
    rows = ask(*arguments, "--format", "json").json
    fields = [*([] if by == "pieces" else ["material", "side"]), *COUNTED.split()]
    more = {"of_slices"} if by == "pieces" else set()
    assert [[name for name in row if name not in more] for row in rows] == [fields] * (2 if by == "pieces" else 64 + 448)
    assert all(more <= row.keys() for row in rows)
    rows = [{name: row[name] for name in fields} for row in rows]
    assert all(row["placements"] - row["stalemates"] == row["positions"] for row in rows)
    assert all(row["wins"] + row["losses"] + row["draws"] == row["positions"] for row in rows)
    assert ask(*arguments, "--format", "csv").csv == [{n: "" if v is None else str(v) for n, v in row.items()} for row in rows]
    assert parse_table(ask(*arguments).out) == [as_cells(row) for row in rows]


def test_line_plays_to_the_end(two_pieces: Path, tables: Tablebase, ask: Ask) -> None:
    arguments = ["line", "doushouqi", TOO_LATE, "--data", two_pieces]
    rows = ask(*arguments, "--format", "json").json
    assert rows == [
        {"ply": 0, "side": "b", "outcome": "loss", "distance": 2, "best": "a1a2", "position": TOO_LATE},
        {"ply": 1, "side": "w", "outcome": "win", "distance": 1, "best": "d8d9", "position": "7/3C3/7/7/7/7/7/c6/7 w"},
        {"ply": 2, "side": "b", "outcome": "loss", "distance": 0, "best": None, "position": "3C3/7/7/7/7/7/7/c6/7 b"},
    ]
    assert tables.line(GAME, TOO_LATE).to_dict() == rows
    assert ask(*arguments, "--format", "csv").csv == [{n: "" if v is None else str(v) for n, v in row.items()} for row in rows]
    assert parse_table(ask(*arguments).out) == [as_cells(row) for row in rows]
    boards = ask(*arguments, "--boards").out
    assert boards.count("   a b c d e f g\n") == 3
    assert " 9 . . ^[C]^ . .\n 8 . . .[^]. . .\n" in boards


def test_games_and_estimates(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    (game,) = (row for row in ask("games", "--format", "json").json if row["game"] == "doushouqi")
    assert list(game) == ["game", "title", "variants", "squares", "pieces", "start", "commands"]
    assert (game["title"], game["squares"], game["start"], game["commands"]) == ("Dou Shou Qi", 63, GAME.start, "all")
    for folder in (tmp_path / "none", two_pieces):
        rows = ask("estimate", "doushouqi", "--pieces", "4", "--data", folder, "--format", "json").json
        assert [(row["pieces"], row["distinct_placements"]) for row in rows] == [(2, 44_820), (3, 10_622_808), (4, 1_546_576_416)]
        assert all(row["memory"] > 0 and row["disk"] > 0 and row["cpu_seconds"] > 0 for row in rows)
    assert not (tmp_path / "none").exists()


def test_verify_compares_with_published_digests(copied: Path, tmp_path: Path, ask: Ask) -> None:
    listed = tmp_path / "published.csv"
    statement = "SELECT game, material, values_sha256 FROM tables WHERE material <> 'CvC' ORDER BY material"
    listed.write_text(ask("sql", statement, "--data", copied, "--format", "csv").out)
    right = ask("verify", "doushouqi", "--published", listed, "--data", copied)
    assert (right.code, right.errors) == (0, [])
    assert f"tables also listed in {listed}: 9 of 10" in right.err
    first, other, *_ = re.findall("[0-9a-f]{64}", listed.read_text())
    listed.write_text(listed.read_text().replace(first, other, 1))
    wrong = ask("verify", "doushouqi", "--published", listed, "--data", copied)
    assert wrong.code == 1
    _, material, _ = listed.read_text().splitlines()[1].split(",")
    path = table_path(copied, GAME, parse_material(GAME, material))
    assert [error.partition(":")[2].split(" does not contain the published values")[0] for error in wrong.errors] == [f" {path}"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("game,material\ndoushouqi,RvR\n", "is not a list of published tables: add the column values_sha256"),
        ("game,material,values_sha256\nchess,RvR,00\n", "lists no tables of doushouqi: use a list for doushouqi"),
        ("game,material,values_sha256\ndoushouqi,RvR,00\n", "must list exactly one SHA-256 checksum for RvR"),
        (f"game,material,values_sha256\ndoushouqi,RvR,{64 * 'a'}\ndoushouqi,RvR,{64 * 'b'}\n", "must list exactly one SHA-256"),
    ],
)
def test_what_is_no_list_of_published_tables(text: str, sentence: str, copied: Path, tmp_path: Path, ask: Ask) -> None:
    listed = tmp_path / "published.csv"
    listed.write_text(text)
    assert_one_sentence(ask("verify", "doushouqi", "--published", listed, "--data", copied), sentence)
    listed.unlink()
    assert ask("verify", "doushouqi", "--published", listed, "--data", copied).code == 2


def test_the_largest_plan_is_refused_at_once(tmp_path: Path) -> None:
    """All slices of the full board are refused at once; enumerating them would take half a minute."""
    answer = ask_fresh("estimate", "doushouqi", "--pieces", "16", "--data", tmp_path, seconds=10)
    assert_one_sentence(answer, code=3)


def test_the_help_of_the_program_has_every_command_once(ask: Ask) -> None:
    said = ask("--help").out
    lines = said.splitlines()
    sections = [line.rstrip(":") for line in lines if re.fullmatch(r"[A-Z]\w+:", line)]
    assert sections == ["Options", "Build", "Ask", "Mine", "Play", "Serve"]
    described = [line.split(maxsplit=1) for line in lines if re.match(r"  [a-z]", line)]
    assert sorted(name for name, _ in described) == sorted(COMMANDS)
    for name, sentence in described:
        assert COMMANDS[name].help.startswith(sentence)
        assert sentence.endswith(".")
    assert said.count("\n    tablebase ") == 2
    assert ask().out == ask("-h").out == said


@pytest.mark.parametrize(
    "words", [["stats", "doushouqi", "--by", "material"], ["games", "--format", "json"]], ids=["table", "json"]
)
def test_a_closed_pipe_is_no_error(words: list[str], three_pieces: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    data = ["--data", str(three_pieces)] if words[0] == "stats" else []
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words, *data], stdout=write, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(write)
    assert (result.returncode, result.stderr) == (0, "")


pawns = copy_of("hexapawns")


def test_complete_counts_say_so(foxes: Path, ask: Ask) -> None:
    """Also where either side may be to move, so that a material has two slices."""
    answer = ask("stats", "foxhounds-4x4", "--data", foxes, "--format", "json")
    assert answer.err == ""
    assert [row["slices"] for row in answer.json] == [row["of_slices"] for row in answer.json]


@pytest.mark.parametrize("by", ["pieces", "material"])
@pytest.mark.parametrize("style", ["table", "csv", "json"])
def test_a_partial_build_is_said(by: str, style: str, tmp_path: Path, ask: Ask) -> None:
    assert ask("build", "hexapawn", "--material", "PPvPP", "--data", tmp_path).code == 0
    answer = ask("stats", "hexapawn", "--by", by, "--data", tmp_path, "--format", style)
    assert answer.code == 0
    assert answer.err.count("partial") == 1
    assert "1 of 3 with 4 pieces" in answer.err
    if style == "json" and by == "pieces":
        assert [(row["slices"], row["of_slices"]) for row in answer.json][-1] == (1, 3)
    if style == "csv":
        assert "of_slices" not in answer.out


def counted_on_the_front_page(folder: Path) -> dict[str, int]:
    with closing(Catalog(folder)) as catalog:
        return {row["game"]: row["tables"] for row in list_built(catalog)}


def test_a_deleted_table_is_not_counted(pawns: Path, ask: Ask) -> None:
    assert counted_on_the_front_page(pawns) == {"hexapawn": 6}
    (pawns / "hexapawn" / "6" / "PPPvPPP.h5").unlink()
    answer = ask("stats", "hexapawn", "--data", pawns, "--format", "json")
    assert [row["pieces"] for row in answer.json] == [2, 3, 4, 5]
    assert "hexapawn/6/PPPvPPP.h5" in answer.err
    assert counted_on_the_front_page(pawns) == {"hexapawn": 5}
    with tablebase.open(pawns) as tables, pytest.raises(MissingTableError):
        tables.describe("hexapawn", "PPPvPPP")
    shutil.rmtree(pawns / "hexapawn")
    assert ask("stats", "hexapawn", "--data", pawns).code == 2
    assert counted_on_the_front_page(pawns) == {}


def test_without_its_catalog_a_folder_is_not_empty(pawns: Path, ask: Ask) -> None:
    before = ask("stats", "hexapawn", "--data", pawns).out
    (pawns / FILE_NAME).unlink()
    for words in (["stats", "hexapawn"], ["sql", "SELECT 1"], ["verify", "hexapawn"], ["prune"]):
        assert_one_sentence(ask(*words, "--data", pawns), "6 table files but no catalog", f"run 'tablebase reindex --data {pawns}'")
    assert ask("reindex", "--data", pawns).code == 0
    assert ask("stats", "hexapawn", "--data", pawns).out == before
