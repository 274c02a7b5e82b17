"""Published digests of tables, to hold one's own tables against."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError
from tablebase.game.rules import Rules
from tablebase.system.files.inputs import read_text

COLUMNS = ("game", "material", "values_sha256")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_published(path: Path, game: Rules[Any]) -> dict[str, str]:
    """Return the digests of a game's tables, by material, from a CSV file with at least `COLUMNS`, as in the catalog.

    `TablebaseError` if the file has another form, or lists no table of the game.
    """
    try:
        rows = csv.DictReader(io.StringIO(read_text(path, "use another file", what="a list of published tables")))
        missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
        if missing:
            raise TablebaseError(f"{path} is not a list of published tables: add the column {missing[0]}")
        listed = [row for row in rows if row["game"] == game.name]
    except csv.Error as error:
        raise TablebaseError(f"{path} is not a list of published tables ({error}): use a CSV file") from error
    published: dict[str, str] = {}
    for row in listed:
        material, digest = row["material"], row["values_sha256"]
        if not _SHA256.fullmatch(digest or "") or published.setdefault(material, digest) != digest:
            raise TablebaseError(f"{path} must list exactly one SHA-256 checksum for {material}: use the original file")
    if not published:
        raise TablebaseError(f"{path} lists no tables of {game.name}: use a list for {game.name}")
    return published
