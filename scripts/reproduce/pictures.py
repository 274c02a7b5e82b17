"""Pictures of boards for the documents.

    python -m scripts.reproduce.pictures

Draws each picture of the pages below that has a call above it, in a block of Python or in a comment, into ``docs/images``.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import tablebase
from tablebase import svg

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "diagrams.md", DOCS / "retrograde-analysis.md")
_EXAMPLE = re.compile(
    r"^(?:```python\n|<!-- )((?:svg|tablebase)\.[^`]*?)(?:\n```\n| -->)\n!\[[^\]]*\]\(images/([^)]+)\)$", re.MULTILINE
)


def pictures() -> dict[str, str]:
    """Draw the pictures of the pages; return them by the names of their files."""
    calls = [call for page in PAGES for call in _EXAMPLE.findall(page.read_text(encoding="utf-8"))]
    return {file: eval(call, {"svg": svg, "tablebase": tablebase}) for call, file in calls}


def main() -> None:
    """Draw the pictures."""
    parser = argparse.ArgumentParser(description="Draw the pictures of boards in the documentation.")
    parser.add_argument("--images", type=Path, default=DOCS / "images", help="where to write them")
    folder = parser.parse_args().images
    for file, picture in pictures().items():
        (folder / file).write_text(picture, encoding="utf-8")
        print(f"wrote {folder / file}")


if __name__ == "__main__":
    main()
