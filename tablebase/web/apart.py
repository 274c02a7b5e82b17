"""Processes of their own for what may take long, never end, or need any amount of memory.

Each works on one question at a time, and waits for the next one. If a question takes too long or needs too much, its process is
killed, whatever code it runs, and the next question gets a new one. Nothing of this keeps the server from answering others.

Questions and answers are lines of JSON: whatever a statement does to its process, nothing of it is executed here.
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple, cast

import psutil
from fastapi import Request

from tablebase.web.jobs import COMPILING
from tablebase.web.problems import ProblemError
from tablebase.web.settings import Limits, Settings

INTERVAL = 0.05
"""Seconds between two looks at a process."""
PATIENCE = 5.0
"""Seconds for which a question waits for a process."""
MOST_COMPILING = 600.0
"""Seconds for which kernels may be compiled, which do not count."""
SPARE = 1 << 16
"""Bytes of a line beside those of the answer."""


class Question(NamedTuple):
    """What is to be worked on.

    Parameters
    ----------
    job : str
        One of `tablebase.web.jobs.JOBS`.
    given : mapping
        Its arguments.
    subject : str
        What takes long, as the subject of a sentence.
    cure : str
        What to do if it does.
    command : str, optional
        What does the same without limits.
    """

    job: str
    given: dict[str, Any]
    subject: str
    cure: str
    command: str | None = None


class Apart:
    """The processes of one process of the server; used by its event loop only.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._free = asyncio.Semaphore(settings.limits.apart)
        self._idle: list[Process] = []

    @property
    def limits(self) -> Limits:
        """What a question may take."""
        return self._settings.limits

    async def answer(self, question: Question) -> Any:
        """What the work on a question has led to.

        Raises
        ------
        ProblemError
            Whatever went wrong.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                await self._free.acquire()
        except TimeoutError:
            sentence = "too many questions are being worked on that take long: ask again in a moment"
            raise ProblemError(503, sentence, {"retry-after": f"{PATIENCE:.0f}"}) from None
        try:
            return await self._worked_out(question)
        finally:
            self._free.release()

    async def close(self) -> None:
        """End all processes."""
        while self._idle:
            await _end(self._idle.pop())

    async def _worked_out(self, question: Question) -> Any:
        """The answer of a process that is free; it is kept for the next question if it is still sound."""
        process = self._idle.pop() if self._idle else await self._start()
        sound = False
        try:
            said = await self._asked(process, question)
            sound = process.returncode is None and _memory(process) < self.limits.memory // 2
        finally:
            if sound:
                self._idle.append(process)
            else:
                await _end(process)
        if "answer" in said:
            return said["answer"]
        raise ProblemError(said["status"], said["sentence"], None, **said["fields"])

    async def _start(self) -> Process:
        """A new process, which has the settings of the server."""
        words = [sys.executable, "-m", "tablebase.web.jobs"]
        limit = self.limits.answer + SPARE
        # Ctrl+C at a terminal is meant for the server, which ends what it has started.
        process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE, limit=limit, start_new_session=True)
        assert process.stdin is not None
        process.stdin.write(self._settings.to_json().encode() + b"\n")
        return process

    async def _asked(self, process: Process, question: Question) -> dict[str, Any]:
        """What a process answers."""
        assert process.stdin is not None
        with suppress(ConnectionError):
            process.stdin.write(json.dumps({"job": question.job, "given": question.given}).encode() + b"\n")
            await process.stdin.drain()
        clock = _Clock()
        while True:
            line = await self._line(process, question, clock)
            if not line.endswith(b"\n"):
                raise _too_much(question, 503, "was ended, most likely because memory ran out")
            said: dict[str, Any] = json.loads(line)
            if COMPILING not in said:
                return said
            clock.stop(said[COMPILING])

    async def _line(self, process: Process, question: Question, clock: _Clock) -> bytes:
        """The next line of a process, which is watched until it is there."""
        assert process.stdout is not None
        reading = asyncio.ensure_future(process.stdout.readline())
        try:
            while not reading.done():
                await asyncio.wait([reading], timeout=INTERVAL)
                if _memory(process) > self.limits.memory:
                    raise _too_much(question, 503, f"needs more than {self.limits.memory:,} bytes of memory")
                if clock.passed() > self.limits.seconds:
                    raise _too_much(question, 504, f"takes longer than {self.limits.seconds:g} s")
            return reading.result()
        except ValueError:
            raise _too_much(question, 503, f"has an answer of more than {self.limits.answer:,} bytes") from None
        finally:
            reading.cancel()


class _Clock:
    """Seconds that have passed, but for those in which kernels were compiled, which happens once on each machine."""

    def __init__(self) -> None:
        self._begin, self._stopped, self._spent = monotonic(), 0.0, 0.0

    def stop(self, stopped: bool) -> None:
        """Stop the clock, or let it go on."""
        if stopped:
            self._stopped = monotonic()
        elif self._stopped:
            self._spent += monotonic() - self._stopped
            self._stopped = 0.0

    def passed(self) -> float:
        """Seconds so far; a clock that is stopped for too long goes on."""
        spent = self._spent + (monotonic() - self._stopped if self._stopped else 0.0)
        return monotonic() - self._begin - min(spent, MOST_COMPILING)


def apart_of(request: Request) -> Apart:
    """Those of the process that answers a request."""
    return cast(Apart, request.app.state.apart)


def _too_much(question: Question, status: int, fault: str) -> ProblemError:
    """The error for a question that takes more than it may."""
    fields = {} if question.command is None else {"command": question.command}
    return ProblemError(status, f"{question.subject} {fault}: {question.cure}", None, **fields)


def _memory(process: Process) -> int:
    """Bytes that a process occupies; 0 if it has ended."""
    try:
        return int(psutil.Process(process.pid).memory_info().rss)
    except psutil.Error:
        return 0


async def _end(process: Process) -> None:
    """Kill a process, and wait until it is gone."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
