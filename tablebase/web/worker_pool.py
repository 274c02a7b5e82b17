"""Child processes for what may take long, never end, or need any amount of memory.

Each works on one question at a time, and waits for the next one. If a question takes too long or needs too much, its process is
killed, whatever code it runs, and the next question gets a new one. Nothing of this keeps the server from answering others.

Questions and answers are JSON: whatever a statement does to its process, nothing of it is executed here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from fastapi import Request

from tablebase.commands.game_requests import COMMANDS
from tablebase.commands.registry import check_verb
from tablebase.commands.row_types import MineAnswer
from tablebase.game.installed import load_rules
from tablebase.system.compute.child_process import ChildProcess, Clock, OutOfMemoryError, OutOfTimeError
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.jobs import COMPILING, work
from tablebase.web.player_moves import chosen_move, is_quick
from tablebase.web.problems import ProblemError
from tablebase.web.settings import ServerSettings

PATIENCE = 5.0
"""Seconds for which a question waits for a process."""
LOOK = 0.25
"""Seconds between two looks at a client that may have gone."""
MOST_COMPILING = 600.0
"""Seconds for which kernels may be compiled, which do not count."""


class Question(NamedTuple):
    """Work for a process."""

    job: str  # one of `tablebase.web.jobs.JOBS`
    given: dict[str, Any]  # its arguments
    subject: str  # what takes long, as the subject of a sentence
    hint: str  # what to do if it does
    command: str | None = None  # does the same without limits


class WorkerPool:
    """The processes of one process of the server; used by its event loop only."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings, self._limits = settings, settings.limits
        self._free = asyncio.Semaphore(settings.limits.apart)
        self._idle: list[ChildProcess] = []

    async def answer(self, request: Request, question: Question) -> Any:
        """The answer of the work on a request's question, or a `ProblemError` for whatever went wrong."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._free.acquire()
        except TimeoutError:
            sentence = "the server is busy with other long requests: try again in a moment"
            raise ProblemError(503, sentence, {"retry-after": f"{PATIENCE:.0f}"}) from None
        try:
            # If the client goes meanwhile, the process is killed: nobody reads the answer, and others wait for the place.
            process = self._idle.pop() if self._idle else ChildProcess(work, self._settings)
            asking = asyncio.ensure_future(asyncio.to_thread(self._asked, process, question))
            sound = False
            try:
                while not (await asyncio.wait([asking], timeout=LOOK))[0]:
                    if await request.is_disconnected():
                        raise ProblemError(408, "the client disconnected before the answer was ready: send the request again")
                said = asking.result()
                sound = 0 < process.memory() < self._limits.memory // 2
            finally:
                if sound:
                    # It is kept for the next question.
                    self._idle.append(process)
                else:
                    process.kill()
                    await asyncio.wait([asking])
                    await asyncio.to_thread(process.join)
            if "answer" in said:
                return said["answer"]
            raise ProblemError(said["status"], said["sentence"], None, **said["fields"])
        finally:
            self._free.release()

    async def close(self) -> None:
        """End all processes."""
        while self._idle:
            await asyncio.to_thread(self._idle.pop().stop)

    def _asked(self, process: ChildProcess, question: Question) -> dict[str, Any]:
        """Get a process's answer; runs in a thread."""
        clock = Clock(self._limits.seconds, MOST_COMPILING)
        try:
            process.pipe.send_bytes(json.dumps({"job": question.job, "given": question.given}).encode())
            while True:
                said: dict[str, Any] = json.loads(process.receive(self._limits.memory, clock))
                if COMPILING not in said:
                    return said
                clock.pause(said[COMPILING])
        except OutOfTimeError:
            raise _too_much(question, 504, f"takes longer than {self._limits.seconds:g} s") from None
        except OutOfMemoryError:
            raise _too_much(question, 503, f"needs more than {self._limits.memory:,} bytes of memory") from None
        except (EOFError, OSError):
            raise _too_much(question, 503, "was stopped, most likely because memory ran out") from None


def apart_of(request: Request) -> WorkerPool:
    """Return the pool of the answering process."""
    return cast(WorkerPool, request.app.state.apart)


def _too_much(question: Question, status: int, error: str) -> ProblemError:
    fields = {} if question.command is None else {"command": question.command}
    return ProblemError(status, f"{question.subject} {error}: {question.hint}", None, **fields)


async def played(request: Request, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The move of a player, as `tablebase.web.player_moves.chosen_move` answers it; `ProblemError` beyond the server's limits.

    `asked` has the arguments of `chosen_move`, among them `game`, `moves` and `player`. Players that move at once do so in a
    thread, all others in a process of their own.
    """
    most = settings_of(request).limits.plies
    if len(asked["moves"]) > most:
        raise ProblemError(413, f"too many moves ({len(asked['moves']):,}): send a later position and at most {most:,} moves")
    if is_quick(asked["player"], asked["game"]):
        return await in_thread(request, chosen_move, tables_of(request).folder, **asked)
    question = Question("play", {"request": dict(asked)}, "the move", "choose another player, or a lower level")
    return cast(dict[str, Any], await apart_of(request).answer(request, question))


async def commanded(request: Request, name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of ``new``, ``move`` or ``computer`` of `tablebase.commands.game_requests`.

    A command that does not succeed is a `ProblemError` with the field `success`, as the command has it.
    """
    if name == "computer":
        question = Question("computer", {"request": dict(asked)}, "the move", "use a smaller depth")
        answer = await apart_of(request).answer(request, question)
    else:
        answer = await in_thread(request, COMMANDS[name], dict(asked))
    if not answer["success"]:
        raise ProblemError(400, answer["error"], None, success=False)
    return dict(answer)


async def mined(request: Request, game: str, statement: str, limit: int) -> MineAnswer:
    """The result of a statement, from a process of its own; `ProblemError` if the server answers no statements."""
    settings = settings_of(request)
    if not settings.mine:
        raise ProblemError(403, "SQL statements are disabled on this server: start the server with 'tablebase serve --mine'")
    check_verb("mine", load_rules(game), over_http=True)
    fields = {"game": game, "statement": statement, "limit": min(limit, settings.limits.rows)}
    question = Question("mine", fields, "the statement", "select fewer groups, rows or pieces")
    return cast(MineAnswer, await apart_of(request).answer(request, question))
