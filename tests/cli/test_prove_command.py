"""The command `prove`."""

import json
from pathlib import Path

from support.games import after
from support.program import Ask

import tablebase
from tablebase.game import load_game
from tablebase.game.notation import parse

JUNGLE = load_game("doushouqi")
HARD = "4e2/2w4/1E5/7/7/7/4L1R/7/1D5 w"


def test_a_proof(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """In all formats, with a file that the check accepts."""
    file = tmp_path / "proof"
    words = ("prove", "doushouqi", HARD, "--data", three_pieces)
    answer = ask(*words, "--output", file, "--format", "json")
    [row] = answer.json
    assert (answer.code, row["outcome"], row["position"], row["refuted"]) == (0, "win", HARD, None)
    assert row["plies"] == len(row["line"])
    lines = file.read_text().splitlines()
    assert len(lines) == row["size"] + 1
    checked = ask("prove", "--check", file, "--data", three_pieces)
    assert (checked.code, checked.out) == (0, f"win of {HARD}: the proof holds, {row['size']} positions checked\n")
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


def test_what_is_not_decided(ask: Ask, tmp_path: Path) -> None:
    """Says within how many plies neither side wins, and exits with 0; there is no proof to write."""
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
    """Code 1, and a sentence that says why, in all formats; a sound one of a game without tables holds."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    assert ask("prove", "hexapawn", "--output", good).code == 0
    bad.write_text("".join(good.read_text().splitlines(keepends=True)[:-1]))
    head = json.loads(good.read_text().splitlines()[0])
    described = {"game": "hexapawn", "position": head["position"], "outcome": "loss", "positions": head["positions"]}
    assert ask("prove", "--check", good, "--format", "json").json == [described | {"fault": None}]
    answer = ask("prove", "--check", bad)
    assert (answer.code, answer.err) == (1, "")
    assert answer.out == f"loss of {head['position']}: the proof does not hold: positions are missing, or there twice\n"
