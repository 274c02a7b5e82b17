"""The interface of a sort of tables: what build, estimate, verify, reindex, prune, copy and pack need to know of them.

Each kind of game has tables of its own sort; `tablebase.building.sorts.sort_of` chooses it, so that no command asks for the kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy.orm import Session

from tablebase.building.records import BuildResult
from tablebase.building.terms import Counted, Needs, Terms
from tablebase.catalog.entries import Entry
from tablebase.checking.checksums import Checks
from tablebase.errors import TablebaseError, quoted
from tablebase.tables.header import Form

G = TypeVar("G")
"""The kind of game."""
F = TypeVar("F")
"""An open file."""


@dataclass(frozen=True)
class Asked:
    """Tables as the options of a command name them; a sort reads those that mean something for it."""

    pieces: range | None = None
    materials: Sequence[str] = ()
    limits: Mapping[str, int | str] = field(default_factory=dict)
    solver: str = "auto"


class TableSort(ABC, Generic[G, F]):
    """The tables of a game.

    Parameters
    ----------
    rules : Game or StochasticGame
        From `load_rules`, since workers load it by name.

    Attributes
    ----------
    pattern : str
        Where its files and their drafts are in the game's folder.
    solver : str
        The name of the solver, as in logs; a sort with several overrides `check_solver`.
    """

    pattern: ClassVar[str]
    solver: ClassVar[str]

    def __init__(self, rules: G) -> None:
        self.rules = rules

    # What a command asks for

    @abstractmethod
    def limits_from(self, words: Sequence[str], refusal: Callable[[], TablebaseError]) -> dict[str, int | str]:
        """Read limits from further options such as ``--carrots 60``; raise `refusal` if such tables cannot have any."""

    @abstractmethod
    def check_materials(self, texts: Sequence[str]) -> None:
        """Raise `TablebaseError` if one of these materials is none of the game."""

    @abstractmethod
    def check_executor(self, where: str) -> None:
        """Raise `TablebaseError` if an executor cannot build such tables."""

    def check_solver(self, name: str) -> None:
        """Raise `TablebaseError` if no solver of such tables has this name."""
        if name not in (Asked.solver, self.solver):
            game = self.rules.name  # type: ignore[attr-defined]
            raise TablebaseError(f"there is no solver {quoted(name)} for {game}: choose {Asked.solver} or {self.solver}")

    @abstractmethod
    def check(self, asked: Asked) -> None:
        """Raise `TablebaseError` if such tables cannot be planned."""

    def chosen(self, registered: Sequence[Entry], asked: Asked, folder: Path, *, with_dependencies: bool = False) -> list[Entry]:
        """Choose among all registered tables of the game, perhaps with those that they depend on; by default take all."""
        del asked, folder, with_dependencies
        return list(registered)

    # What it takes to build and to check them

    @abstractmethod
    def needs(self, asked: Asked, terms: Terms, counted: set[Counted]) -> Needs:
        """Predict what the missing tables need, without those that have been `counted`, which are added to these.

        Raise `CapacityError` if they do not fit.
        """

    @abstractmethod
    def build(self, asked: Asked, terms: Terms, *, summarized: bool = False) -> BuildResult:
        """Solve, verify and store the missing tables, and say so; if `summarized`, in more than a line in the end."""

    @abstractmethod
    def estimate(
        self, asked: Asked, folder: Path, workers: int | None, allowed: int | None, catalog: str | None, *, measured: bool
    ) -> tuple[list[Any], int]:
        """Predict what the tables need, built already or not: dataclasses, and the number of workers that their times are for.

        `allowed` bytes of memory are for all workers together; if `measured`, a table is built first to measure this machine.
        """

    @abstractmethod
    def estimate_table(self, lines: Sequence[Any], workers: int, folder: Path) -> tuple[list[dict[str, object]], str]:
        """Write an estimate for people: the rows of a table, and the lines below it."""

    @abstractmethod
    def verify(
        self, asked: Asked, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        """Check every byte and every value of registered tables, or of all; return their number, and the checks.

        `published` are digests of values by material. Raise `TablebaseError` if there is nothing to check.
        """

    # Their files

    @abstractmethod
    def title_at(self, path: Path) -> str:
        """The title, in a file's first bytes, of the table that belongs at a path."""

    @abstractmethod
    def opened_at(self, folder: Path, path: Path) -> F:
        """Open the file of the table that belongs at a path, after all checks that need no decompression."""

    @abstractmethod
    def opened(self, path: Path, row: Mapping[str, Any]) -> F:
        """Open the file of the table that a row of a catalog is about, at any path, after the same checks."""

    @abstractmethod
    def read(self, folder: Path, path: Path) -> Entry:
        """Check a file's place, seal and chunks, and return what the catalog says of it."""

    @abstractmethod
    def claimed_digest(self, file: F) -> str:
        """The SHA-256 that a file names as that of its values."""

    @abstractmethod
    def values_digest(self, file: F) -> str:
        """The SHA-256 of the values in a file, from all of them."""

    @abstractmethod
    def rewrite(self, path: Path, file: F, form: Form) -> Path:
        """Write a table again in another form, as a draft beside a path; return the draft."""

    # Their rows in a catalog

    @abstractmethod
    def is_in_place(self, entry: Entry) -> bool:
        """Whether a reader would look for such a table where an entry's own columns place it."""

    @abstractmethod
    def entry_of(self, folder: Path, file: F) -> Entry:
        """What the catalog says of an open file in a folder."""

    @abstractmethod
    def enter(self, session: Session, entry: Entry, known: Entry | None) -> None:
        """Write the rows of a table into a catalog, with what another catalog knew of how it was solved."""
