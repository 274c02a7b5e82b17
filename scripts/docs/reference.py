"""The reference in tables: commands, HTTP, players, and names of fields, columns and keys with their meanings."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from typing_extensions import is_typeddict

from scripts.docs.site import DOCS, ROOT
from tablebase.commands import row_types
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import command_of
from tablebase.game.examples import examples
from tablebase.game.installed import load_rules
from tablebase.play.players import all_players
from tablebase.web.app import create_app
from tablebase.web.settings import Settings

MEANINGS: dict[str, Any] = tomllib.loads((DOCS / "fields.toml").read_text(encoding="utf-8"))
"""Meanings by section; a section of sections has more than one table."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; nothing without rows."""
    lines = ["| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *lines, ""]) if lines else ""


def commands() -> str:
    """All commands by group."""
    parts, group = [], ""
    for verb in (verb for verb in VERBS.values() if verb.group):
        command = command_of(verb)
        context = click.Context(command, info_name=f"tablebase {verb.name}")
        parts += [f"## {verb.group}\n"] * (verb.group != group)
        group = verb.group
        shown = "\n".join(
            [command.get_usage(context).partition(": ")[2], *(line for lines in examples(f"help of {verb.name}") for line in lines)]
        )
        parts.append(f"### tablebase {verb.name}\n\n```text\n{shown}\n```\n\n{command.help}\n")
        arguments = [(f"`{one.shell.metavar}`", one.help) for one in command.parameters if one.shell.argument]
        records = filter(None, (one.get_help_record(context) for one in command.params if isinstance(one, click.Option)))
        parts += [
            table(("argument", "meaning"), arguments),
            table(("option", "meaning"), [(f"`{name}`", text) for name, text in records]),
        ]
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
    described = create_app(Settings(Path("data"), mine=True)).openapi()
    parts = ["## Routes\n"]
    for path, item in described["paths"].items():
        for method, route in item.items():
            body = route.get("requestBody", {}).get("content", {})
            answer = {
                code: next(iter(one.get("content", {}).values()), {}).get("schema") for code, one in route["responses"].items()
            }
            sent = [f"Request: {_kind(one['schema'])}.\n" for one in body.values()]
            got = [f"Answer: {_kind(schema)}.\n" for code, schema in answer.items() if code == "200" and schema]
            rows = [
                (f"`{one['name']}`", _kind(one["schema"]), one.get("description", "") + "  required" * one.get("required", False))
                for one in route.get("parameters", [])
            ]
            parts.append(f"### {method.upper()} {path}\n\n{route.get('description') or route['summary']}\n")
            parts += [table(("parameter", "type", "meaning"), rows), *sent, *got]
    parts.append("## Objects\n")
    for name, schema in described["components"]["schemas"].items():
        rows = [(f"`{one}`", _kind(its), its.get("description", "")) for one, its in schema.get("properties", {}).items()]
        parts.append(f"### {name}\n\n{schema.get('description', '')}\n\n{table(('field', 'type', 'meaning'), rows)}")
    return "\n".join(parts)


def players() -> str:
    """The players, and the settings of each."""
    rows = [(f"`{one.name}`", one.about, "yes" if one.needs_tables else "no") for one in all_players()]
    parts = [table(("player", "plays", "needs tables"), rows)]
    for one in all_players():
        settings = [(f"`{name}`", meaning) for name, meaning in one.settings.items()]
        settings += [
            (f"`{name}`", f"weight of the evaluation, in {rules.title}")
            for rules in map(load_rules, ["harehedgehog"] * one.weighs)
            for name in one.settings_in(rules)
            if name not in one.settings
        ]
        parts += [f"### {one.name}\n"] * bool(settings) + [table(("setting", "meaning"), settings)]
    return "\n".join(parts)


def rows() -> str:
    """The rows of commands as their types describe them; the text after a field is its meaning."""
    parts = []
    for name, kind in vars(row_types).items():
        if is_typeddict(kind):
            found = re.findall(r'^    (\w+): (.*)\n(?:    """(.*)"""\n)?', inspect.getsource(kind), re.MULTILINE)
            listed = [(f"`{field}`", f"`{its_type}`", meaning) for field, its_type, meaning in found]
            parts.append(f"### {name}\n\n{inspect.cleandoc(kind.__doc__)}\n\n{table(('field', 'type', 'meaning'), listed)}")
    return "\n".join(parts)


def fields_and_columns() -> dict[str, str]:
    """Tables of names with their meanings by page; a test compares the names with those that the code has."""
    pages = {}
    for page, tables in MEANINGS.items():
        parts = []
        for rows in tables.values():
            listed = [
                (", ".join(f"`{name}`" for name in names.split(", ")), text) for names, text in rows.items() if names != "about"
            ]
            parts.append(f"{rows.get('about', '')}\n\n{table(('name', 'meaning'), listed)}")
        pages[page] = "\n".join(parts)
    return pages


def claims() -> str:
    """The claims of the five documents, which tests hold."""
    documents = tomllib.loads((ROOT / "tests" / "docs" / "claims.toml").read_text(encoding="utf-8"))["document"]
    counts, parts = [], []
    for document in documents:
        verdicts = [claim["verdict"].split()[0].strip(",:;") for claim in document["claims"]]
        counts.append([document["title"], *(str(verdicts.count(one)) for one in ("same", "differs", "open"))])
        rows = [(one["claim"], f"`{one['held']}`", one["figure"], one["run"], one["verdict"]) for one in document["claims"]]
        parts.append(
            f"## {document['title']}\n\n{document['about']}\n\n{table(('claim', 'held by', 'figure', 'run', 'verdict'), rows)}"
        )
    return "\n".join([table(("document", "same", "differs", "open"), counts), *parts])
