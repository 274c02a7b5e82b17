"""Commands of the program as processes that must not hang, crash, or leave others behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tests.support.processes import end_session, session

PROGRAM = (sys.executable, "-m", "tablebase")
PATIENCE = 60.0
"""Seconds after which a command counts as hanging."""
COMPILING = 900.0
"""The same, where kernels may have to be compiled."""
GRACE = 1.5
"""Seconds within which all processes of a command must be gone."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131, signal.SIGKILL: -signal.SIGKILL}
"""With which code a command ends by each signal."""


class TortureError(Exception):
    """Something that must never happen; the message says what."""


@dataclass(frozen=True)
class Answer:
    """Output and exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """True if it ended with one sentence or, after a check, with one for each table that is wrong."""
        sentences = sum(line.startswith("error: ") for line in self.err.splitlines())
        return sentences == 1 if self.code in (2, 3) else self.code == 1 and sentences > 0


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a command in a session of its own."""
    return start_words(*PROGRAM, *map(str, arguments))


def start_words(*words: str) -> subprocess.Popen[str]:
    """Start any program in a session of its own."""
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def finish(process: subprocess.Popen[str], patience: float = PATIENCE) -> Answer:
    """Wait for a command and for all that holds its pipes open; raise `TortureError` unless it ends as a command may."""
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
    deadline = time.monotonic() + GRACE
    while session(process.pid):
        if time.monotonic() > deadline:
            end_session(process.pid)
            raise TortureError("orphan")
        time.sleep(0.05)
    return Answer(process.returncode, out, err)


def ask(*arguments: object, patience: float = PATIENCE) -> Answer:
    """Run a command to its end."""
    return finish(start(*arguments), patience)


class Blow(NamedTuple):
    """A signal that was sent to a command, to one of its workers, or to all of its processes."""

    victim: str  # main, worker or group
    sent: signal.Signals

    def check(self, answer: Answer) -> None:
        """Raise `TortureError` unless the command may end so after the signal."""
        expected = {0, 2, 3} if self.victim == "worker" else {0, CODES[self.sent], -self.sent}
        if answer.code not in expected:
            raise TortureError(f"{self.sent.name} to {self.victim}: exit code {answer.code}")


def strike(process: subprocess.Popen[str], random: Random) -> Blow:
    """Send a signal to a command, to one of its workers, or to all of its processes."""
    victim = random.choice(("main", "worker", "group"))
    sent = random.choice((signal.SIGKILL, signal.SIGTERM) if victim == "worker" else tuple(CODES))
    members = [one.pid for one in session(process.pid)]
    workers = [pid for pid in members if pid != process.pid]
    for pid in {"main": [process.pid], "worker": workers[-1:], "group": members}[victim]:
        with suppress(ProcessLookupError):
            os.kill(pid, sent)
    return Blow(victim, sent)
