"""TABLESAMPLE and USING SAMPLE of tables of positions and of moves, which the program draws itself.

DuckDB would draw whole vectors of a stream, others with each number of threads.
"""

from __future__ import annotations

import secrets

from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.mining.rewrite.reading import SAMPLE, Reading, Scope, schema_of, scopes, set_schema
from tablebase.mining.sample import Sample

SEED_BITS = 32


def draw_samples(tree: exp.Expr, reading: Reading) -> exp.Expr:
    """Move each table that a statement samples to a schema of its own, without the clause; other samples are DuckDB's.

    Raise `TablebaseError` if a table has two samples, or a join with it has one.
    """
    for scope in scopes(tree):
        for table in scope.tables:
            _draw(scope, table, reading)
    return tree


def _draw(scope: Scope, table: exp.Table, reading: Reading) -> None:
    """Move a table to a schema of its own if it is sampled."""
    select = scope.expression
    sources = [select.args.get("from_"), *(select.args.get("joins") or ())]
    around = select.args.get("sample") if any(source is table.parent for source in sources) else None
    clauses = [clause for clause in (table.args.get("sample"), around) if clause is not None]
    if not clauses:
        return
    if len(clauses) > 1:
        raise TablebaseError("a table can have one sample: write either TABLESAMPLE or USING SAMPLE")
    if around is not None and select.args.get("joins"):
        raise TablebaseError("USING SAMPLE would draw from a join: write TABLESAMPLE after the name of the table")
    [clause] = clauses
    schema, name = f"{SAMPLE}_{len(reading.samples)}", table.name.lower()
    reading.samples[schema] = _sample(clause.pop())
    reading.needed[schema, name] = reading.needed[schema_of(table), name]
    set_schema(scope, table, schema)


def _sample(clause: exp.Expr) -> Sample:
    """What a clause draws, with a random seed if it has none."""
    seed, percent = clause.args.get("seed"), clause.args.get("percent")
    number = int(seed.name) if seed else secrets.randbits(SEED_BITS)
    if percent is None:
        return Sample(seed=number, rows=round(float(clause.args["size"].name)))
    return Sample(float(percent.name) / 100, number)
