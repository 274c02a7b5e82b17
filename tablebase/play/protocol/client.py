"""A player that asks an external engine, the other end of the line."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from tablebase.errors import ForfeitError, TablebaseError, quoted
from tablebase.game.moves import Position
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat

PATIENCE = 30.0
"""Seconds that an engine has for each answer, beside the time that it is given for a move."""
FAREWELL = 2.0
"""Seconds that an engine has to leave."""
LONGEST_LINE = 1 << 16
"""Bytes of a line."""
AT_ONCE = 1 << 12
"""Bytes to read at once."""


@dataclass(frozen=True)
class Budget:
    """Limits of an engine for a move."""

    nodes: int | None = 10_000  # positions to search
    seconds: float | None = None  # time to think

    @property
    def command(self) -> str:
        """The words that begin a search."""
        nodes = "" if self.nodes is None else f" nodes {self.nodes}"
        return f"go{nodes}" + ("" if self.seconds is None else f" movetime {max(1, round(1000 * self.seconds))}")


class UciPlayer(Player):
    """Asks an engine for its moves; after a failure, the engine is started again for the next match.

    The command is split as a shell would split it, and ``~`` at the beginning of a word is expanded. An engine with the option
    ``UCI_Variant`` is told the game. It has the budget for a move, and `patience` seconds more for each answer. `TablebaseError`
    if the program cannot be started; `ForfeitError` if it ends, does not answer in time, or writes a line that is too long.
    """

    def __init__(self, seat: Seat, command: str, budget: Budget, patience: float = PATIENCE) -> None:
        super().__init__(f"the engine {command} plays")
        self._game, self._command, self._budget, self._patience = seat.rules, command, budget, patience
        self._match: Match[Position] | None = None
        self._start()

    def _start(self) -> None:
        try:
            words = [os.path.expanduser(word) for word in shlex.split(self._command)]
            if not words:
                raise ValueError("the engine command is empty")
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                # A program that starts the engine is killed together with it.
                process_group=0,
            )
        except (OSError, ValueError) as error:
            raise TablebaseError(f"the engine {quoted(self._command)} cannot be started ({error}): check the command") from error
        self._unread = b""
        try:
            self._send("uci")
            takes_variant = False
            for line in self._lines_until("uciok", self._patience):
                takes_variant |= line.split()[:3] == ["option", "name", "UCI_Variant"]
            if takes_variant:
                self._send(f"setoption name UCI_Variant value {self._game.name}")
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def _await_ready(self) -> None:
        self._send("isready")
        self._last_until("readyok", self._patience)

    def choose(self, match: Match[Position], random: Random) -> str:
        """The engine's move; `ForfeitError` as above, or if the move is missing or not legal."""
        del random
        if self._process.poll() is not None:
            self.close()
            self._start()
        if match is not self._match:
            self._match = match
            self._send("ucinewgame")
            self._await_ready()
        moves = f" moves {' '.join(event.text for event in match.events)}" if match.events else ""
        self._send(f"position fen {self._game.format(match.start)}{moves}")
        self._send(self._budget.command)
        words = self._last_until("bestmove", self._patience + (self._budget.seconds or 0)).split()
        if len(words) < 2:
            raise self._forfeit("has sent bestmove without a move")
        if words[1] not in match.legal():
            raise ForfeitError(f"the engine {quoted(self._command)} has played the illegal move {quoted(words[1])}")
        return words[1]

    def close(self) -> None:
        """Ask the engine to leave, and end its process if it does not."""
        super().close()
        if self._process.poll() is None:
            try:
                self._send("quit")
                self._process.wait(FAREWELL)
            except (ForfeitError, subprocess.TimeoutExpired):
                self._kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode(errors="backslashreplace"))
        except (OSError, ValueError):
            raise self._ended() from None

    def _last_until(self, word: str, seconds: float) -> str:
        return deque(self._lines_until(word, seconds), maxlen=1).pop()

    def _lines_until(self, word: str, seconds: float) -> Iterator[str]:
        """The lines up to the first one that begins with a word; none is kept."""
        deadline, line, output = time.monotonic() + seconds, "", self._process.stdout
        assert output is not None
        while line.split()[:1] != [word]:
            while b"\n" not in self._unread:
                left, poll = deadline - time.monotonic(), select.poll()
                poll.register(output, select.POLLIN)
                if left <= 0 or not poll.poll(1000 * left):
                    raise self._forfeit(f"has not answered within {seconds:g} s")
                if len(self._unread) > LONGEST_LINE:
                    raise self._forfeit(f"has written a line of more than {LONGEST_LINE:,} bytes")
                part = os.read(output.fileno(), AT_ONCE)
                if not part:
                    raise self._ended()
                self._unread += part
            raw, _, self._unread = self._unread.partition(b"\n")
            line = raw.decode(errors="backslashreplace")
            yield line

    def _ended(self) -> ForfeitError:
        try:
            code = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return self._forfeit("has closed its output")
        return self._forfeit(f"has ended with exit code {code}")

    def _forfeit(self, what: str) -> ForfeitError:
        """The error for an engine that cannot go on; its process is ended."""
        self._kill()
        return ForfeitError(f"the engine {quoted(self._command)} {what}")
