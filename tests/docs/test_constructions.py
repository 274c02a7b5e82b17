"""Constructions that plain English does without, counted in all that users read; their number may only fall."""

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from tomllib import loads

import click
import pytest
from support.program import every_command

from scripts.docs import python, reference

ROOT = Path(__file__).parents[2]
MOST = {"pages": 1, "help": 0, "errors": 0, "docstrings": 2}
"""The largest number of constructions in 1,000 sentences by group; lower it when a text has been rewritten."""
CONSTRUCTIONS = {
    "what": r"\bwhat\b(?![^.?!]*\?)",
    "those of": r"\bthose (?:of|that|with|who|which|whose|in|from|for)\b",
    "say so": r"\b(?:says?|said|knows?|tells?) (?:so|what|how|that|which|whether|nothing|of)\b|\basks? (?:for|about|whether)\b",
    "of its own": r"\bof (?:its|their|one's|your|our) own\b",
    "anew": r"\b(?:to and fro|at hand|anew|at once|in turns)\b",
    "whose": r"\b(?:whose|wherever|meanwhile|thereby)\b",
    "of which": r"\b(?:of|for|with) which\b",
    "is no": r"\b(?:is|are|was|were) no\b",
    "goes on": r"\bgo(?:es|ing)? on\b",
    "too": r", too\b(?=[.:;,)]|$)",
    "beside": r"\bbeside\b",
    "nobody": r"\b(?:nobody|somebody|whatever|whoever)\b",
    "but for": r"\b(?:all but|nothing but|but for)\b",
    "alike": r"\b(?:alike|for people)\b",
}
"""Patterns by the words that they look for."""
ODD_BEGINNINGS = 58
"""The largest number of docstrings that begin with a question word; lower it when some have been rewritten."""


def page_texts() -> Iterator[str]:
    """Yield all pages without their code, and the meanings and claims that the site shows."""
    names = [name for pages in loads((ROOT / "docs/pages.toml").read_text("utf-8")).values() for name in pages]
    for page in [ROOT / "docs" / name for name in names if name.endswith(".md")]:
        yield re.sub(r"\A---\n.*?\n---\n|^ *```.*?^ *```$", "\n\n", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for path in ("docs/fields.toml", "tests/docs/claims.toml"):
        yield "\n\n".join(re.findall(r"""= ["'](.*)["']$""", (ROOT / path).read_text("utf-8"), re.MULTILINE))


def help_texts() -> Iterator[str]:
    """Yield the descriptions of all commands and their options."""
    for command in every_command().values():
        yield command.help
        yield from (one.help for one in command.params if isinstance(one, click.Option) and one.help)
        yield from (one.help for one in command.parameters if one.shell.argument)


def error_texts() -> Iterator[str]:
    """Yield the sentences that the package raises."""
    for path in sorted((ROOT / "tablebase").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")).endswith("Error"):
                for text in node.args:
                    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                    yield "".join(str(one.value) if isinstance(one, ast.Constant) else "x" for one in parts)


def docstring_texts() -> Iterator[str]:
    """Yield the docstrings that the reference shows: of Python, routes, rows and players."""
    yield from (reference.http(), reference.json_rows(), reference.players())
    public = [one for names in python.public_names().values() for one in names.values()]
    further = [kind for kind, depth in python.further_types().values() if depth <= python.DEEPEST]
    for shown in [*public, *further]:
        members = python.members(shown).values() if isinstance(shown, type) else ()
        described = [one for one in members if inspect.isroutine(one) or isinstance(one, property | cached_property)]
        yield from {inspect.cleandoc(one.__doc__ or "") for one in [shown, *described]}


GROUPS = {"pages": page_texts, "help": help_texts, "errors": error_texts, "docstrings": docstring_texts}


def sentences(text: str) -> list[str]:
    """Split a text into sentences; cells of a table are such, too."""
    plain = re.sub(r"`+[^`\n]*`+|\]\([^)]*\)|^-+$", "x", text, flags=re.MULTILINE)
    parts = re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+\.))|\s\|\s", plain)
    return [" ".join(part.split()) for part in parts if len(part.split()) > 2]


@cache
def counted(group: str) -> tuple[Counter[str], int]:
    """Count the constructions of a group of texts, and its sentences."""
    every = [one for text in GROUPS[group]() for one in sentences(text)]
    found = {name: sum(len(re.findall(pattern, one, re.IGNORECASE)) for one in every) for name, pattern in CONSTRUCTIONS.items()}
    return Counter(found), len(every)


@pytest.mark.parametrize("group", GROUPS)
def test_constructions_only_fall(group: str) -> None:
    found, number = counted(group)
    assert number > 100
    assert 1000 * found.total() / number <= MOST[group], found


def docstrings(source: str) -> Iterator[str]:
    """Yield the docstrings of a module, of its classes, functions and attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """Docstrings that begin with a question word only become fewer."""
    sources = [path.read_text("utf-8") for folder in ("tablebase", "rules", "scripts") for path in (ROOT / folder).rglob("*.py")]
    first = [text.split()[0] for source in sources for text in docstrings(source) if text.strip()]
    assert len(first) > 1000
    assert sum(word in {"What", "Whether", "How", "Where", "Who", "Why", "Those"} for word in first) <= ODD_BEGINNINGS


def test_each_construction_is_found() -> None:
    """In a sentence that has it, and in none of its neighbours."""
    text = """What the rules say is known. Those of the foxes are missing. It says so. A folder of its own is made. It is read anew.
The side whose turn it is. Tables of which two remain. There is no table. The build goes on. This is a draw, too.
It stands beside them. Nobody reads it. All but one are won. Both are alike."""
    for name, one in zip(CONSTRUCTIONS, sentences(text), strict=True):
        assert [other for other, pattern in CONSTRUCTIONS.items() if re.search(pattern, one, re.IGNORECASE)] == [name]
