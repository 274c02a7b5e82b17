"""Batch files: what they say, and that every fault is found, with its line, before anything starts."""

import pickle
from pathlib import Path

import pytest

from tablebase.building.batch import Batch, BuildEntry, FollowUp, read_batch
from tablebase.errors import BatchError
from tablebase.game.plain_arguments import parse_time

NIGHT = '''
data = "tables"
workers = 2
memory = "8G"
disk = 1000000
deadline = 07:00:00
for = "8h"
grace = "5min"
log = "night.log"
"json-log" = "night.jsonl"

[[build]]
game = "foxhounds"
size = "8x8"

[[build]]
game = "doushouqi"
pieces = "2-4"
priority = 1
solver = "lean"

[[build]]
game = "harehedgehog"
variant = ["cards=none", "players=2"]
limits = { carrots = 20, cap = "strict" }

[[build]]
game = "doushouqi"
material = ["RCvW", "RvR"]
priority = 1

[[then]]
command = ["verify", "doushouqi"]

[[then]]
output = "parity.csv"
command = ["mine", "doushouqi", """
SELECT count(*)
data = 3
[[then]]
"""]
[[then]]
command = ["reindex"]
'''


def read(folder: Path, text: str) -> Batch:
    path = folder / "night.toml"
    path.write_text(text)
    return read_batch(path)


def test_a_batch_file(tmp_path: Path) -> None:
    """Every key is read, and entries come by priority and then in the order of the file."""
    batch = read(tmp_path, NIGHT)
    assert batch.builds == (
        BuildEntry("doushouqi", pieces="2-4", solver="lean", priority=1, line=16),
        BuildEntry("doushouqi", materials=("RCvW", "RvR"), priority=1, line=27),
        BuildEntry("foxhounds-8x8", line=12),
        BuildEntry("harehedgehog-cards=none-players=2", limits={"carrots": 20, "cap": "strict"}, line=22),
    )
    assert batch.steps == (
        FollowUp(("verify", "doushouqi"), line=32),
        FollowUp(("mine", "doushouqi", "SELECT count(*)\ndata = 3\n[[then]]\n"), Path("parity.csv"), line=35),
        FollowUp(("reindex",), line=42),
    )
    assert (batch.data, batch.log, batch.json_log) == (Path("tables"), Path("night.log"), Path("night.jsonl"))
    assert (batch.workers, batch.memory, batch.disk) == (2, 8 << 30, 1_000_000)
    assert (batch.deadline, batch.duration, batch.grace) == (parse_time("07:00"), 8 * 3600, 300)


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ("", 1, "the file contains no builds"),
        ("workers = 2\nbuild = 3\n", 2, r"invalid 'build': begin each table with \[\[build\]\]"),
        ("workers = 0\n[[build]]\ngame = 'x'", 1, "invalid workers '0': expected at least 1"),
        ("\nworkers = true\n[[build]]\ngame = 'x'", 2, "invalid workers 'True': expected a whole number"),
        ("workers = 1\nworker = 2\n[[build]]\ngame = 'x'", 2, r"unknown key 'worker' in the file \(did you mean 'workers'\?\)"),
        ("[[build]]\ngame = 'x'\n[[build]]\npieces = 4", 3, r"missing key 'game' in \[\[build\]\]: add the key"),
        ("limits = 2\n[[build]]\ngame = 'x'", 1, r"unknown key 'limits' in the file: expected .*, \[\[build\]\], \[\[then\]\]"),
        ("[[build]]\ngame = 'x'\n\n[[build]]\ngame = 'y'\nprice = 4", 6, r"unknown key 'price' in \[\[build\]\]"),
        ("[[build]]\ngame = 'x'\npieces = [4]", 3, r"invalid pieces '\[4\]': expected a string"),
        ("[[build]]\ngame = 'x'\nmaterial = [4]", 3, "expected a string or a list of strings"),
        ("[[build]]\ngame = 'x'\npriority = '1'", 3, "invalid priority '1': expected a whole number"),
        ("[[build]]\ngame = 'x'\nlimits = 3", 3, "invalid limits '3': expected a table such as"),
        ("[[build]]\ngame = 'x'\n[[then]]\noutput = 'x'", 3, r"missing key 'command' in \[\[then\]\]"),
        ("[[build]]\ngame = 'x'\n[[then]]\ncommand = 'verify x'", 4, "expected a list of strings that begins with"),
        ("[[build]]\ngame = 'x'\n[[then]]\ncommand = ['build', 'x']", 4, "begins with one of verify, reindex"),
        ("[[build]]\ngame = 'x'\n[[then]]\ncommand = ['verify', 'x']\noutput = ''", 5, "output '': expected the path of a file"),
        ("deadline = 1999-01-01\n[[build]]\ngame = 'x'", 1, "expected a string"),
        ("[[build]]\ngame = 'x'\ngame = 'y'", 3, "invalid TOML: "),
        ("[[build]]\ngame = 'x", 2, "invalid TOML: "),
    ],
)
def test_errors_name_their_line(text: str, line: int, error: str, tmp_path: Path) -> None:
    with pytest.raises(BatchError, match=error) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path / 'night.toml'}, line {line}: ")
    assert (caught.value.exit_code, pickle.loads(pickle.dumps(caught.value)).line) == (2, line)
