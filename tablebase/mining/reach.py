"""What a statement may read: the two tables and nothing else, not even what DuckDB says about itself."""

from __future__ import annotations

from sqlglot import exp

from tablebase.errors import TablebaseError

ROW_FUNCTIONS = ("generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest")
"""Functions that make rows out of their arguments alone."""
SETTINGS = ("current_setting",)
"""Functions that return settings."""
SYSTEM = ("duckdb_", "pg_", "pragma_", "sqlite_")
"""How the names of DuckDB's own views begin; a WITH of such a name would hide the view that it reads."""


def check_reach(tree: exp.Expr, tables: tuple[str, ...]) -> None:
    """Raise `TablebaseError` if a valid statement reads DuckDB's settings or its descriptions of itself.

    Parameters
    ----------
    tree : Expr
    tables : tuple of str
        All tables that there are.
    """
    subqueries = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    known = {*tables, *(name for name in subqueries if not name.startswith(SYSTEM))}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            if _name(table.this) not in ROW_FUNCTIONS:
                cure = f"the only functions there are {', '.join(ROW_FUNCTIONS)}"
                raise TablebaseError(f"{table.this.sql('duckdb', normalize_functions=False)} is not allowed in a FROM: {cure}")
        elif table.name.lower() not in known or table.db.lower() not in ("", "main"):
            raise TablebaseError(f"{table.sql('duckdb')} cannot be read: query {' or '.join(tables)}")
    for function in tree.find_all(exp.Anonymous):
        if function.name.lower() in SETTINGS:
            raise TablebaseError(f"the function {function.name} is not allowed: settings cannot be read")


def _name(function: exp.Func) -> str:
    """The name of a function as DuckDB knows it."""
    name: str = function.name if isinstance(function, exp.Anonymous) else function.sql("duckdb").partition("(")[0]
    return name.lower()
