"""The other end of the line: a program for playing that asks an engine, which is a process of its own."""

from __future__ import annotations

import shlex
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import IO

from tablebase.errors import ForfeitError, TablebaseError, quoted

PATIENCE = 30.0
"""Seconds that an engine has for each answer, beside the time that it is given for a move."""
FAREWELL = 2.0
"""Seconds that an engine has to leave."""


@dataclass(frozen=True)
class Budget:
    """What an engine is given for a move.

    Parameters
    ----------
    nodes : int or None
        Positions to search.
    seconds : float or None
        Time to think.
    """

    nodes: int | None = 10_000
    seconds: float | None = None

    @property
    def command(self) -> str:
        """The words that begin a search."""
        words = ["go"]
        if self.nodes is not None:
            words += ["nodes", str(self.nodes)]
        if self.seconds is not None:
            words += ["movetime", str(max(1, round(1000 * self.seconds)))]
        return " ".join(words)


class UciClient:
    """An engine that runs as a process.

    Parameters
    ----------
    command : str
        The program and its arguments, as a shell would split them.
    variant : str
        The game; the engine is told it if it has the option ``UCI_Variant``.
    patience : float
        In seconds.

    Raises
    ------
    TablebaseError
        If the program cannot be started.
    ForfeitError
        If it ends, or does not answer in time; the process has ended then.
    """

    def __init__(self, command: str, variant: str, patience: float = PATIENCE) -> None:
        self.command, self._patience = command, patience
        try:
            words = shlex.split(command)
            if not words:
                raise ValueError("the command is empty")
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                errors="backslashreplace",
                bufsize=1,
            )
        except (OSError, ValueError) as fault:
            raise TablebaseError(f"the program {quoted(command)} cannot be started: {fault}") from fault
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True)
        self._reader.start()
        try:
            self._begin(variant)
        except BaseException:
            self.close()
            raise

    def _begin(self, variant: str) -> None:
        """Hear what the engine has to say of itself, and tell it the game."""
        self._send("uci")
        declared = self._until("uciok", self._patience)
        if any(line.split()[:3] == ["option", "name", "UCI_Variant"] for line in declared):
            self._send(f"setoption name UCI_Variant value {variant}")
        self.ready()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def ready(self) -> None:
        """Wait until the engine is ready."""
        self._send("isready")
        self._until("readyok", self._patience)

    def new_game(self) -> None:
        """What follows is another game."""
        self._send("ucinewgame")
        self.ready()

    def best_move(self, start: str, moves: Sequence[str], budget: Budget) -> str:
        """The engine's move after some moves from a position.

        Raises
        ------
        ForfeitError
            As above, or if the answer is not a word after ``bestmove``.
        """
        self._send(f"position fen {start}" + (f" moves {' '.join(moves)}" if moves else ""))
        self._send(budget.command)
        words = self._until("bestmove", self._patience + (budget.seconds or 0))[-1].split()
        if len(words) < 2:
            raise self._forfeit("has answered without a move")
        return words[1]

    def close(self) -> None:
        """Ask the engine to leave, and end its process if it does not."""
        if self.alive:
            try:
                self._send("quit")
                self._process.wait(FAREWELL)
            except (ForfeitError, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait()
        self._reader.join(FAREWELL)
        # A process that the engine has started may still hold the other end.
        for stream in (self._process.stdin, None if self._reader.is_alive() else self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # What the engine was still to be told is of no use now.
                    continue

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def _until(self, word: str, seconds: float) -> list[str]:
        """The lines up to the first one that begins with a word."""
        deadline, heard = time.monotonic() + seconds, list[str]()
        while not heard or heard[-1].split()[:1] != [word]:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                raise self._forfeit(f"has not answered within {seconds:g} s") from None
            if line is None:
                raise self._ended()
            heard.append(line)
        return heard

    def _ended(self) -> ForfeitError:
        """The error for a process that has ended, or is about to."""
        try:
            code = self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            return self._forfeit("has closed its output")
        return self._forfeit(f"has ended with exit code {code}")

    def _forfeit(self, what: str) -> ForfeitError:
        """The error for an engine that cannot go on; its process is ended."""
        self._process.kill()
        self._process.wait()
        return ForfeitError(f"the engine {quoted(self.command)} {what}")


def _read(stream: IO[str], lines: SimpleQueue[str | None]) -> None:
    """Pass on the lines of a process until it closes its output."""
    try:
        for line in stream:
            lines.put(line)
    except (OSError, ValueError):
        # Closed while it was read.
        pass
    lines.put(None)
