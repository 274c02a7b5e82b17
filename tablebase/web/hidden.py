"""Sentences for people elsewhere, without the paths of this machine."""

from __future__ import annotations

import os
from pathlib import Path

from tablebase.errors import RULES_FILES, TablebaseError, shell_word
from tablebase.web.settings import Settings

LONGEST = 2000
"""Characters of a sentence; some quote a whole position."""
A_FOLDER = "this tablebase"
A_DATABASE = "the database of the catalog"
ELSEWHERE = "…"
"""The name of a file outside the folder of the tables."""


def without_paths(said: TablebaseError | str, settings: Settings) -> str:
    """Return a sentence without the folder of the tables, the address of their catalog, and the `places` of an error.

    Examples
    --------
    >>> local = Settings(Path("/srv/x"), "postgresql+psycopg://host/db")
    >>> without_paths("the table RvC is missing: run 'tablebase build x --material RvC --data /srv/x'", local)
    "the table RvC is missing: run 'tablebase build x --material RvC'"
    >>> without_paths("/srv/x/doushouqi/2/RvC.h5 cannot be read", local)
    'doushouqi/2/RvC.h5 cannot be read'
    >>> without_paths("no table is registered in /srv/x: build one", local)
    'no table is registered in this tablebase: build one'
    >>> without_paths("postgresql+psycopg://host/db cannot be reached", local)
    'the database of the catalog cannot be reached'
    >>> without_paths(TablebaseError("/etc/x cannot be used").naming("/etc/x"), local)
    '… cannot be used'
    """
    sentence = str(said)
    folders = {str(settings.folder.absolute()), str(settings.folder.resolve())}
    names = {place: ELSEWHERE for place in getattr(said, "places", ()) if "://" in place or Path(place).is_absolute()}
    if settings.catalog is not None:
        # Imported here because it loads SQLAlchemy.
        from tablebase.catalog.urls import place_of

        names |= dict.fromkeys((settings.catalog, place_of(settings.catalog)), A_DATABASE)
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
