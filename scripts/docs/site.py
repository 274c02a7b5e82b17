"""The site around its pages: navigation, links that lead out of ``docs``, and inventories of other projects."""

from __future__ import annotations

import os
import re
import tomllib
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = DOCS / "generated"
PAGES: dict[str, dict[str, int]] = tomllib.loads((DOCS / "pages.toml").read_text(encoding="utf-8"))
"""Sections of the navigation with their pages, each with its largest number of words."""
AT_THE_ROOT = {f"../{name}.md": f"project/{name.lower()}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")}
"""Pages outside ``docs`` that the site shows, with the copies that it shows."""
INVENTORIES: dict[str, dict[str, Any]] = tomllib.loads((DOCS / "inventories.toml").read_text(encoding="utf-8"))
"""Names of other projects by page of their documentation."""
LINK = re.compile(r"(?<!!)\[([^]\[]+)\]\(([\w./-]+\b/?)((?:#[\w-]*)?)\)")


def write() -> None:
    """Write inventories, and copies of the pages at the root."""
    GENERATED.mkdir(exist_ok=True)
    for project, pages in INVENTORIES.items():
        # The format of Sphinx: four lines, then compressed ones. A dollar sign repeats the name.
        entries = [(*entry.split(), page) for page, names in pages.items() if page != "url" for entry in names]
        lines = [f"{name} py:{kind} 1 {page if '#' in page else f'{page}#$'} -\n" for kind, name, page in entries]
        head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n# The remainder is compressed using zlib.\n"
        inventory(project).write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
    for original, copy in AT_THE_ROOT.items():
        (DOCS / copy).parent.mkdir(exist_ok=True)
        page = (DOCS / original).resolve()
        (DOCS / copy).write_text(with_links(page, page.read_text(encoding="utf-8"), DOCS / copy), encoding="utf-8")


def inventory(project: str) -> Path:
    """Return the file with the inventory of another project."""
    return GENERATED / f"{project}.inv"


def with_links(page: Path, text: str, shown: Path) -> str:
    """A page as the site shows it: with links to what is on the site, and file names in place of other links."""

    def link(found: re.Match[str]) -> str:
        target = (page.parent / found[2]).resolve()
        name = os.path.relpath(target, DOCS)
        if name in AT_THE_ROOT:
            target = DOCS / AT_THE_ROOT[name]
        elif name.startswith("..") or target.is_dir():
            return found[1]
        return f"[{found[1]}]({os.path.relpath(target, shown.parent)}{found[3]})"

    return LINK.sub(link, text)


def navigation() -> str:
    """The tables of contents of all sections."""
    shown = {section: [AT_THE_ROOT.get(name, name) for name in pages if name != "index.md"] for section, pages in PAGES.items()}
    listed = {section: "\n".join(name for name in names if not name.startswith("..")) for section, names in shown.items()}
    return "\n".join(f"```{{toctree}}\n:hidden:\n:caption: {one}\n\n{names}\n```\n" for one, names in listed.items() if names)


def setup(app: Any) -> dict[str, bool]:
    """Connect the site to Sphinx."""

    def read(app: Any, name: str, source: list[str]) -> None:
        page = Path(app.env.doc2path(name))
        if page.suffix == ".md":
            source[0] = with_links(page, source[0], page)
        if name == app.config.root_doc:
            app.env.note_dependency(str(DOCS / "pages.toml"))
            source[0] += f"\n{navigation()}"

    def missing(app: Any, environment: Any, node: Any, shown: Any) -> Any:
        # A name in backticks need not be in the reference; a type in a signature must be.
        return shown if node["reftype"] == "obj" else None

    kept: dict[str, list[str]] = {}

    def before(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        kept[name] = list(lines)
        # Types of attributes stand in their signatures.
        start = lines.index("Attributes") if "Attributes" in lines else len(lines)
        lines[start:] = [re.sub(r"^(\w[\w, ]*) : .*$", r"\1", line) for line in lines[start:]]

    def after(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        # Otherwise the text about a property would be its type, if it has a colon.
        if what in ("property", "attribute"):
            lines[:] = kept[name]

    def sign(app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None, result: str | None) -> Any:
        # Members of enumerations are written as in Python.
        return signature and re.sub(r"<(?:(\w+\.\w+): [^>]*|factory)>", lambda found: found[1] or "...", signature), result

    app.connect("autodoc-process-signature", sign)
    app.connect("autodoc-process-docstring", before, priority=400)
    app.connect("autodoc-process-docstring", after, priority=600)
    app.connect("source-read", read)
    app.connect("missing-reference", missing)
    return {"parallel_read_safe": True}
