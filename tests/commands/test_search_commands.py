"""The commands `perft`, `count`, `analyse`, `prove` and `uci`: what they print in each format, and what they refuse."""

import json
import os
import signal
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.games import after
from support.program import Ask, ask_fresh, start_fresh
from twins import naive
from twins import walk as naive_walk
from twins.walk import walk, walked

import tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.play import graph_player
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import open_player
from tablebase.positions.location import locate
from tablebase.positions.material import parse_material
from tablebase.search import Options, Repetition
from tablebase.tables.folder import table_path

JUNGLE = load_game("doushouqi")
PAWNS = load_game("hexapawn")
FIELDS = ["depth", "rank", "outcome", "distance", "score", "nodes", "seconds", "table_hits", "line", "reached"]
RACE = "7/7/2C4/7/7/7/7/6d/7 w"
"""A win in 5: the cat runs, and the dog is too far away."""
HARD = "4e2/2w4/1E5/7/7/7/4L1R/7/1D5 w"
"""A win that is proved in less than a second."""
TAKES = "7/7/7/7/3c3/3C3/3d3/7/7 w"
"""White can take the cat, which leaves CvD, or have the cat taken."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run where no tables are by default."""
    monkeypatch.delenv("TABLEBASE_DATA", raising=False)
    monkeypatch.chdir(tmp_path)


def counted(name: str, plies: int, text: str | None = None) -> list[int]:
    game = load_game(name)
    return [naive.perft(game, parse(game, text or game.start), number) for number in range(1, plies + 1)]


def test_perft_from_a_position_of_a_variant(ask: Ask) -> None:
    for words in ([RACE], ["--from", RACE], ["--from", RACE, "--workers", 2]):
        found = ask("perft", "doushouqi", *words, "--depth", 3, "--format", "json").json
        assert [row["leaves"] for row in found] == counted("doushouqi", 3, RACE)
    found = ask("perft", "hasenspiel", "--variant", "early=none", "--depth", 3, "--format", "json").json
    assert [row["leaves"] for row in found] == counted("hasenspiel-early=none", 3)


def test_repeated_lines_may_be_leaves(ask: Ask) -> None:
    """The known numbers of depth 5: all paths, and the paper's leaves."""
    for how, leaves in (("continue", 5_111_725), ("leaf", 5_098_477)):
        found = ask("perft", "doushouqi", "--depth", 5, "--repetitions", how, "--format", "json").json
        assert found[-1]["leaves"] == leaves


