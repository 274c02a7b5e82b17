"""What a server is started with, and what it allows a request."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tablebase.errors import TablebaseError

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a request may take.

    Parameters
    ----------
    body : int
        Bytes of its body.
    body_seconds : float
        Until its body has arrived.
    batch : int
        Positions.
    plies : int
        Positions of a line, and moves of a game that it repeats.
    materials : int
        Materials with at most as many pieces as an estimate asks for.
    seconds : float
        Until it is answered.
    apart : int
        Requests of each process that are answered at a time in processes of their own: statements, counts, and slow players.
    rows : int
        Of a statement's result.
    answer : int
        Bytes of a statement's result.
    memory : int
        Bytes that a process of its own may occupy.
    """

    body: int = MEBIBYTE
    body_seconds: float = 10.0
    batch: int = 1000
    plies: int = 1000
    materials: int = 10_000
    seconds: float = 30.0
    apart: int = 2
    rows: int = 10_000
    answer: int = 16 * MEBIBYTE
    memory: int = 2560 * MEBIBYTE


@dataclass(frozen=True)
class Settings:
    """What a server is started with.

    Parameters
    ----------
    folder : Path
        The tablebase.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    mine : bool
        Whether statements over positions are answered.
    origins : tuple of str
        Origins of pages of others that may ask; none by default.
    cache : int, optional
        Bytes of decompressed chunks of tables that each process keeps; by default 256 MiB.
    access_log : bool
        Whether each request is logged, as an object of JSON on a line of standard error.
    limits : Limits
    """

    folder: Path
    catalog: str | None = None
    mine: bool = False
    origins: tuple[str, ...] = ()
    cache: int | None = None
    access_log: bool = False
    limits: Limits = field(default_factory=Limits)

    def to_json(self) -> str:
        """The settings as text, for processes that are started later."""
        return json.dumps({**asdict(self), "folder": str(self.folder)})

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings that `to_json` has written.

        Raises
        ------
        TablebaseError
            If the text is anything else.
        """
        try:
            fields = json.loads(text)
            fields |= {"folder": Path(fields["folder"]), "origins": tuple(fields["origins"]), "limits": Limits(**fields["limits"])}
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as fault:
            raise TablebaseError(f"these are no settings of a server ({fault!r}): start it with 'tablebase serve'") from fault
