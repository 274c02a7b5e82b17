"""The reference in tables: commands, HTTP, players, and names of fields, columns and keys with their meanings."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from typing_extensions import is_typeddict

from scripts.docs.site import DOCS, ROOT
from tablebase.building import batch, records
from tablebase.building.estimate import Estimate
from tablebase.catalog.schema import METADATA, VIEW
from tablebase.commands import row_types
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import command_of
from tablebase.game import load_game
from tablebase.game.examples import examples
from tablebase.game.installed import load_rules
from tablebase.mining.columns import columns, columns_of_moves
from tablebase.play.learning.self_play import Measure
from tablebase.play.players import all_players
from tablebase.play.statistics import ROWS, Row
from tablebase.slices.location import slices
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
    """The rows of commands as the types describe them; the text after a field is its meaning."""
    parts = []
    for name, kind in vars(row_types).items():
        if is_typeddict(kind):
            body = ast.parse(inspect.getsource(kind)).body[0].body[1:]  # type: ignore[attr-defined]
            said = {one.target.id: ast.unparse(one.annotation) for one in body if isinstance(one, ast.AnnAssign)}
            texts = {
                a.target.id: b.value.value for a, b in pairwise(body) if isinstance(a, ast.AnnAssign) and isinstance(b, ast.Expr)
            }
            rows = [(f"`{field}`", f"`{type_}`", texts.get(field, "")) for field, type_ in said.items()]
            parts.append(f"### {name}\n\n{inspect.cleandoc(kind.__doc__)}\n\n{table(('field', 'type', 'meaning'), rows)}")
    return "\n".join(parts)


def _names() -> dict[str, set[str]]:
    """The names that the code has, by section."""
    game = load_game("hexapawn")
    positions = columns(game, slices(game, 2), ())
    package = "".join(path.read_text(encoding="utf-8") for path in ROOT.joinpath("tablebase").rglob("*.py"))
    every_row = {one.name for one in fields(Row)}
    return {
        "rows.estimate": {one.name for one in fields(Estimate)},
        "rows.train": {one.name for one in fields(Measure)},
        "mine.positions": {name for name, column in positions.items() if column.feature is None} | {"features"},
        "mine.moves": set(columns_of_moves(game, slices(game, 2), positions)),
        "environment.variables": {*re.findall(r'"(TABLEBASE_[A-Z]+|FORWARDED_\w+|NUMBA_DISABLE\w+)"', package)},
        "batch.file": {*batch.TOP},
        "batch.build": {*batch.BUILD},
        "batch.then": {*batch.THEN},
        f"catalog.{VIEW}": {*row_types.SliceRow.__annotations__},
        **{f"catalog.{name}": {*map(str, one.columns.keys())} for name, one in METADATA.tables.items()},
        **{
            f"log.{name}": {one.name for one in fields(kind)} - {"game"} | {"event", "time"}
            for kind, name in records.EVENTS.items()
        },
        **{
            f"statistics.{by}": {one.name for one in fields(row)} - (every_row if by != "game" else set())
            for by, row in ROWS.items()
        },
    }


def fields_and_columns() -> dict[str, str]:
    """Tables of names with their meanings by page; raise `ValueError` if the code has other names than the meanings."""
    known, pages = _names(), {}
    for page, tables in MEANINGS.items():
        parts = []
        for part, rows in tables.items():
            words = {name for names in rows for name in names.split(", ") if names != "about"}
            key = f"{page}.{part}"
            if words != known.get(key, words):
                raise ValueError(f"docs/fields.toml, [{key}]: mend {', '.join(sorted(words ^ known[key]))}")
            listed = [
                (", ".join(f"`{name}`" for name in names.split(", ")), text) for names, text in rows.items() if names != "about"
            ]
            parts.append(f"{rows.get('about', '')}\n\n{table(('name', 'meaning'), listed)}")
            known.pop(key, None)
        pages[page] = "\n".join(parts)
    if known:
        raise ValueError(f"docs/fields.toml lacks {', '.join(known)}")
    return pages
