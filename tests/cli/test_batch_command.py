"""The command `batch`: nothing starts before all of it is known to be right, and what it does is what `build` does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.program import Answer, contents

from tablebase.build.needs import disk
from tablebase.build.plan import plan
from tablebase.cli import batch as module
from tablebase.game import load_game
from tablebase.tables import folder

Ask = Callable[..., Answer]
TWO = """
[[build]]
game = "hexapawn"

[[build]]
game = "doushouqi"
pieces = 2
priority = 1
"""
STATEMENT = "SELECT outcome, count(*) AS positions FROM positions WHERE material = 'CvC' GROUP BY ALL ORDER BY ALL"


def night(folder: Path, text: str) -> Path:
    """A batch file."""
    path = folder / "night.toml"
    path.write_text(text)
    return path


def test_a_dry_run_starts_nothing(tmp_path: Path, ask: Ask) -> None:
    """It shows what each entry takes, in the order in which they would be built, and that the deadline is too early."""
    data = tmp_path / "data"
    path = night(tmp_path, 'for = "1h"\nlog = "night.log"\n' + TWO)
    answer = ask("batch", path, "--dry-run", "--data", data)
    assert (answer.code, answer.err) == (0, "")
    first, second = (line.split() for line in answer.out.splitlines()[2:4])
    assert first[:5] == ["doushouqi", "--pieces", "2", "10", "44,820"]
    assert second[0] == "hexapawn"
    assert "deadline: " in answer.out
    assert "too early" not in answer.out
    assert not data.exists()
    assert not Path("night.log").exists()


def test_a_dry_run_says_that_time_is_short(tmp_path: Path, ask: Ask) -> None:
    """All entries together are held against the deadline."""
    path = night(tmp_path, 'for = "0.1s"\n[[build]]\ngame = "doushouqi"\npieces = 4\n')
    answer = ask("batch", path, "--dry-run", "--data", tmp_path / "data")
    assert ", too early for all of it" in answer.out


def test_everything_is_built_and_then_the_steps_are_taken(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """The tables are those of `build`, and a file has what the command would have written."""
    output, log = tmp_path / "outcomes.csv", tmp_path / "night.jsonl"
    steps = f"""
    [[then]]
    command = ["verify", "hexapawn"]
    [[then]]
    command = ["mine", "doushouqi", {json.dumps(STATEMENT)}, "--format", "csv"]
    output = {json.dumps(str(output))}
    """
    data = tmp_path / "data"
    path = night(tmp_path, f"data = {json.dumps(str(data))}\njson-log = {json.dumps(str(log))}\n{TWO}{steps}")
    answer = ask("batch", path)
    assert answer.code == 0, answer.err
    built = {name: file for name, file in contents(data).items() if name.startswith("doushouqi") and name.endswith(".h5")}
    assert built == {name: file for name, file in contents(two_pieces).items() if name.endswith(".h5")}
    assert output.read_text() == ask("mine", "doushouqi", STATEMENT, "--format", "csv", "--data", two_pieces).out
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(event["event"], event["game"]) for event in events if event["event"] != "table"] == [
        ("begin", "doushouqi"),
        ("end", "doushouqi"),
        ("begin", "hexapawn"),
        ("end", "hexapawn"),
    ]
    again = ask("batch", path)
    assert again.code == 0
    assert again.err.count("nothing to do") == 2


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ('[[build]]\ngame = "dou"\npieces = 2', 1, "no game"),
        ('[[build]]\ngame = "doushouqi"', 1, "choose tables"),
        ('[[build]]\ngame = "doushouqi"\npieces = "four"', 1, "is no number of pieces"),
        ('[[build]]\ngame = "doushouqi"\nmaterial = ["QvK"]', 1, "no piece 'Q'"),
        ('[[build]]\ngame = "doushouqi"\npieces = 2\nengine = "steam"', 1, "there is no engine 'steam'"),
        ('[[build]]\ngame = "doushouqi"\npieces = 2\nlimits = { carrots = 3 }', 1, "have no limits"),
        ('[[build]]\ngame = "harehedgehog"\npieces = 2', 1, "pieces"),
        ('[[build]]\ngame = "harehedgehog"\nlimits = { parrots = 3 }', 1, "--parrots"),
        ('memory = "1M"\n[[build]]\ngame = "harehedgehog"\nlimits = { carrots = 20 }\npriority = 10', 2, "bytes of memory"),
        ('memory = "much"\n[[build]]\ngame = "hexapawn"', 1, "is not a size"),
        ('workers = 2\nmemory = "1M"\n[[build]]\ngame = "hexapawn"', 5, "bytes of memory"),
        ('workers = 2\ndeadline = "noon"\n[[build]]\ngame = "hexapawn"', 2, "'noon' is not a time"),
        ('workers = 2\nfor = "long"\n[[build]]\ngame = "hexapawn"', 2, "'long' is not a duration"),
        ('grace = "long"\n[[build]]\ngame = "hexapawn"', 1, "'long' is not a duration"),
        ('disk = "much"\n[[build]]\ngame = "hexapawn"', 1, "is not a size"),
        ('[[build]]\ngame = "hexapawn"\n[[then]]\ncommand = ["verify", "hexapawn", "--fast"]', 3, "--fast"),
        ('[[build]]\ngame = "hexapawn"\n[[then]]\ncommand = ["stats", "hexapawn", "--format", "xml"]', 3, "xml"),
    ],
)
def test_what_is_wrong_is_found_before_anything_starts(text: str, line: int, fault: str, tmp_path: Path, ask: Ask) -> None:
    """One sentence with the line; a good entry before it is not built either."""
    path = night(tmp_path, text + '\n[[build]]\ngame = "hexapawn"\npriority = 9\n')
    answer = ask("batch", path, "--data", tmp_path / "data")
    assert answer.code == (3 if "bytes" in fault else 2)
    [sentence] = answer.errors
    assert sentence.startswith(f"error: {path}, line {line}: ")
    assert fault in sentence
    assert not list(tmp_path.rglob("*.h5"))


def test_all_entries_together_must_fit_onto_the_disk(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what is to be left free."""
    path = night(tmp_path, "disk = 1000\n" + TWO)
    data = tmp_path / "data"
    wanted = [(load_game("doushouqi"), 2), (load_game("hexapawn"), 6)]
    needed = sum(disk(game, plan(game, pieces, []), []) for game, pieces in wanted)
    monkeypatch.setattr(folder, "free_space", lambda _: needed + 1000)
    assert ask("batch", path, "--dry-run", "--data", data).code == 0
    monkeypatch.setattr(folder, "free_space", lambda _: needed + 999)
    answer = ask("batch", path, "--data", data)
    assert answer.code == 3
    assert answer.errors == [
        f"error: {path} needs {needed:,} bytes on the disk of {data}, but at most {needed - 1:,} can be used: "
        "build less, or name another folder as data"
    ]
    assert not list(data.rglob("*.h5"))


