"""Statements about statements and tables, which DuckDB answers for its own tables only: EXPLAIN and SHOW."""

from __future__ import annotations

from typing import NamedTuple

import sqlglot

from tablebase.errors import TablebaseError
from tablebase.mining.star import TABLES


class Request(NamedTuple):
    """What a text asks for.

    Parameters
    ----------
    text : str
        A SELECT, if it is valid at all.
    explained : bool
        Whether it is to be explained instead of run.
    """

    text: str
    explained: bool


def read_request(text: str) -> Request:
    """Replace EXPLAIN and SHOW by what they stand for; any other text stays as it is.

    Raises
    ------
    TablebaseError
        If EXPLAIN has options.
    """
    try:
        tokens = sqlglot.tokenize(text, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        # It is reported where statements are parsed.
        return Request(text, False)
    words = [token.text.upper() for token in tokens if token.token_type.name != "SEMICOLON"]
    if words[:1] == ["EXPLAIN"] and len(words) > 1:
        # All that follows may be one token.
        if words[1].split()[0] == "ANALYZE" or words[1].startswith("("):
            raise TablebaseError("EXPLAIN has no options here: write EXPLAIN SELECT")
        return Request(text[tokens[0].end + 1 :], True)
    if words[:1] == ["SHOW"]:
        if words[1:] in (["TABLES"], ["ALL", "TABLES"]):
            names = ", ".join(f"'{name}'" for name in TABLES)
            return Request(f"SELECT unnest([{names}]) AS name", False)
        if len(words) == 2 and words[1].lower() in TABLES:
            return Request(f"DESCRIBE {words[1].lower()}", False)
    return Request(text, False)
