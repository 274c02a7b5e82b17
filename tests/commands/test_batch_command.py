"""The command `batch`: nothing starts before all of it is known to be right, and what it does is what `build` does."""

import json
import os
import shutil
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.processes import group, wait_for
from support.program import Ask, assert_one_sentence, contents, start_fresh

import tablebase
from tablebase.building import slice_work
from tablebase.building.batch_record import BatchRecord
from tablebase.building.estimate import SpeedModel
from tablebase.building.plan import plan
from tablebase.commands import batch as module
from tablebase.errors import CapacityError
from tablebase.game import Game, load_game
from tablebase.tables import folder

TWO = """
[[build]]
game = "hexapawn"

[[build]]
game = "doushouqi"
pieces = 2
priority = 1
"""
SCHEDULER = 'scheduler = "tcp://127.0.0.1:1"'
STATEMENT = "SELECT outcome, count(*) AS positions FROM positions WHERE material = 'CvC' GROUP BY ALL ORDER BY ALL"

STEPS = {
    '["stats", "hexapawn"]\noutput = "nowhere/x"': "the folder nowhere does not exist",
    '["stats", "hexapawn"]\noutput = "/"': "/ is a folder",
    '["plot", "distances", "hexapawn", "--output", "nowhere/x.svg"]': "the folder nowhere does not exist",
    '["plot", "distances", "hexapawn", "--output", "x.jpg"]': "cannot write a picture to x.jpg",
    '["stats", "chess"]': "unknown game 'chess'",
    '["stats", "doushouqi"]': "no tablebase in",
    '["stats", "hexapawn", "--data", "nowhere"]': "no tablebase in nowhere",
    '["verify", "hexapawn", "--fast"]': "--fast",
    '["stats", "hexapawn", "--format", "xml"]': "xml",
    '["sql", "SELEC 1"]': 'near "SELEC": syntax error',
    '["mine", "hexapawn", "SELECT count(* FROM positions"]': "syntax error",
    '["mine", "hexapawn", "@nowhere.sql"]': "nowhere.sql cannot be used",
    '["mine", "hexapawn", "-"]': "cannot read standard input",
    '["mine", "hexapawn", "SELECT 1", "--features", "nowhere.py"]': "the file nowhere.py does not exist",
    '["mine", "hexapawn", "SELECT 1", "--table", "a=nowhere.csv"]': "nowhere.csv cannot be used",
    '["probe", "hexapawn", "ppp/3/XXX w"]': "X",
    '["line", "hexapawn", "--from", "here"]': "here",
    '["verify", "hexapawn", "--material", "QvK"]': "no piece 'Q'",
    '["export", "hexapawn", "--to", "/dev/null"]': "/dev/null is a file",
    '["copy", "hexapawn", "--to", "/dev/null"]': "/dev/null is a file",
}
"""What is wrong with follow-up commands, and is found before anything starts."""
OUTPUT = '[[then]]\ncommand = ["stats", "hexapawn"]\noutput = "out"\n'


def night(folder: Path, text: str) -> Path:
    path = folder / "night.toml"
    path.write_text(text)
    return path


def test_a_dry_run_starts_nothing(tmp_path: Path, ask: Ask) -> None:
    data = tmp_path / "data"
    path = night(tmp_path, 'for = "1h"\nlog = "night.log"\n' + TWO)
    answer = ask("batch", path, "--dry-run", "--data", data)
    assert (answer.code, answer.err) == (0, "")
    first, second = (line.split() for line in answer.out.splitlines()[2:4])
    assert first[:5] == ["doushouqi", "--pieces", "2", "10", "160,068"]
    assert second[0] == "hexapawn"
    assert "deadline: " in answer.out
    assert "too early" not in answer.out
    assert not data.exists()
    assert not Path("night.log").exists()
    night(tmp_path, f'for = "0.1s"\n{TWO}')
    assert " (too early to finish everything)" in ask("batch", path, "--dry-run", "--data", data).out


