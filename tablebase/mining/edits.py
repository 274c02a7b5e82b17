"""Changes of a statement's text at the places of nodes of its tree."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from tablebase.errors import TablebaseError

SAMPLING = "TABLESAMPLE", "SAMPLE"
UNITS = "%", "PERCENT", "ROWS"


class Edits:
    """Changes of a text; all else stays as it was written.

    Parameters
    ----------
    text : str
        A statement.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = sqlglot.tokenize(text, dialect="duckdb")
        self._changes: list[tuple[int, int, str]] = []
        """The place where each begins, the place where the text goes on, and what is between."""

    def result(self) -> str:
        """The text with all changes."""
        text = self.text
        for begin, end, new in sorted(self._changes, reverse=True):
            text = text[:begin] + new + text[end:]
        return text

    def set_schema(self, node: exp.Expr, schema: str) -> None:
        """Let a table, or a column that is written with its schema, be of another schema."""
        written = node.args.get("db")
        if written is not None:
            self._changes.append((written.meta["start"], written.meta["end"] + 1, schema))
        elif isinstance(node, exp.Table):
            self._insert(node.this.meta["start"], f"{schema}.")

    def remove_sample(self, clause: exp.TableSample) -> None:
        """Leave out a TABLESAMPLE or USING SAMPLE."""
        size = clause.args.get("percent") or clause.args["size"]
        first = last = self._number(size.meta["start"])
        while self.tokens[first].text.upper() not in SAMPLING:
            first -= 1
        # Without brackets around the size, a unit and then a method and a seed in brackets may follow it.
        if self.tokens[last - 1].text == "(":
            last = self._closing(last)
        elif self._follows(last, UNITS):
            last += 1
        if self._follows(last, ("REPEATABLE",)):
            last += 1
        if self._follows(last, ("(",)):
            last = self._closing(last + 2)
        if self.tokens[first].text.upper() == "SAMPLE":
            first -= 1
        self._changes.append((self.tokens[first].start, self.tokens[last].end + 1, ""))

    def replace_aggregate(self, aggregate: exp.Expr, template: str) -> None:
        """Replace an aggregate with its FILTER by a text that may have both its argument and that in braces."""
        name = self._number(aggregate.meta["start"])
        end = last = self._closing(name + 2)
        if isinstance(aggregate.parent, exp.Filter):
            last = self._closing(end + 3)
        argument = self.text[self.tokens[name + 2].start : self.tokens[end].start]
        filtered = self.text[self.tokens[end].end + 1 : self.tokens[last].end + 1]
        new = template.format(argument=argument, filter=filtered)
        self._changes.append((self.tokens[name].start, self.tokens[last].end + 1, new))

    def exclude(self, star: exp.Expr, columns: Sequence[str], tables: Sequence[exp.Table]) -> None:
        """Let a ``*`` of these tables not include these columns."""
        if not columns:
            return
        listed = ", ".join(columns)
        number = self._number(star.meta.get("start", 0))
        if self.tokens[number].text != "*":
            # It is not written: "FROM positions" alone stands for "SELECT * FROM positions".
            self._insert(self._from(tables), f"SELECT * EXCLUDE ({listed}) ")
        elif not star.args.get("except_"):
            self._insert(self.tokens[number].end + 1, f" EXCLUDE ({listed})")
        elif self.tokens[number + 2].text == "(":
            self._insert(self.tokens[number + 2].end + 1, f"{listed}, ")
        else:
            self._insert(self.tokens[number + 2].start, f"({listed}, ")
            self._insert(star.args["except_"][-1].this.meta["end"] + 1, ")")

    def keep_from_pattern(self, columns: exp.Columns, names: Sequence[str]) -> None:
        """Let COLUMNS with a regular expression, or with a function of names, not match these names."""
        first = self._number(columns.meta["start"]) + 2
        last = self._closing(first)
        others = f"NOT IN ({', '.join(exp.Literal.string(name).sql('duckdb') for name in names)}) AND "
        if isinstance(columns.this, exp.Lambda):
            colon = next(token for token in self.tokens[first:] if token.text == ":")
            self._insert(colon.end + 1, f" {columns.this.expressions[0].sql('duckdb')} {others}(")
        else:
            self._insert(self.tokens[first].start, f"lambda name: name {others}regexp_matches(name, ")
        self._insert(self.tokens[last].start, ")")

    def _insert(self, place: int, new: str) -> None:
        self._changes.append((place, place, new))

    def _number(self, place: int) -> int:
        """The number of the token that begins at a place."""
        return next(number for number, token in enumerate(self.tokens) if token.start == place)

    def _follows(self, number: int, texts: Sequence[str]) -> bool:
        """Whether one of these comes after a token."""
        return number + 1 < len(self.tokens) and self.tokens[number + 1].text.upper() in texts

    def _closing(self, number: int) -> int:
        """The number of the bracket that closes those in which a token is."""
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(self.tokens[number].text, 0)
            number += 1
        return number - 1

    def _from(self, tables: Sequence[exp.Table]) -> int:
        """The place of the FROM that names these tables."""
        number, depth = self._number(min(table.this.meta["start"] for table in tables)), 0
        while number >= 0 and (depth > 0 or self.tokens[number].text.upper() != "FROM"):
            depth = max(0, depth + {")": 1, "(": -1}.get(self.tokens[number].text, 0))
            number -= 1
        if number < 0:
            raise TablebaseError("TABLE cannot be used with features or position: write SELECT * FROM")
        return self.tokens[number].start
