"""The reference in tables: commands, HTTP, players, and names of fields, columns and keys with their meanings."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import click
from typing_extensions import is_typeddict

from scripts.docs.site import DOCS, ROOT
from tablebase.commands import row_types
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import command_of
from tablebase.game.examples import examples
from tablebase.play.players import all_players
from tablebase.web.app import create_app
from tablebase.web.settings import ServerSettings

MEANINGS: dict[str, Any] = tomllib.loads((DOCS / "fields.toml").read_text(encoding="utf-8"))
"""Meanings by section; a section of sections has more than one table."""
COMMON: dict[str, str] = tomllib.loads((DOCS / "common-fields.toml").read_text(encoding="utf-8"))
"""Meanings of fields without a description, by name, or by name and type."""


def table(head: str, rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; nothing without rows."""
    lines = ["| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([f"| {head} |", f"|{'---|' * len(head.split('|'))}", *lines, ""]) if lines else ""


def common(name: str, kind: str) -> str:
    """The meaning of a field without a description, by its name and type."""
    word = next((word for start, word in (("list", "list"), ("str", "text")) if kind.startswith(start)), "")
    return COMMON.get(f"{name} {word}") or COMMON.get(name, "")


def code(names: Iterable[str]) -> str:
    """Names as code."""
    return ", ".join(f"`{name}`" for name in names)


def commands() -> str:
    """All commands by group."""
    parts, group = [], ""
    for verb in (verb for verb in VERBS.values() if verb.group):
        command = command_of(verb.name)
        context = click.Context(command, info_name=f"tablebase {verb.name}")
        parts += [f"## {verb.group}\n"] * (verb.group != group)
        group = verb.group
        shown = "\n".join(
            [command.get_usage(context).partition(": ")[2], "\n# Examples", *chain(*examples(f"help of {verb.name}"))]
        )
        arguments = [(code([one.shell.metavar]), one.help) for one in command.parameters if one.shell.argument]
        options = filter(None, (one.get_help_record(context) for one in command.params if isinstance(one, click.Option)))
        parts.append(f"### tablebase {verb.name}\n\n{command.help}\n\n```text\n{shown}\n```\n")
        parts.append(table("argument | meaning", arguments))
        parts.append(table("option | meaning", ((code([name]), text) for name, text in options)))
    return "\n".join(parts)


def _kind(schema: dict[str, Any]) -> str:
    """The type that a schema of JSON describes, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")]))
    return f"list of {_kind(schema['items'])}" if "items" in schema else str(schema.get("type", "any"))


def http() -> str:
    """The routes of the server, and the objects that they read and write."""
    described = create_app(ServerSettings(Path("data"), mine=True)).openapi()
    parts = ["## Routes\n"]
    for path, item in described["paths"].items():
        for method, route in item.items():
            parts.append(f"### {method.upper()} {path}\n\n{route.get('description') or route['summary']}\n")
            given = ((one, one.get("description", "") + " Required." * one["required"]) for one in route.get("parameters", []))
            parts.append(
                table("parameter | type | meaning", ((code([one["name"]]), _kind(one["schema"]), text) for one, text in given))
            )
            for word, content in (("Request", route.get("requestBody", {})), ("Response", route["responses"].get("200", {}))):
                schemas = [one["schema"] for one in content.get("content", {}).values() if one.get("schema")]
                parts += [f"{word}: {_kind(schema)}.\n" for schema in schemas]
    parts.append("## Objects\n")
    for name, schema in described["components"]["schemas"].items():
        rows = [
            (code([one]), _kind(its), its.get("description") or common(one, _kind(its)))
            for one, its in schema.get("properties", {}).items()
        ]
        parts.append(f"### {name}\n\n{schema.get('description', '')}\n\n{table('field | type | meaning', rows)}")
    return "\n".join(parts)


def players() -> str:
    """The players, and the settings of each."""
    listed = ((code([one.name]), one.about, "yes" if one.needs_tables else "no") for one in all_players())
    parts = [table("player | plays | needs tables", listed)]
    for one in all_players():
        weights = [("weights", "weights of the evaluation terms; the game defines the names of these settings")] * one.weighs
        settings = [(code([name]), meaning) for name, meaning in one.settings.items()] + weights
        parts += [f"### {one.name}\n"] * bool(settings) + [table("setting | meaning", settings)]
    return "\n".join(parts)


def json_rows() -> str:
    """The rows of commands as their types describe them; the text after a field is its meaning."""
    parts = []
    for name, kind in vars(row_types).items():
        if is_typeddict(kind) and kind.__doc__:
            kinds = [*filter(is_typeddict, kind.__orig_bases__), kind]
            source = "".join(map(inspect.getsource, kinds))
            found = re.findall(r'^    (\w+): (.*)\n(?:    """(.*)"""\n)?', source, re.MULTILINE)
            listed = ((code([field]), code([its_type]), meaning or common(field, its_type)) for field, its_type, meaning in found)
            parts.append(f"### {name}\n\n{inspect.cleandoc(kind.__doc__)}\n\n{table('field | type | meaning', listed)}")
    return "\n".join(parts)


def fields_and_columns() -> dict[str, str]:
    """Tables of names with their meanings by page; a test compares the names with those that the code has."""
    pages: dict[str, str] = {}
    for page, tables in MEANINGS.items():
        for rows in tables.values():
            listed = ((code(names.split(", ")), text) for names, text in rows.items() if names != "about")
            pages[page] = f"{pages.get(page, '')}\n{rows.get('about', '')}\n\n{table('name | meaning', listed)}"
    return pages


def claims() -> str:
    """The claims of the five papers and articles, which tests check."""
    counts, parts = [], []
    for document in tomllib.loads((ROOT / "tests/docs/claims.toml").read_text(encoding="utf-8"))["document"]:
        verdicts = [re.split(r"\W", claim["verdict"])[0] for claim in document["claims"]]
        counts.append([document["title"], *(str(verdicts.count(one)) for one in ("same", "differs", "open"))])
        rows = ((one["claim"], code([one["held"]]), one["figure"], one["run"], one["verdict"]) for one in document["claims"])
        listed = table("claim | checked by | our result | run | verdict", rows)
        parts.append(f"## {document['title']}\n\n{document['about']}\n\n{listed}")
    return "\n".join([table("source | same | differs | open", counts), *parts])
