"""The record beside a batch file: which commands have run, on which tables, and what they have written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError
from tablebase.system.files.inputs import read_text
from tablebase.system.files.outputs import check_output, lock_of, locked, write_text

FORMAT = "batch record 1"
HINT = "move the batch file to a folder that you can write to"


@dataclass(frozen=True)
class Ran:
    """A command that has run without an error."""

    command: list[str]  # all its words
    version: str  # of this program
    tables: str | None  # digest of the tables that it could read
    inputs: dict[str, str]  # SHA-256 of each further file that it read
    outputs: dict[str, str]  # SHA-256 of each file or folder that it wrote, by the path from the record's folder
    finished: str  # local time
    seconds: float


class BatchRecord:
    """The record of a batch file."""

    def __init__(self, batch: Path) -> None:
        """Read it if it is there; raise `TablebaseError` if it cannot be read, or is damaged."""
        self._batch = batch
        self.path = batch.with_name(f"{batch.name}.record.json")
        self._ran: list[Ran] = []
        if self.path.exists():
            text = read_text(self.path, "delete the file")
            try:
                document = json.loads(text)
                if document["format"] != FORMAT:
                    raise ValueError(document["format"])
                self._ran = [_ran(**one) for one in document["commands"]]
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise TablebaseError(f"{self.path} is not a valid batch record: delete the file") from error

    def lock(self) -> AbstractContextManager[None]:
        """Refuse a second run of the same batch."""
        check_output(self.path, HINT)
        refusal = f"another run of {self._batch} is in progress: wait until that run ends"
        return locked(lock_of(self._batch), refusal)

    def wrote(self, path: Path) -> bool:
        """Return whether a file or folder is what a command of this batch has written last."""
        known = next((ran.outputs[self._name(path)] for ran in self._ran if self._name(path) in ran.outputs), None)
        return known is not None and known == sha256_of(path)

    def seconds(self, command: Sequence[str]) -> float | None:
        """Return how long a command took the last time; None if it never ran."""
        return next((ran.seconds for ran in self._ran if ran.command == list(command)), None)

    def unchanged(
        self, command: Sequence[str], version: str, tables: str | None, inputs: Iterable[Path], outputs: Iterable[Path]
    ) -> str | None:
        """When a command last ran, if it would write the same again, and all that it wrote is there; None otherwise."""
        names = {self._name(path) for path in outputs}
        for ran in self._ran:
            same = (ran.command, ran.version, ran.tables) == (list(command), version, tables)
            if same and names == ran.outputs.keys() and ran.inputs == self.digests(inputs) and all(map(self.wrote, outputs)):
                return ran.finished
        return None

    def digests(self, paths: Iterable[Path]) -> dict[str, str]:
        """SHA-256 of files, by name."""
        return {self._name(path): digest for path in paths if (digest := sha256_of(path)) is not None}

    def keep(self, ran: Ran) -> None:
        """Add a command, in place of those with the same words or outputs."""
        others = [one for one in self._ran if one.command != ran.command and not one.outputs.keys() & ran.outputs.keys()]
        self._ran = [*others, ran]
        document = {"format": FORMAT, "commands": [asdict(one) for one in self._ran]}
        write_text(self.path, f"{json.dumps(document, indent=1)}\n", HINT)

    def _name(self, path: Path) -> str:
        """The name of a file in the record, which stays true if the batch is moved together with its files."""
        return Path(os.path.relpath(path.resolve(), self.path.parent.resolve())).as_posix()


def sha256_of(path: Path) -> str | None:
    """SHA-256 of a file, or of the names and contents of the files in a folder; None for anything else."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if not path.is_dir():
        return None
    found = {one.relative_to(path).as_posix(): sha256_of(one) for one in sorted(path.rglob("*")) if not one.is_dir()}
    return digest_of(found)


def digest_of(digests: Mapping[str, str | None]) -> str:
    """One digest of many."""
    return hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()


def _ran(**fields: Any) -> Ran:
    """A command as the record has it; raises `TypeError` if a field is missing or has another type."""
    ran = Ran(**fields)
    texts = [*ran.command, ran.version, ran.finished, *ran.inputs.values(), *ran.outputs.values()]
    if not all(isinstance(text, str) for text in texts) or not isinstance(ran.seconds, int | float):
        raise TypeError("a field has the wrong type")
    return ran