def test_analyse_as_json(ask: Ask) -> None:
    """An object for each depth, whose fields are a contract: either a proved result or a score, and the line."""
    answer = ask("analyse", "doushouqi", RACE, "--exact", "--depth", 5, "--format", "json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert [list(row) for row in found] == [FIELDS] * 5
    assert [row["depth"] for row in found] == [1, 2, 3, 4, 5]
    assert [(row["outcome"], row["distance"]) for row in found] == [(None, None)] * 4 + [("win", 5)]
    assert [isinstance(row["score"], int) for row in found] == [True] * 4 + [False]
    assert found[-1]["score"] is None
    for row in found:
        assert len(row["line"]) == row["depth"]
        assert (row["rank"], row["table_hits"], row["reached"]) == (1, 0, None)
        assert isinstance(row["seconds"], float)
    assert [row["nodes"] for row in found] == sorted({row["nodes"] for row in found})


def test_options_reach_the_engine(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def record(game: object, prober: object, options: Options) -> None:
        seen.append((game, prober, options))
        raise TablebaseError("seen")

    monkeypatch.setattr("tablebase.search.engine.Engine", record)
    given = ["--exact", "--workers", 2, "--hash", "1M", "--repetition", "loss", "--progress-limit", 30]
    assert ask("analyse", "hexapawn", "--size", "4x4", *given).err == "error: seen\n"
    assert ask("analyse", "hexapawn").err == "error: seen\n"
    options = Options(exact=True, threads=2, hash_bytes=1 << 20, repetition=Repetition.LOSS, progress=30)
    assert seen == [(load_game("hexapawn-4x4"), None, options), (PAWNS, None, Options())]


def test_a_proof(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    file = tmp_path / "proof"
    words = ("prove", "doushouqi", HARD, "--data", three_pieces)
    answer = ask(*words, "--output", file, "--format", "json")
    [row] = answer.json
    assert (answer.code, row["outcome"], row["position"], row["refuted"]) == (0, "win", HARD, None)
    assert row["plies"] == len(row["line"])
    lines = file.read_text().splitlines()
    assert len(lines) == row["size"] + 1
    checked = ask("prove", "--check", file, "--data", three_pieces)
    assert (checked.code, checked.out) == (0, f"the proof of a win in {HARD} is correct ({row['size']} positions checked)\n")
    assert f"wrote a proof of {row['size']:,} positions to {file}\n" in answer.err
    table = ask(*words).out.splitlines()
    assert table[0].startswith(f"White to move: win, proved by {row['size']} positions (")
    assert table[1].startswith(f"longest line, {row['plies']} plies: {' '.join(row['line'])}")
    [flat] = ask(*words, "--format", "csv").csv
    assert (flat["outcome"], flat["line"]) == ("win", " ".join(row["line"]))


def test_lines_that_end_in_tables(three_pieces: Path, ask: Ask) -> None:
    """The result of the last position is the table's; without tables of three pieces it is another one."""
    words = ("prove", "doushouqi", "7/1pw4/3L3/7/7/7/7/C6/7 w", "--data", three_pieces, "--nodes", 3000, "--format", "json")
    [row] = ask(*words).json
    assert row["outcome"] == "win"
    assert row["table_hits"] > 0
    *_, last = after(JUNGLE, parse(JUNGLE, row["position"]), row["line"])
    with tablebase.open(three_pieces) as tables:
        assert row["reached"] == {"outcome": str((value := tables.probe_value(JUNGLE, last)).outcome), "distance": value.distance}
    [less] = ask(*words, "--table-pieces", 0).json
    assert (less["table_hits"], less["reached"]) == (0, None)


def test_a_position_with_a_table(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Its value comes from there without a search, unless a proof is to be written or the table is excluded."""
    words, file = ("prove", "doushouqi", "7/7/7/7/7/7/7/R2c3/7 b", "--data", three_pieces), tmp_path / "proof"
    with tablebase.open(three_pieces) as tables:
        value = tables.probe_value("doushouqi", words[2])
        drawn = tables.probe_value("doushouqi", "7/7/5c1/R6/7/7/7/7/7 b")
    known = {"outcome": str(value.outcome), "distance": value.distance}
    [row] = ask(*words, "--format", "json").json
    assert row["table"] == known
    assert (row["outcome"], row["plies"], row["size"], row["nodes"]) == (known["outcome"], None, None, 0)
    assert ask(*words, "--format", "csv").csv[0]["table"] == f"win in {value.distance}"
    said = f"Black to move: win in {value.distance}, according to its table; to search for a proof, use --table-pieces 1\n"
    assert ask(*words).out == said
    [searched] = ask(*words, "--table-pieces", 1, "--format", "json").json
    assert (searched["outcome"], searched["table"]) == ("win", None)
    assert searched["size"]
    written = ask(*words, "--output", file)
    assert "win, proved by " in written.out
    assert written.out.endswith(f"according to its table: win in {value.distance}\n")
    assert file.exists()
    # Draws are never proved.
    assert drawn.distance is None
    draw = ask("prove", "doushouqi", "7/7/5c1/R6/7/7/7/7/7 b", "--data", three_pieces, "--output", tmp_path / "none")
    assert draw.out == "Black to move: draw, according to its table\n"
    assert not (tmp_path / "none").exists()
    [apart] = ask("prove", "hexapawn", "--data", three_pieces, "--format", "json").json
    assert apart["table"] is None


def test_what_is_not_decided(ask: Ask, tmp_path: Path) -> None:
    answer = ask("prove", "doushouqi", "--nodes", 200, "--data", "data", "--output", tmp_path / "proof")
    assert (answer.code, answer.err) == (0, "")
    assert not list(tmp_path.iterdir())
    assert answer.out.startswith(
        "White to move: not decided within the limits (neither side wins within 2 plies; 200 nodes, 0 table"
    )
    [row] = ask("prove", "doushouqi", "--nodes", 200, "--format", "json").json
    assert (row["outcome"], row["refuted"], row["size"], row["line"]) == (None, 2, None, [])
    over = ask("prove", "doushouqi", "7/7/7/7/7/7/7/w6/Cd5 w")
    assert over.out == "White to move: draw, the game is over\n"


def test_a_proof_that_does_not_hold(ask: Ask, tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    assert ask("prove", "hexapawn", "--output", good).code == 0
    bad.write_text("".join(good.read_text().splitlines(keepends=True)[:-1]))
    head = json.loads(good.read_text().splitlines()[0])
    described = {"game": "hexapawn", "position": head["position"], "outcome": "loss", "positions": head["positions"]}
    assert ask("prove", "--check", good, "--format", "json").json == [described | {"fault": None}]
    answer = ask("prove", "--check", bad)
    assert (answer.code, answer.err) == (1, "")
    assert answer.out == f"the proof of a loss in {head['position']} is wrong: some positions are missing or repeated\n"


def test_tables_are_not_needed(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are none by default; a folder that somebody has named must be there, unless it is not wanted."""
    assert ask("analyse", "doushouqi", "--depth", 1).code == 0
    monkeypatch.setenv("TABLEBASE_DATA", "nowhere")
    assert ask("analyse", "doushouqi", "--depth", 1).err.startswith("error: no tablebase in nowhere")
    assert ask("analyse", "doushouqi", "--depth", 1, "--no-tables").code == 0


def test_missing_tables_are_named(copied: Path, ask: Ask) -> None:
    words = ["analyse", "doushouqi", TAKES, "--depth", 2, "--data", copied]
    assert ask(*words).err == ""
    table_path(copied, JUNGLE, locate(JUNGLE, parse_material(JUNGLE, "CvD"), 1).material).unlink()
    answer = ask(*words)
    assert answer.code == 0
    command = f"tablebase build doushouqi --material CvD --data {copied}"
    assert answer.err == f"searched without the table of CvD: run '{command}'\n"
    assert ask(*command.split()[1:]).code == 0
    assert ask(*words).err == ""
    for path in (copied / "doushouqi" / "2").glob("[CR]*.h5"):
        path.unlink()
    answer = ask("analyse", "doushouqi", "7/7/7/7/3c3/3C3/3r3/7/7 w", "--depth", 1, "--data", copied)
    assert answer.err.startswith("searched without the tables of 2 materials, such as CvC: run 'tablebase build doushouqi --mat")


@pytest.mark.full
@pytest.mark.parametrize(("command", "workers"), [("analyse", 1), ("analyse", 2), ("perft", 2)])
def test_ctrl_c_ends_a_search(command: str, workers: int, ask: Ask) -> None:
    # What is being compiled is not interrupted.
    assert ask("perft", "hexapawn").code == 0
    words = ["--no-tables", "--time", 300] if command == "analyse" else ["--depth", 12]
    with start_fresh(command, "doushouqi", *words, "--workers", workers) as process:
        assert process.stdout is not None
        if command == "analyse":
            # As many answers as it has soon, after which it is in the kernel.
            lines = [process.stdout.readline() for _ in range(6)]
            assert [line.split()[0] for line in lines] == ["depth", "1", "2", "3", "4", "5"]
        time.sleep(0.5 if command == "analyse" else 3)
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert time.monotonic() - begin < 1
    assert process.returncode == 130
    assert [line.partition(";")[0] for line in said.splitlines() if "compiling" not in line and line] == ["error: interrupted"]


def test_a_process_of_its_own(two_pieces: Path) -> None:
    """Bytes that are no text, and the end of the input in mid-search: an answer, exit code 0, nothing on standard error."""
    lines = "uci\nisready\n\udcff\udcfe\nposition startpos\ngo infinite\n"
    answer = ask_fresh("uci", "doushouqi", "--data", two_pieces, given=lines)
    said = answer.out.splitlines()
    assert (answer.code, "Traceback" in answer.err) == (0, False)
    assert f"option name TablebasePath type string default {two_pieces}" in said
    assert "readyok" in said
    assert any(line.startswith("info string error: ") and "xff" in line and "unknown command" in line for line in said)
    assert said[-1].startswith("bestmove ")
    assert said[-1] != "bestmove 0000"


def test_lines_of_a_short_talk(typed: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    answer = typed(["uci", "quit", "uci"], "uci", "hexapawn", "--size", "4x4")
    assert (answer.code, answer.err, answer.out.count("uciok")) == (0, "", 1)
    assert "option name TablebasePath type string default <empty>\n" in answer.out
    assert "option name UCI_Variant type combo default hexapawn-4x4 var " in answer.out


def test_a_line_that_is_too_long(typed: Ask) -> None:
    answer = typed([f"position startpos moves {'a2a3 ' * 1_000_000}", "isready", "quit"], "uci", "hexapawn", "--size", "4x4")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == "info string error: a line has more than 1,048,576 characters: send a shorter line\nreadyok\n"


@cache
def expected(name: str, position: Position) -> dict[str, tuple[str, int, int, tuple[int, int]]]:
    """Of each move: outcome and plies for its side, games after it, and those that each side wins, all of them walked."""
    game, values, found = load_game(name), naive_walk.values(walked(name)), {}
    for move, child in game.moves(position).items():
        outcome, plies = values[child._replace(won="")]
        games, won = naive_walk.games(walk(game, child)) if not child.won else (1, (int(position.side == 0), position.side))
        found[move] = ("win" if outcome == "loss" else "loss", plies + 1, games, won)
    return found


def rows(name: str, position: Position, **options: object) -> dict[str, tuple[str, int, int, tuple[int, int]]]:
    game = load_game(name)
    first, second = (f"won_{side.letter}" for side in game.sides)
    said = tablebase.count(name, game.format(position), divide=True, **options)
    for row in said:
        won = row[first] if position.side == 0 else row[second]
        assert row["share"] == pytest.approx(won / row["games"])
        assert row["position"] == game.format(game.moves(position)[row["move"]])
    ranks = [
        (row["outcome"] or "", -row["distance"] if row["outcome"] == "win" else row["distance"] or 0, row["share"]) for row in said
    ]
    # In the alphabet, too, a win comes after a loss.
    assert ranks == sorted(ranks, reverse=True)
    return {row["move"]: (row["outcome"], row["distance"], row["games"], (row[first], row[second])) for row in said}


@pytest.mark.parametrize("name", ["hasenspiel-4x6", "hexapawn", "foxhounds-4x4"])
def test_moves_are_those_of_plain_python(name: str) -> None:
    start = load_game(name).initial
    for position in (start, *walked(name).children[start]):
        assert rows(name, position) == expected(name, position)


def test_large_boards_are_counted_move_by_move(tmp_path: Path, hexapawns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many positions, tables say what moves force; without them, nothing does."""
    monkeypatch.setattr(graph_player, "LIMIT", 10)
    game = load_game("hexapawn")
    assert rows("hexapawn", game.initial, data=hexapawns) == expected("hexapawn", game.initial)
    unknown = rows("hexapawn", game.initial, data=tmp_path / "none")
    assert {one[:2] for one in unknown.values()} == {(None, None)}
    assert {move: one[2:] for move, one in unknown.items()} == {
        move: one[2:] for move, one in expected("hexapawn", game.initial).items()
    }


@pytest.mark.parametrize(("name", "games"), [("noughts", 255_168), ("foxhounds-6x6", 982_462_133_247)])
def test_the_command(name: str, games: int, ask: Ask) -> None:
    said = ask("count", name, "--divide", "--format", "json").json
    assert said == tablebase.count(name, divide=True)
    assert sum(row["games"] for row in said) == tablebase.count(name)["games"] == games


def test_the_ranking_gives_them_as_a_hint() -> None:
    game = load_game("hexapawn")
    with open_player("ranking", Seat(game, game.initial)) as player:
        assert player.hint(Match(game, game.initial)).splitlines() == [
            "move  best outcome  possible games      won",
            "b1b2  loss in 6                 66  39.39 %",
            "a1a2  loss in 4                 34  55.88 %",
            "c1c2  loss in 4                 34  55.88 %",
        ]
