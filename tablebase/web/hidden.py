"""Sentences for people elsewhere, without the paths of this machine."""

from __future__ import annotations

import re
import sys
import tempfile
from functools import cache
from pathlib import Path

from tablebase.errors import shell_word
from tablebase.web.settings import Settings

LONGEST = 2000
"""Characters of a sentence; some quote a whole position."""
A_FOLDER = "this tablebase"
A_DATABASE = "the database of the catalog"
ELSEWHERE = "…"
"""What stands for files that have nothing to do with the tables."""


@cache
def _roots() -> tuple[str, ...]:
    """Folders of this machine that a sentence could name, longest first; not the root of all."""
    found = {Path.cwd(), Path.home(), Path(tempfile.gettempdir()), Path(sys.prefix), Path(sys.base_prefix)}
    found |= {Path(__file__).parents[2]}
    roots = {str(path) for one in found for path in (one, one.resolve()) if len(path.parts) > 1}
    return tuple(sorted(roots, key=len, reverse=True))


def without_paths(sentence: str, settings: Settings) -> str:
    """A sentence without the folder of the tables, the address of their catalog, or any other place of this machine.

    Examples
    --------
    >>> local = Settings(Path("/srv/x"), "postgresql://host/db")
    >>> without_paths("the table RvC is missing: run 'tablebase build x --material RvC --data /srv/x'", local)
    "the table RvC is missing: run 'tablebase build x --material RvC'"
    >>> without_paths("/srv/x/doushouqi/2/RvC.h5 cannot be read", local)
    'doushouqi/2/RvC.h5 cannot be read'
    >>> without_paths("no table is registered in /srv/x: build one", local)
    'no table is registered in this tablebase: build one'
    >>> without_paths("postgresql://host/db cannot be reached", local)
    'the database of the catalog cannot be reached'
    """
    folder = settings.folder
    for path in sorted({str(folder), str(folder.absolute()), str(folder.resolve())}, key=len, reverse=True):
        name = re.escape(path)
        sentence = re.sub(rf" --data (?:{name}|{re.escape(shell_word(path))})(?![\w/.-])", "", sentence)
        # What is in the folder keeps its place there.
        sentence = re.sub(rf"(?<![\w/.-]){name}/(?=\w)", "", sentence)
        sentence = re.sub(rf"(?<![\w/.-]){name}(?![\w-])", A_FOLDER, sentence)
    if settings.catalog is not None:
        url = r"\"?\b[\w+]+://[^\s'\",;]+\"?"
        sentence = re.sub(url, A_DATABASE, re.sub(f" --catalog {url}", "", sentence))
    for root in _roots():
        sentence = re.sub(rf"(?<![\w/.-]){re.escape(root)}(?:/[^\s'\":;,)]*)?(?![\w])", ELSEWHERE, sentence)
    sentence = " ".join(sentence.split())
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1]}…"