def test_everything_is_built_and_then_the_steps_are_taken(
    two_pieces: Path, tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    output, log = tmp_path / "outcomes.csv", tmp_path / "night.jsonl"
    steps = f"""
    [[then]]
    command = ["mine", "doushouqi", {json.dumps(STATEMENT)}, "--format", "csv"]
    output = {json.dumps(str(output))}
    """
    data = tmp_path / "data"
    few = TWO.replace("pieces = 2", 'material = ["CvC", "RvC"]')
    path = night(tmp_path, f"data = {json.dumps(str(data))}\njson-log = {json.dumps(str(log))}\n{few}{steps}")
    answer = ask("batch", path)
    assert answer.code == 0, answer.err
    built = {name: file for name, file in contents(data).items() if name.startswith("doushouqi") and name.endswith(".h5")}
    assert built == {name: file for name, file in contents(two_pieces).items() if name.endswith(("/CvC.h5", "/RvC.h5"))}
    assert output.read_text() == ask("mine", "doushouqi", STATEMENT, "--format", "csv", "--data", two_pieces).out
    events = [json.loads(line) for line in log.read_text().splitlines()]
    begun = [(event["event"], event["game"]) for event in events if event["event"] != "table"]
    assert begun == [(event, game) for game in ("doushouqi", "hexapawn") for event in ("begin", "end")]
    again = tablebase.batch(path)
    assert again is not None
    assert (again.run, again.errors, again.left, again.waiting) == (0, (), 0, 0)
    assert capsys.readouterr().err.count("nothing to do") == 2


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ('[[build]]\ngame = "dou"\npieces = 2', 1, "unknown game 'dou'"),
        ('[[build]]\ngame = "doushouqi"', 1, "the initial position has too many pieces"),
        ('[[build]]\ngame = "doushouqi"\npieces = "four"', 1, "invalid number of pieces 'four'"),
        ('[[build]]\ngame = "doushouqi"\nmaterial = ["QvK"]', 1, "no piece 'Q'"),
        ('[[build]]\ngame = "doushouqi"\npieces = 2\nsolver = "steam"', 1, "unknown solver 'steam'"),
        ('[[build]]\ngame = "doushouqi"\npieces = 2\nlimits = { carrots = 3 }', 1, "do not support limits"),
        ('[[build]]\ngame = "harehedgehog"\npieces = 2', 1, "pieces"),
        ('[[build]]\ngame = "harehedgehog"\nlimits = { parrots = 3 }', 1, "--parrots"),
        ('memory = "1M"\n[[build]]\ngame = "harehedgehog"\nlimits = { carrots = 20 }\npriority = 10', 2, "bytes of memory"),
        ('memory = "much"\n[[build]]\ngame = "hexapawn"', 1, "invalid size 'much'"),
        ('workers = 2\nmemory = "1M"\n[[build]]\ngame = "hexapawn"', 5, "bytes of memory"),
        ('workers = 2\ndeadline = "noon"\n[[build]]\ngame = "hexapawn"', 2, "'noon' is not a time"),
        ('workers = 2\nfor = "long"\n[[build]]\ngame = "hexapawn"', 2, "'long' is not a duration"),
        ('executor = "dask"\n[[build]]\ngame = "harehedgehog"', 2, "cannot build tables of harehedgehog with the executor dask"),
        ('workers = 2\nexecutor = "slurm"\n[[build]]\ngame = "hexapawn"', 2, "invalid executor 'slurm': expected local or dask"),
        (f'{SCHEDULER}\n[[build]]\ngame = "hexapawn"', 1, "cannot use --scheduler without --executor dask"),
        (f'workers = 2\nexecutor = "dask"\n{SCHEDULER}\n[[build]]\ngame = "hexapawn"', 3, "cannot use --workers or --memory"),
        ('grace = "long"\n[[build]]\ngame = "hexapawn"', 1, "'long' is not a duration"),
        ('disk = "much"\n[[build]]\ngame = "hexapawn"', 1, "invalid size 'much'"),
        *((f'[[build]]\ngame = "hexapawn"\n[[then]]\ncommand = {step}', 3, error) for step, error in STEPS.items()),
        (f'[[build]]\ngame = "hexapawn"\n{2 * OUTPUT}', 6, "is already an input or output of this command"),
        ('log = "nowhere/log"\n[[build]]\ngame = "hexapawn"', 1, "the folder nowhere does not exist"),
        ('workers = 2\njson-log = "."\n[[build]]\ngame = "hexapawn"', 2, ". is a folder"),
        ('workers = 2\ndata = "/dev/null/x"\n[[build]]\ngame = "hexapawn"', 2, "Not a directory"),
        ('workers = 2\ndata = "a\\u0000b"\n[[build]]\ngame = "hexapawn"', 2, "expected a string without NUL characters"),
    ],
)
def test_what_is_wrong_is_found_before_anything_starts(text: str, line: int, error: str, tmp_path: Path, ask: Ask) -> None:
    path = night(tmp_path, text + '\n[[build]]\ngame = "hexapawn"\npriority = 9\n')
    for more in ([], ["--dry-run"]):
        answer = ask("batch", path, "--data", tmp_path / "data", *more)
        assert_one_sentence(answer, f"error: {path}, line {line}: ", error, code=3 if "bytes" in error else 2)
    assert {one.name for one in tmp_path.iterdir()} <= {"night.toml", ".night.toml.lock"}


