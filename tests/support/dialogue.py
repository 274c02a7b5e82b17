"""A conversation with the engine's end of the protocol, in this process, as a program for playing would have it."""

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Self

from tablebase.compute.progress import COMPILING
from tablebase.game import load_game
from tablebase.protocol.uci_server import UciServer
from tablebase.protocol.uci_settings import Settings

PATIENCE = 60.0
"""Seconds to wait for a line."""


class Dialogue:
    """A server in a separate thread; its lines are read one at a time, without those about compiling unless `compiling` is set."""

    def __init__(self, game: str = "doushouqi", folder: Path | None = None, *, compiling: bool = False) -> None:
        self._compiling = compiling
        self._asked: Queue[str | None] = Queue()
        self._said: Queue[str] = Queue()
        server = UciServer(Settings(load_game(game), folder, hash_mebibytes=1), self._hear)
        self._thread = threading.Thread(target=server.serve, args=(self._lines(),), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._asked.put(None)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _lines(self) -> Iterator[str]:
        while (line := self._asked.get()) is not None:
            yield line

    def _hear(self, line: str) -> None:
        if self._compiling or COMPILING not in line:
            self._said.put(line)

    def send(self, *lines: str) -> None:
        """Lines for the engine."""
        for line in lines:
            self._asked.put(line)

    def until(self, beginning: str) -> list[str]:
        """What the engine says, up to the first line that begins like this."""
        heard: list[str] = []
        while not heard or not heard[-1].startswith(beginning):
            heard.append(self._said.get(timeout=PATIENCE))
        return heard

    def ask(self, *lines: str, until: str) -> list[str]:
        """Send lines, and hear the answer."""
        self.send(*lines)
        return self.until(until)

    @property
    def silent(self) -> bool:
        """Whether nothing has been said that was not read."""
        return self._said.empty()
