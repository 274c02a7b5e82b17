"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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
    """

    folder: Path
    catalog: str | None = None
    mine: bool = False
    origins: tuple[str, ...] = ()