def test_all_entries_together_must_fit_onto_the_disk(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    path = night(tmp_path, "disk = 1000\n" + TWO)
    data = tmp_path / "data"
    wanted = [(load_game("doushouqi"), 2), (load_game("hexapawn"), 6)]
    needed = sum(SpeedModel(game).cost(material).disk for game, pieces in wanted for material in plan(game, pieces, []))
    monkeypatch.setattr(folder, "free_space", lambda _: needed + 1000)
    assert ask("batch", path, "--dry-run", "--data", data).code == 0
    monkeypatch.setattr(folder, "free_space", lambda _: needed + 999)
    said = f"{path} needs {needed:,} bytes on the disk of {data}, but only {needed - 1:,} are available"
    assert_one_sentence(ask("batch", path, "--data", data), said, code=3)
    assert not list(data.rglob("*.h5"))


def test_a_deadline_ends_the_night(tmp_path: Path, ask: Ask) -> None:
    """No step is taken before everything is built; the sentence says what is left, and how to go on."""
    output = tmp_path / "out.csv"
    step = f'[[then]]\ncommand = ["stats", "hexapawn", "--format", "csv"]\noutput = {json.dumps(str(output))}\n'
    path = night(tmp_path, f'for = "0.001s"\n{TWO}{step}')
    answer = ask("batch", path, "--data", tmp_path / "data")
    assert answer.code == 4
    assert answer.errors[-1].endswith(f"tables are unfinished: run 'tablebase batch {path} --data {tmp_path / 'data'}'")
    assert not output.exists()
    assert not list(tmp_path.rglob("*.h5"))


def test_steps_wait_for_no_deadline_that_has_passed(
    hexapawns: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = night(tmp_path, 'for = "5s"\n[[build]]\ngame = "hexapawn"\npieces = 6\n[[then]]\ncommand = ["stats", "hexapawn"]\n')
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: time.time() + 10, monotonic=time.monotonic))
    answer = ask("batch", path, "--data", hexapawns)
    assert answer.code == 4
    assert "1 command is unfinished" in answer.errors[-1]


