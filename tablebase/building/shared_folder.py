"""The place where tables are built: whether a worker elsewhere sees the same folder, and is the same program."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tablebase.errors import RulesError
from tablebase.game import Game, load_game
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.system.executors.executor import Obstacle
from tablebase.tables.folder import FORMAT_VERSION, TOKEN
from tablebase.version import VERSION

RULES_HINT = "install the same rules on every machine, or set TABLEBASE_RULES to the same file there"


@dataclass(frozen=True)
class Site:
    """Data a worker must share with the process that builds.

    Calling it, in a worker, finds what is wrong there, or nothing.
    """

    folder: Path  # of the tables; absolute
    token: str  # that `TOKEN` holds there
    game: str
    digest: str  # of its rules
    version: str = field(default_factory=lambda: VERSION)
    format: int = FORMAT_VERSION

    def __call__(self) -> Obstacle | None:
        """Return the error where this is called, if any."""
        if (self.version, self.format) != (VERSION, FORMAT_VERSION):
            return Obstacle(
                f"has version {VERSION} of this program instead of {self.version}", "install the same version on every machine"
            )
        try:
            game = load_game(self.game)
        except RulesError as error:
            return Obstacle(f"does not have the rules of {self.game} ({error})", RULES_HINT)
        if game.digest != self.digest:
            return Obstacle(f"has different rules of {self.game}", RULES_HINT)
        hint = f"mount the same folder at {self.folder} on all machines, or choose a shared folder with --data"
        try:
            token = (self.folder / TOKEN).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return Obstacle(f"cannot read the folder of the tables ({_reason(error)})", hint)
        if token != self.token:
            return Obstacle(f"has a different folder at {self.folder}", hint)
        mine = self.folder / f"{TOKEN}-{socket.gethostname()}-{secrets.token_hex(4)}"
        try:
            mine.touch()
            mine.unlink()
        except OSError as error:
            return Obstacle(f"cannot write to the folder of the tables ({_reason(error)})", hint)
        return None


@contextmanager
def site(folder: Path, game: Game) -> Iterator[Site]:
    """The site of a build, whose token is in the folder as long as the block lasts."""
    token = secrets.token_hex(16)
    path = folder / TOKEN
    with cleanup_on_exit(partial(path.unlink, missing_ok=True)):
        path.write_text(token, encoding="utf-8")
        yield Site(folder.resolve(), token, game.name, game.digest)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