def test_a_deadline_ends_the_night(tmp_path: Path, ask: Ask) -> None:
    """No step is taken before everything is built; the sentence says what is left, and how to go on."""
    output = tmp_path / "out.csv"
    step = f'[[then]]\ncommand = ["stats", "hexapawn", "--format", "csv"]\noutput = {json.dumps(str(output))}\n'
    path = night(tmp_path, f'for = "0.001s"\n{TWO}{step}')
    answer = ask("batch", path, "--data", tmp_path / "data")
    assert answer.code == 4
    assert answer.errors[-1].endswith(f"tables are left: run 'tablebase batch {path} --data {tmp_path / 'data'}'")
    assert not output.exists()
    assert not list(tmp_path.rglob("*.h5"))


def test_steps_wait_for_no_deadline_that_has_passed(
    hexapawns: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all tables are there, but the time is over."""
    path = night(tmp_path, 'for = "5s"\n[[build]]\ngame = "hexapawn"\npieces = 6\n[[then]]\ncommand = ["stats", "hexapawn"]\n')
    now = time.time()
    calls = iter([now, now])
    monkeypatch.setattr(module.time, "time", lambda: next(calls, now + 10))
    answer = ask("batch", path, "--data", hexapawns)
    assert answer.code == 4
    assert "1 command is left" in answer.errors[-1]


def test_a_fault_does_not_end_the_night(copied: Path, tmp_path: Path, ask: Ask) -> None:
    """What does not depend on it is built; the exit code is that of the first fault, and no step is taken."""
    child = copied / "doushouqi" / "2" / "CvW.h5"
    child.write_bytes(child.read_bytes()[:-1])
    output = tmp_path / "out.csv"
    entries = [f'[[build]]\ngame = "doushouqi"\nmaterial = "{material}"\n' for material in ("CvWD", "TEvR")]
    step = f'[[then]]\ncommand = ["stats", "doushouqi"]\noutput = {json.dumps(str(output))}\n'
    path = night(tmp_path, "".join([*entries, step]))
    answer = ask("batch", path, "--data", copied)
    assert answer.code == 1
    assert answer.errors[0] == answer.errors[-1]
    assert answer.errors[0].startswith(f"error: {path}, line 1: {child}")
    assert (copied / "doushouqi" / "3" / "TEvR.h5").exists()
    assert not output.exists()


def test_a_step_that_fails_leaves_no_file(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    """The next ones are taken all the same; the exit code is that of the first that failed."""
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    steps = [
        ("mine", "hexapawn", "SELECT nothing FROM nowhere"),
        ("stats", "hexapawn", "--format", "csv"),
    ]
    text = "".join(
        f"[[then]]\ncommand = {json.dumps(words)}\noutput = {json.dumps(str(output))}\n"
        for words, output in zip(steps, (bad, good), strict=True)
    )
    path = night(tmp_path, f'[[build]]\ngame = "hexapawn"\npieces = 6\n{text}')
    answer = ask("batch", path, "--data", hexapawns)
    assert answer.code == 2
    assert answer.errors == 2 * [
        f"error: {path}, line 4: the command 'mine hexapawn SELECT nothing FROM nowhere' ended with code 2: see what it says above"
    ]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["good.csv", "night.toml"]
    assert good.read_text() == ask("stats", "hexapawn", "--format", "csv", "--data", hexapawns).out


def test_a_game_with_chance(tmp_path: Path, ask: Ask) -> None:
    """Its layers are built like tables, in time or not at all."""
    data, log = tmp_path / "data", tmp_path / "night.jsonl"
    limits = '{ lettuces = 1, carrots = 1, cap = "strict" }'
    text = f'[[build]]\ngame = "harehedgehog"\nvariant = "cards=none"\nlimits = {limits}\n'
    late = ask("batch", night(tmp_path, f'for = "0.001s"\n{text}'), "--data", data)
    assert late.code == 4
    assert not list(data.rglob("*.h5"))
    answer = ask("batch", night(tmp_path, f"json-log = {json.dumps(str(log))}\n{text}"), "--data", data)
    assert answer.code == 0, answer.err
    events = [json.loads(line) for line in log.read_text().splitlines()]
    files = {path.stem: path.stat().st_size for path in data.rglob("*.h5")}
    assert {event["material"]: event["bytes"] for event in events if event["event"] == "table"} == files
    assert len(files) == 3
