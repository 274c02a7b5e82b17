"""TABLESAMPLE and USING SAMPLE of tables of positions and of moves, which the program draws itself.

DuckDB would draw whole vectors of a stream, others with each number of threads.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.mining.sample import Sample

SEED_BITS = 32


class TableSample(NamedTuple):
    """A sample of a table.

    Parameters
    ----------
    table : sqlglot.exp.Table
        Where the statement reads the table.
    clause : sqlglot.exp.TableSample
        Where it says what is drawn.
    sample : Sample
        What is drawn; with a random seed if the clause has none.
    """

    table: exp.Table
    clause: exp.TableSample
    sample: Sample


def table_samples(tree: exp.Expr, tables: Sequence[exp.Table]) -> list[TableSample]:
    """The samples of these tables in a statement; all others are DuckDB's.

    Raises
    ------
    TablebaseError
        If a table has two samples, or a join with it has one.
    """
    known = {id(table) for table in tables}
    found = [
        TableSample(table, clause, _sample(clause))
        for clause in tree.find_all(exp.TableSample)
        for table in _drawn_from(clause)
        if id(table) in known
    ]
    if len({id(each.table) for each in found}) < len(found):
        raise TablebaseError("a table can have one sample: write either TABLESAMPLE or USING SAMPLE")
    for each in found:
        if isinstance(each.clause.parent, exp.Select) and each.clause.parent.args.get("joins"):
            raise TablebaseError("USING SAMPLE would draw from a join: write TABLESAMPLE after the name of the table")
    return found


def _drawn_from(clause: exp.TableSample) -> Iterator[exp.Table]:
    """The tables whose rows, or joined rows, a sample is drawn from, subqueries left out."""
    parent = clause.parent
    if isinstance(parent, exp.Table):
        yield parent
    elif isinstance(parent, exp.Select):
        sources = [parent.args.get("from_"), *(parent.args.get("joins") or ())]
        yield from (source.this for source in sources if source is not None and isinstance(source.this, exp.Table))


def _sample(clause: exp.TableSample) -> Sample:
    seed, percent = clause.args.get("seed"), clause.args.get("percent")
    number = int(seed.name) if seed else secrets.randbits(SEED_BITS)
    if percent is None:
        return Sample(seed=number, rows=round(float(clause.args["size"].name)))
    return Sample(float(percent.name) / 100, number)
