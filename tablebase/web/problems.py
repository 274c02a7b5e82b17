"""Errors as answers: one sentence, as RFC 9457 (problem+json) has it, without the paths of this machine.

What cannot be done as it was asked has a status from 400 to 499. 503 and 504 are for tables that cannot be used, and for work that
takes more than the server allows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.catalog.catalog import database_of
from tablebase.errors import (
    RULES_FILES,
    CorruptCatalogError,
    CorruptTableError,
    MissingExtraError,
    MissingTableError,
    StaleTableError,
    TablebaseError,
    TimeLimitError,
    UnusableFileError,
    did_you_mean,
    quoted,
    shell_word,
)
from tablebase.web.settings import ServerSettings

if TYPE_CHECKING:
    from tablebase.commands.row_types import Cost
    from tablebase.game import Game

STATUSES: Mapping[int, tuple[type[TablebaseError], ...]] = {
    404: (MissingTableError,),
    503: (CorruptTableError, CorruptCatalogError, StaleTableError, MissingExtraError, UnusableFileError),
    504: (TimeLimitError,),
}
"""The statuses of errors that are not about what was sent; all others have 400."""
MOST_TABLES = 2000
"""Tables of an estimate in an answer; `tablebase estimate` takes its time for more."""
MEDIA_TYPE = "application/problem+json"
LONGEST = 2000
"""Characters of a sentence; some quote a whole position."""
A_FOLDER = "this tablebase"
A_DATABASE = "the database of the catalog"
ELSEWHERE = "…"
"""The name of a file outside the folder of the tables."""
FAILED = "internal server error: look for the cause in the server log, and report the error"


class ProblemError(TablebaseError):
    """An answer that is an error, with a status of HTTP, and with further fields beside its sentence."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None, **fields: Any) -> None:
        self.status, self.headers, self.fields = status, dict(headers or {}), fields
        super().__init__(sentence)


def unusable(error: TablebaseError) -> ProblemError:
    """The answer to an error that says nothing about what was sent: the tables or their catalog cannot be used now."""
    return ProblemError(503, str(error)).naming(*error.places)


def without_paths(said: TablebaseError | str, settings: ServerSettings) -> str:
    """Return a sentence without the folder of the tables, the address of their catalog, and the `places` of an error."""
    sentence = str(said)
    folders = {str(settings.folder.absolute()), str(settings.folder.resolve())}
    names = {place: ELSEWHERE for place in getattr(said, "places", ()) if "://" in place or Path(place).is_absolute()}
    if settings.catalog is not None:
        names |= dict.fromkeys((settings.catalog, database_of(settings.folder, settings.catalog).place), A_DATABASE)
    names |= {file: name for name, file in RULES_FILES.items()}
    for folder in folders:
        names = {name: shown for name, shown in names.items() if not name.startswith(f"{folder}{os.sep}")}
        names |= {f"{folder}{os.sep}": "", folder: A_FOLDER}
    for name, shown in sorted(names.items(), key=lambda item: len(item[0]), reverse=True):
        for option in ("data", "catalog"):
            sentence = sentence.replace(f" --{option} {shell_word(name)}", "")
        sentence = sentence.replace(name, shown)
    sentence = " ".join(sentence.split())
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1]}…"


def as_problem(error: TablebaseError, settings: ServerSettings) -> ProblemError:
    """The answer to an error: its sentence without paths of this machine; of a missing table also how to build it."""
    if isinstance(error, ProblemError):
        return ProblemError(error.status, without_paths(error, settings), error.headers, **error.fields)
    fields: dict[str, Any] = {}
    if isinstance(error, MissingTableError):
        command = error.command and without_paths(error.command, settings)
        cost = None
        # That something is wrong elsewhere as well is another question.
        with suppress(TablebaseError):
            cost = cost_of(error, settings)
        fields = {"game": error.game, "material": error.material, "pieces": error.pieces, "command": command, "estimate": cost}
    status = next((status for status, kinds in STATUSES.items() if isinstance(error, kinds)), 400)
    return ProblemError(status, without_paths(error, settings), **fields)


def has_more_materials(game: Game, pieces: int, most: int) -> bool:
    """Return whether a game has more than `most` materials of up to `pieces` pieces."""
    from tablebase.positions.material import materials

    totals = accumulate(len(materials(game, number)) for number in range(2, pieces + 1))
    return any(total > most for total in totals)


def cost_of(error: MissingTableError, settings: ServerSettings) -> Cost | None:
    """Estimate the tables that the command for a missing table builds; None if it builds none of pieces, or too many."""
    # Imported here because they load what builds tables.
    from tablebase.building.estimate import estimate
    from tablebase.building.plan import plan
    from tablebase.catalog.catalog import read_known
    from tablebase.game import load_game
    from tablebase.positions.material import material_name, parse_material
    from tablebase.tables.folder import table_path

    if error.builds is None:
        return None
    game, folder = load_game(error.game), settings.folder
    pieces, chosen = (error.builds, []) if isinstance(error.builds, int) else (None, [parse_material(game, error.builds)])
    if pieces is not None and has_more_materials(game, pieces, settings.limits.materials):
        return None
    missing = [one for one in plan(game, pieces, chosen) if not table_path(folder, game, one).exists()]
    if not missing or len(missing) > MOST_TABLES:
        return None
    known = read_known(game, folder, settings.catalog).costs
    names = {material_name(game, one) for one in missing}
    lines = [line for line in estimate(game, None, missing, known) if line.material in names]
    return {
        "tables": sum(line.tables for line in lines),
        "placements": sum(line.distinct_placements for line in lines),
        "disk": sum(line.disk for line in lines),
        "memory": max(line.memory for line in lines),
        "cpu_seconds": round(sum(line.cpu_seconds for line in lines), 3),
        "wall_seconds": round(sum(line.wall_seconds for line in lines), 3),
    }


def sentence_of(error: Mapping[str, Any], known: Sequence[str] = ()) -> str:
    """State the error of a parameter or field, from the `type`, `loc` and `msg` of Pydantic; `known` are all parameters."""
    kind, (place, *names) = str(error["type"]), error["loc"]
    word = "parameter" if place == "query" else "field"
    name = ".".join(map(str, names))
    if kind == "json_invalid":
        return "the request body is not JSON: send a JSON object in UTF-8"
    if not name:
        return "the request body is missing: send a JSON object" if kind == "missing" else "the request body must be a JSON object"
    if kind == "missing":
        return f"the {word} {name} is missing: add the {word}"
    if kind == "extra_forbidden":
        return f"unknown {word} {quoted(name)}{did_you_mean(name, known)}: correct or remove it"
    said = str(error["msg"])
    return f"invalid {word} {name if len(name) <= 80 else quoted(name)}: {said[:1].lower()}{said[1:]}"
