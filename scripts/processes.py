"""Commands of the program as processes that must not hang, crash, or leave others behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

import psutil

PROGRAM = (sys.executable, "-c", "from tablebase.cli import main; main()")
PATIENCE = 60.0
"""Seconds after which a command counts as hanging."""
GRACE = 1.5
"""Seconds within which all processes of a command must be gone."""


class TortureError(Exception):
    """Something that must never happen; the message says what."""


@dataclass(frozen=True)
class Answer:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Whether it ended with one sentence."""
        return self.code in (1, 2, 3) and sum(line.startswith("error: ") for line in self.err.splitlines()) == 1


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a command in a session of its own."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str], patience: float = PATIENCE) -> Answer:
    """Wait for a command and for all that holds its pipes open."""
    try:
        out, err = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        process.communicate()
        raise TortureError("hang") from None
    if "Traceback" in err:
        raise TortureError(f"traceback: {err.strip().splitlines()[-1]}")
    if "resource_tracker" in err:
        raise TortureError("warning of the resource tracker")
    return Answer(process.returncode, out, err)


def ask(*arguments: object, patience: float = PATIENCE) -> Answer:
    """Run a command to its end."""
    return finish(start(*arguments), patience)


def session(leader: int) -> list[psutil.Process]:
    """All live processes of a session."""
    members = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.Error):
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process)
    return members


def end_session(leader: int) -> None:
    """Kill all processes of a session."""
    for process in session(leader):
        with suppress(psutil.Error):
            process.kill()


def check_no_orphans(leader: int) -> None:
    """Raise `TortureError` if a process of a session lives on."""
    deadline = time.monotonic() + GRACE
    while session(leader):
        if time.monotonic() > deadline:
            end_session(leader)
            raise TortureError("orphan")
        time.sleep(0.05)


def report(title: str, outcomes: Mapping[str, Counter[str]]) -> NoReturn:
    """Print how often each outcome was seen, with a row for each kind of try; exit with 1 if one of them is a fault."""
    print(f"| {title} | tries | outcomes |\n|---|---|---|")
    for name, counts in outcomes.items():
        print(f"| {name} | {counts.total()} | {', '.join(f'{text}: {count}' for text, count in sorted(counts.items()))} |")
    sys.exit(any(text.startswith("FAULT") for counts in outcomes.values() for text in counts))
