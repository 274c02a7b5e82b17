"""Ways to run the program, and ways to look at and to damage what it wrote."""

import csv
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import h5py
import numpy as np
import pytest

from tablebase.commands.program import commands
from tablebase.commands.shell import command_of
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.material import Material

SOLVERS = ("planes", "lean", "groups", "reference")
"""Solvers for single pieces and more, with the lean mode of `planes`; pursuits have tests of their own."""

PROGRAM = "from tablebase.commands.program import main; main()"
SEAL = 512
"""Bytes before HDF5's own, which hold the digest of the rest."""


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output read as JSON."""
        return json.loads(self.out)

    @property
    def csv(self) -> list[dict[str, str]]:
        """Standard output read as CSV."""
        return list(csv.DictReader(io.StringIO(self.out)))

    @property
    def errors(self) -> list[str]:
        """The sentences on standard error; progress bars are left out."""
        return [line for line in self.err.splitlines() if line.startswith("error: ")]


def every_command() -> dict[str, Any]:
    return {name: command_of(name) for name in commands()}


Ask = Callable[..., Answer]
"""Runs a command: ``ask("stats", "doushouqi").json``."""


def assert_refused(answer: Answer, code: int, *named: str) -> None:
    assert (answer.code, len(answer.errors)) == (code, 1), answer.err
    for one in named:
        assert one in answer.errors[0]


def assert_one_sentence(answer: Answer, *named: object, code: int = 2) -> None:
    """A command has been refused, and has printed nothing else but that it compiles for the first time."""
    assert_refused(answer, code, *map(str, named))
    lines = [line for line in answer.err.splitlines() if ": compiling, which takes" not in line]
    assert (answer.out, len(lines)) == ("", 1), answer.err


def start_fresh(
    *arguments: object, environment: Mapping[str, str] | None = None, program: str = PROGRAM, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        errors="surrogateescape",
        start_new_session=True,
        env={**os.environ, **(environment or {})},
    )


def ask_fresh(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    seconds: int = 300,
    program: str = PROGRAM,
    given: str | None = None,
) -> Answer:
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    with start_fresh(*arguments, environment=environment, program=program, stdin=stdin) as process:
        try:
            out, err = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return Answer(process.returncode, out, err)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    resource = pytest.importorskip("resource", reason="needs limits on the size of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*/*/*.h5"))}


def table_of(folder: Path, name: str) -> Path:
    return folder / "doushouqi" / str(len(name) - 1) / f"{name}.h5"


def drafts(folder: Path) -> list[str]:
    known = (".h5", "catalog.sqlite", ".catalog-id", ".lock")
    return [path.name for path in folder.rglob("*") if path.is_file() and not path.name.endswith(known)]


def opened_since(before: list[str], folder: Path) -> list[str]:
    """What this process has opened below a folder, and not closed; others' files may have been closed meanwhile."""
    return sorted((Counter(open_files(folder)) - Counter(before)).elements())


def open_files(folder: Path) -> list[str]:
    """What this process has open below a folder, as far as /proc shows."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(os.readlink(handle))
    return sorted(name for name in found if name.startswith(f"{folder}/"))


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << place % 8
    path.write_bytes(data)


def middle_of_codes(path: Path) -> int:
    with h5py.File(path, "r") as file:
        chunk = file["w"].id.get_chunk_info(0)
        return int(chunk.byte_offset + chunk.size // 2)


def make_old(path: Path) -> None:
    """Let a sound table file be one that other rules have built."""
    with h5py.File(path, "r+") as file:
        file.attrs["rules_digest"] = np.bytes_(b"0" * 64)
    reseal(path)


def reseal(path: Path) -> None:
    data = path.read_bytes()
    title = data[: data.index(b"sha256=")]
    line = title + b"sha256=" + hashlib.sha256(data[SEAL:]).hexdigest().encode() + b"\n"
    path.write_bytes(line.ljust(SEAL, b"\0") + data[SEAL:])


def random_position(game: Game, material: Material, side: int, random: Random) -> Position:
    while True:
        squares = [random.choice(game.kinds[kind].squares) for kind in material.kinds]
        if len(set(squares)) == len(squares):
            return Position(tuple(sorted(zip(material.kinds, squares, strict=True))), side)
