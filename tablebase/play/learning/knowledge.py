"""Knowledge of players, and the one form of file that keeps it: JSON, written as a whole or not at all, checked when read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from tablebase.errors import TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.system.files.inputs import MOST, check_regular, read_text
from tablebase.system.files.outputs import check_output, lock_of, locked, write_text

FORMAT = "learned 1"
OTHER = "use another file"
HINT = f"{OTHER}, or delete this file"
PATIENCE = 30.0
"""Seconds to wait for other players of a file, which need some milliseconds."""


class MisfitError(Exception):
    """The content of a file does not belong to a game; the text says why, as a clause."""


class Knowledge(ABC):
    """Knowledge of a player from games that begin in one position."""

    noun: ClassVar[str]  # for sentences about its files
    other: ClassVar[str]  # how to name another file
    fields: ClassVar[frozenset[str]]  # of its content
    largest: ClassVar[int] = MOST  # bytes of its file at most
    game: Game
    start: Position

    @abstractmethod
    def content(self, path: Path) -> dict[str, Any]:
        """Return the content to save; it may include the knowledge of other players in this file."""

    @abstractmethod
    def fill(self, content: Mapping[str, Any]) -> None:
        """Load the content of a file; change nothing if it raises `MisfitError` or another error."""

    def save(self, path: Path) -> None:
        """Save the learned state to a file, which is replaced atomically; equal states produce identical files."""
        write_text(path, f"{json.dumps({**self._heading(), **self.content(path)}, indent=1)}\n", self.other)

    def load(self, path: Path, *, any_start: bool = False) -> None:
        """Load a saved state; raise `TablebaseError` if the file is invalid or for a different game or initial position."""
        content = self.read(path, any_start=any_start)
        try:
            self.fill(content)
        except MisfitError as error:
            raise TablebaseError(f"{path} {error}: {HINT}") from error
        except Exception as error:
            # Compression, NumPy and rules have many errors for the same: the content is not what was written.
            raise self.damaged(path) from error

    def read(self, path: Path, *, any_start: bool = False) -> dict[str, Any]:
        """Check the header of a file and return the JSON content of the file."""
        check_regular(path, OTHER)
        text, heading = read_text(path, HINT, self.largest, f"a file with {self.noun}"), self._heading()
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.damaged(path) from error
        if not isinstance(document, dict) or document.keys() != heading.keys() | self.fields:
            raise self.damaged(path)
        if (document["format"], document["player"]) != (FORMAT, heading["player"]):
            raise self.damaged(path)
        for key in ("game", "digest", *(() if any_start else ("start",))):
            if document[key] != heading[key]:
                difference = f"{quoted(document[key])}, not {heading[key]!r}"
                raise TablebaseError(f"{path} contains {self.noun} with a different {key} ({difference}): {HINT}")
        return document

    @contextmanager
    def updated(self, path: Path) -> Iterator[None]:
        """Lock a file, load it if it exists, and save it at the end of the ``with`` block; other players wait for the lock."""
        check_output(path, self.other)
        busy = f"another player has locked {path} for more than {PATIENCE:g} s: {self.other}"
        with locked(lock_of(path), busy, PATIENCE):
            if path.exists():
                self.load(path)
            yield
            self.save(path)

    def damaged(self, path: Path) -> TablebaseError:
        """Return a `TablebaseError` for a file with invalid content."""
        return TablebaseError(f"{path} does not contain {self.noun}: {HINT}")

    def _heading(self) -> dict[str, str]:
        game = self.game
        begins = {"game": game.name, "digest": game.digest, "start": game.format(self.start)}
        return {"format": FORMAT, "player": type(self).__name__.lower(), **begins}