def test_a_error_does_not_end_the_night(copied: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(game: Game, path: Path, *more: Any) -> Path:
        if path.stem != "TEvR":
            raise CapacityError("the table", "free some space")
        return solve(game, path, *more)

    solve = slice_work._solve
    monkeypatch.setattr(slice_work, "_solve", fails)
    output = tmp_path / "out.csv"
    entries = [f'[[build]]\ngame = "doushouqi"\nmaterial = "{material}"\n' for material in ("CvWD", "TEvR")]
    step = f'[[then]]\ncommand = ["stats", "doushouqi"]\noutput = {json.dumps(str(output))}\n'
    path = night(tmp_path, "".join(["workers = 1\n", *entries, step]))
    answer = ask("batch", path, "--data", copied)
    assert answer.code == CapacityError.exit_code
    assert [error.partition(" the table")[0] for error in answer.errors] == [f"error: {path}, line 2:"]
    assert (copied / "doushouqi" / "3" / "TEvR.h5").exists()
    assert not output.exists()


def test_a_step_that_fails_leaves_no_file(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    steps = [("sql", "SELECT missing FROM nowhere"), probed()]
    text = "".join(
        f"[[then]]\ncommand = {json.dumps(words)}\noutput = {json.dumps(str(output))}\n"
        for words, output in zip(steps, (bad, good), strict=True)
    )
    path = night(tmp_path, f'[[build]]\ngame = "hexapawn"\npieces = 6\n{text}')
    answer = ask("batch", path, "--data", hexapawns)
    assert answer.code == 2
    assert f"{path}, line 4: the command 'sql SELECT missing FROM nowhere' failed with exit code 2" in answer.errors[0]
    assert answer.err.splitlines()[-1].startswith(f"{path}: tables built: 0, commands run: 1, failed: 1, time: ")
    assert {file.name for file in tmp_path.iterdir()} == {".night.toml.lock", "good.csv", "night.toml", "night.toml.record.json"}
    assert good.read_text() == ask(*probed(), "--data", hexapawns).out


START, LATER = "ppp/3/PPP w", "1pp/p2/PPP w"


def probed(position: str = START) -> list[str]:
    return ["probe", "hexapawn", position, "--format", "csv"]


def follow_up(folder: Path, output: Path, command: Sequence[str] = tuple(probed()), more: str = "") -> Path:
    words = json.dumps(command)
    return night(folder, f'[[build]]\ngame = "hexapawn"\n[[then]]\ncommand = {words}\noutput = {json.dumps(str(output))}\n{more}')


def test_what_has_not_changed_does_not_run_again(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    """One line says so; another position, other tables, or an output that is gone, and the command runs."""
    data, output = shutil.copytree(hexapawns, tmp_path / "data"), tmp_path / "out.csv"
    first_said, second_said = (ask(*probed(one), "--data", data).out for one in (START, LATER))
    assert first_said != second_said
    path = follow_up(tmp_path, output)
    assert ask("batch", path, "--data", data).code == 0
    first = output.stat()
    again = ask("batch", path, "--data", data)
    assert f"probe hexapawn {START} --format csv --data" in again.err
    assert ": unchanged since " in again.err
    assert f"{path}: tables built: 0, unchanged: 1, time: " in again.err.splitlines()[-1]
    assert (output.stat().st_ino, output.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    assert "unchanged" in ask("batch", path, "--data", data, "--dry-run").out
    output.unlink()
    assert "commands run: 1" in ask("batch", path, "--data", data).err
    assert output.read_text() == first_said
    follow_up(tmp_path, output, probed(LATER))
    assert "commands run: 1" in ask("batch", path, "--data", data).err
    assert output.read_text() == second_said
    assert ask("build", "hexapawn-1x3", "--data", data).code == 0
    assert "unchanged: 1" in ask("batch", path, "--data", data).err


def test_files_of_others_are_not_replaced(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    data, output = tmp_path / "data", tmp_path / "out.csv"
    output.write_text("mine")
    path = follow_up(tmp_path, output)
    for more in ([], ["--dry-run"]):
        assert_one_sentence(ask("batch", path, "--data", data, *more), f"line 3: {output} already exists", "overwrite = true")
    assert output.read_text() == "mine"
    assert not data.exists()
    follow_up(tmp_path, output, more="overwrite = true\n")
    assert ask("batch", path, "--data", hexapawns).code == 0
    assert output.read_text() == ask(*probed(), "--data", hexapawns).out
    follow_up(tmp_path, output, probed(LATER))
    output.write_text("mine again")
    assert ask("batch", path, "--data", hexapawns).code == 2
    assert output.read_text() == "mine again"


@pytest.mark.parametrize("place", ["night.toml", "night.toml.record.json", "night.log", "data/new.csv", "data/catalog.sqlite"])
def test_files_of_the_batch_and_of_the_tablebase_are_not_outputs(place: str, tmp_path: Path, ask: Ask) -> None:
    path = follow_up(tmp_path, tmp_path / place, more="overwrite = true\n")
    path.write_text(f"log = {json.dumps(str(tmp_path / 'night.log'))}\n{path.read_text()}")
    assert_one_sentence(ask("batch", path, "--data", tmp_path / "data"), f"line 4: {tmp_path / place} is ")
    assert [one.name for one in tmp_path.iterdir()] == ["night.toml"]


def test_one_run_at_a_time(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    path = follow_up(tmp_path, tmp_path / "out.csv")
    with BatchRecord(path).lock():
        assert_one_sentence(ask("batch", path, "--data", hexapawns), f"another run of {path} is in progress")
    assert ask("batch", path, "--data", hexapawns).code == 0


@pytest.mark.full
def test_a_batch_on_a_cluster(tmp_path: Path, ask: Ask) -> None:
    path = night(tmp_path, 'executor = "dask"\nworkers = 2\nmemory = "4G"\n[[build]]\ngame = "doushouqi"\nmaterial = "CvC"\n')
    answer = ask("batch", path, "--data", tmp_path / "data")
    assert answer.code == 0, answer.err
    assert f"tables at a time: up to 2, each with at most {2**31:,} bytes of memory" in answer.err
    assert (tmp_path / "data/doushouqi/2/CvC.h5").exists()


@pytest.mark.release
def test_more_commands_may_follow(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Positions, also one after the last move, lines with pictures, which changed tables replace, packed tables and copies."""
    commands = [
        ["probe", "hexapawn", "ppp/3/PPP w", "--output", str(tmp_path / "start.svg")],
        ["probe", "hexapawn", "P2/2p/3 b"],
        ["line", "hexapawn", "--to", str(tmp_path / "line")],
        ["pack", "hexapawn", "--to", str(tmp_path / "packed")],
        ["copy", "hexapawn", "--to", str(tmp_path / "copy")],
    ]
    steps = "".join(f"[[then]]\ncommand = {json.dumps(words)}\n" for words in commands)
    path = night(tmp_path, f'[[build]]\ngame = "hexapawn"\n{steps}')
    answer = ask("batch", path, "--data", hexapawns)
    assert answer.code == 0, answer.err
    assert len(list((tmp_path / "packed").rglob("*.h5"))) == len(list((tmp_path / "copy").rglob("*.h5"))) == 6
    pictures = sorted(one.name for one in (tmp_path / "line").iterdir())
    assert "commands run: 3, unchanged: 2" in ask("batch", path, "--data", hexapawns).err
    record = tmp_path / "night.toml.record.json"
    record.write_text(record.read_text().replace('"version": "', '"version": "0'))
    assert "commands run: 5" in ask("batch", path, "--data", hexapawns).err
    assert sorted(one.name for one in (tmp_path / "line").iterdir()) == pictures
    assert not [one.name for one in tmp_path.iterdir() if one.name.endswith(".tmp")]


def test_a_record_of_something_else_is_refused(tmp_path: Path, ask: Ask) -> None:
    path = follow_up(tmp_path, tmp_path / "out.csv")
    for text in ("", "[]", '{"format": "batch record 1", "commands": [{}]}', "[" * 100_000):
        (tmp_path / "night.toml.record.json").write_text(text)
        said = f"{tmp_path / 'night.toml.record.json'} is not a valid batch record"
        assert_one_sentence(ask("batch", path, "--data", tmp_path / "data"), said)


@pytest.mark.parametrize(
    ("number", "everyone", "code"),
    [
        (signal.SIGKILL, False, -9),
        pytest.param(signal.SIGINT, True, 130, marks=pytest.mark.full),
        pytest.param(signal.SIGQUIT, True, 131, marks=pytest.mark.release),
        pytest.param(signal.SIGTERM, False, 143, marks=pytest.mark.release),
    ],
)
def test_nothing_of_a_batch_outlives_it(
    number: signal.Signals, everyone: bool, code: int, hexapawns: Path, tmp_path: Path, ask: Ask
) -> None:
    """Neither a command nor what that has started, of which one process alone says why, though a terminal signals all.

    A draft stays only after SIGKILL, until the batch runs again a day later.
    """
    output = tmp_path / "out.csv"
    statement = "SELECT count(*) AS n FROM range(9000000) a JOIN range(9000000) b ON a.range < b.range"
    path = follow_up(tmp_path, output, ["mine", "hexapawn", statement, "--format", "csv"])

    def drafts() -> list[Path]:
        return list(tmp_path.glob(".out.csv.*.tmp"))

    process = start_fresh("batch", path, "--data", hexapawns)
    with process:
        # The batch, Python's watch of resources, the command, and what answers its statement.
        wait_for(lambda: process.poll() is not None or (len(group(process.pid)) >= 4 and len(drafts()) == 1))
        assert process.poll() is None
        (os.killpg if everyone else os.kill)(process.pid, number)
        said = process.communicate(timeout=30)[1]
    assert (process.returncode, said.count("error: "), "Traceback" in said) == (code, int(code > 0), False)
    wait_for(lambda: not group(process.pid))
    assert len(drafts()) == (number == signal.SIGKILL)
    assert not output.exists()
    for draft in drafts():
        os.utime(draft, (0, 0))
    follow_up(tmp_path, output)
    assert ask("batch", path, "--data", hexapawns).code == 0
    assert output.read_text() == ask(*probed(), "--data", hexapawns).out
    assert not drafts()
