"""What is particular to PostgreSQL: the server, connections, and statements that only read.

A schema of a database holds the catalog of one folder. The two know each other by an id, which is both in the database
and in a file of the folder.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from sqlalchemy import Column, Connection, Engine, MetaData, NullPool, String, Table, create_engine, delete, insert, inspect, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from tablebase.catalog.database import PATIENCE, Answer, Database
from tablebase.catalog.schema import SCHEMA_VERSION, VIEW, Base, VersionRow, drop_schema, version_of
from tablebase.catalog.seal import renew_totals
from tablebase.errors import CorruptCatalogError, TablebaseError, TimeLimitError, space_error

ID_FILE = ".catalog-id"
"""In the folder: which catalog is the folder's."""
HOME = Table("tablebase", MetaData(), Column("folder", String, nullable=False), Column("definitions", String, nullable=False))
"""One row: the id of the folder, and a digest of the definitions that the catalog was made with."""
NAMES = [*Base.metadata.tables, VIEW, HOME.name]
LOCK = int.from_bytes(b"tbls")
"""The first key of the lock that a transaction which changes a catalog holds; the second is the schema."""
SCHEMES = ("postgresql", "postgresql+psycopg", "postgres")
EXAMPLE = "postgresql+psycopg://USER@HOST/DATABASE"
CONNECT_SECONDS = 10

DEFINITIONS = """
WITH ours AS (SELECT oid AS number, relname::text AS name, relkind, relpersistence, relrowsecurity FROM pg_class
              WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%s))
SELECT name, 'relation', concat_ws(' ', relkind, relpersistence, relrowsecurity) FROM ours
UNION ALL
SELECT name, 'column', concat_ws(' ', attnum, attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation,
                                 pg_get_expr(adbin, adrelid))
FROM ours JOIN pg_attribute ON attrelid = number LEFT JOIN pg_attrdef ON adrelid = oid AND adnum = attnum
WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT name, 'constraint', pg_get_constraintdef(o.oid, true) FROM ours JOIN pg_constraint AS o ON conrelid = number
UNION ALL SELECT name, 'index', pg_get_indexdef(indexrelid, 0, true) FROM ours JOIN pg_index ON indrelid = number
UNION ALL SELECT name, 'trigger', pg_get_triggerdef(o.oid, true)
FROM ours JOIN pg_trigger AS o ON tgrelid = number WHERE NOT tgisinternal
UNION ALL SELECT name, 'rule', pg_get_ruledef(o.oid, true) FROM ours JOIN pg_rewrite AS o ON ev_class = number
ORDER BY 1, 2, 3
"""
"""All that makes a relation what it is."""
MAY_WRITE_FILES = """
SELECT pg_has_role(current_user, 'pg_write_server_files', 'MEMBER')
    OR pg_has_role(current_user, 'pg_execute_server_program', 'MEMBER')
"""
"""A superuser has every role."""


class PostgresqlDatabase(Database):
    """A schema of a PostgreSQL database.

    Parameters
    ----------
    folder : Path
    url : str
        As SQLAlchemy writes it; the schema is the first of the search path.

    Raises
    ------
    TablebaseError
        If it is no such URL.
    """

    faults = (SQLAlchemyError, psycopg.Error)

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder)
        self._url = _parsed(url)

    @property
    def place(self) -> str:
        """The URL without its password."""
        return self._url.difference_update_query(["password", "sslpassword"]).render_as_string(hide_password=True)

    @property
    def option(self) -> str:
        """The option that names it; the password is left out."""
        return f" --catalog {self.place}"

    @property
    def another(self) -> str:
        """What to do with a database that is no catalog."""
        return "name an empty database or schema with --catalog"

    @cached_property
    def _engine(self) -> Engine:
        options = {"connect_timeout": CONNECT_SECONDS, "application_name": "tablebase"}
        # What has waited for the lock must see what the other has written, whatever the server's default is.
        return create_engine(
            self._url, poolclass=NullPool, isolation_level="READ COMMITTED", use_native_hstore=False, connect_args=options
        )

    def exists(self) -> bool:
        """Whether the schema has any table."""
        with self._engine.connect() as connection:
            return bool(inspect(connection).get_table_names())

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction that reads one state, and may change none."""
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._check_folder(connection)
            yield connection

    @contextmanager
    def changes(self) -> Iterator[Connection]:
        """A transaction that holds the lock of the schema."""
        with self._engine.begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE:g}s'")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK}, hashtext(current_schema()))")
            self._check_folder(connection)
            yield connection

    @contextmanager
    def replacement(self) -> Iterator[Connection]:
        """A transaction in which the old rows have been removed; where even the definitions are damaged, these are made anew."""
        with self.changes() as connection:
            if version_of(connection) == SCHEMA_VERSION and self.definitions_fault(connection) is None:
                # So readers go on reading the old rows; to drop a table would wait for them, and they for us.
                for table in reversed(Base.metadata.sorted_tables):
                    if table is not VersionRow.__table__:
                        connection.execute(delete(table))
            else:
                self.drop(connection)
                self.make(connection)
            yield connection
            renew_totals(connection)

    def definitions_fault(self, connection: Connection) -> str | None:
        """Why the definitions are not those that the database had when the catalog was made."""
        if connection.scalar(select(HOME.c.definitions)) == _digest_of_definitions(connection):
            return None
        return "has not just the tables, indices and view that this program makes"

    def integrity_fault(self, connection: Connection) -> None:  # noqa: ARG002 (of the contract)
        """PostgreSQL has no check of its indices that everyone may run."""
        return

    def is_marked(self) -> bool:
        """Whether the table with the id of a folder is there."""
        with self._engine.connect() as connection:
            return inspect(connection).has_table(HOME.name)

    def mark(self, connection: Connection) -> None:
        """Write the folder's id and the definitions' digest into a table of their own."""
        HOME.create(connection)
        digest = _digest_of_definitions(connection)
        connection.execute(insert(HOME).values(folder=self._folder_id() or self._new_id(), definitions=digest))

    def drop(self, connection: Connection) -> None:
        """Remove the schema."""
        drop_schema(connection)
        HOME.drop(connection, checkfirst=True)

    def query(self, connection: Connection, statement: str, timeout: float | None) -> Answer:
        """Column names and rows of a statement, which the server takes as the definition of a cursor: only SELECT and VALUES.

        A superuser is refused, who could write files even so.
        """
        if connection.exec_driver_sql(MAY_WRITE_FILES).scalar_one():
            raise TablebaseError("as this role, a statement could write files of the server: connect as a role that may not")
        driver: Any = connection.connection.driver_connection
        try:
            # What a function may have changed is taken back.
            with driver.transaction(force_rollback=True), driver.cursor(name="answer") as cursor:
                driver.execute(f"SET LOCAL statement_timeout = {0 if timeout is None else max(1, round(1000 * timeout))}")
                # Otherwise, and where a server cannot do this, it does not notice that nobody waits for the answer any more.
                with suppress(psycopg.Error), driver.transaction():
                    driver.execute("SET LOCAL client_connection_check_interval = '1s'")
                cursor.execute(statement)
                rows = [tuple(map(_plain, row)) for row in cursor.fetchall()]
                return [column.name for column in cursor.description], rows
        except psycopg.errors.QueryCanceled as fault:
            raise (self.error(fault) if timeout is None else TimeLimitError(timeout)) from fault
        except psycopg.OperationalError as fault:
            raise self.error(fault) from fault
        except (psycopg.Error, UnicodeError) as fault:
            raise TablebaseError(f"the SQL statement failed: {_statement_reason(statement, fault)}") from fault

    def error(self, fault: Exception) -> TablebaseError:
        """The sentence for a fault of PostgreSQL or its driver."""
        cause = getattr(fault, "orig", None) or fault
        code, reason = getattr(cause, "sqlstate", None) or "", _reason(cause)
        if isinstance(cause, psycopg.errors.LockNotAvailable):
            return TablebaseError(f"{self.place} is being changed by another program: try again when it has finished")
        if code.startswith("53") and not isinstance(cause, psycopg.errors.TooManyConnections):
            return space_error(self.place, reason, "use another server")
        if isinstance(cause, psycopg.errors.InsufficientPrivilege | psycopg.errors.ReadOnlySqlTransaction):
            return TablebaseError(f"{self.place} cannot be used ({reason}): ask its owner for the right, or use another database")
        if isinstance(cause, psycopg.errors.DataCorrupted | psycopg.errors.IndexCorrupted):
            return CorruptCatalogError(f"is damaged ({reason})", self.place, self.cure)
        if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
            return TablebaseError(f"{self.place} cannot be reached ({reason}): check the server, and the URL that --catalog names")
        return self.unusable(reason)

    def _check_folder(self, connection: Connection) -> None:
        """Raise an error if this is the catalog of another folder."""
        if not inspect(connection).has_table(HOME.name):
            return
        known = connection.scalar(select(HOME.c.folder))
        if known != self._folder_id():
            other = "name that one with --data, or another database or schema with --catalog"
            raise TablebaseError(f"{self.place} holds the catalog of another folder than {self.folder}: {other}")

    def _folder_id(self) -> str | None:
        """The id of the folder; None if it has none."""
        file = self.folder / ID_FILE
        return file.read_text(encoding="utf-8").strip() if file.exists() else None

    def _new_id(self) -> str:
        """Give the folder an id."""
        # Imported here because reading the catalog needs no HDF5.
        from tablebase.tables.writer import publish

        name = str(uuid4())
        draft = self.folder / f"{ID_FILE}.{name}"
        draft.write_text(f"{name}\n", encoding="utf-8")
        publish(draft, self.folder / ID_FILE)
        return name


def _parsed(url: str) -> URL:
    """A URL of a PostgreSQL database; it may hold a password, so that no error quotes it."""
    wrong = TablebaseError(f"--catalog names no PostgreSQL database: write its URL as {EXAMPLE}")
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise wrong from None
    if parsed.drivername not in SCHEMES:
        raise wrong
    return parsed.set(drivername="postgresql+psycopg")


def _digest_of_definitions(connection: Connection) -> str:
    """SHA-256 of all definitions as the server writes them."""
    rows = connection.exec_driver_sql(DEFINITIONS, (NAMES,))
    return hashlib.sha256(json.dumps([list(row) for row in rows]).encode()).hexdigest()


def _reason(fault: BaseException) -> str:
    """What the server or the driver says of a fault, in one line."""
    return getattr(getattr(fault, "diag", None), "message_primary", None) or " ".join(str(fault).split())


def _statement_reason(statement: str, fault: BaseException) -> str:
    """What is wrong with a statement, and a hint where that does not say enough."""
    reason = _reason(fault)
    first = re.match(r"\s*(\w*)", statement)
    if isinstance(fault, psycopg.errors.SyntaxError) and first and first[1].upper() not in ("SELECT", "WITH", "VALUES", "TABLE"):
        return f"{reason} (only SELECT is allowed)"
    if isinstance(fault, psycopg.errors.FeatureNotSupported | psycopg.errors.ReadOnlySqlTransaction):
        return f"{reason} (only reading is allowed)"
    if reason in ('relation "positions" does not exist', 'relation "distinct_positions" does not exist'):
        return f"{reason} (ask it with 'tablebase mine')"
    return reason


def _plain(value: Any) -> Any:
    """A value as SQLite would have it: numbers, bytes, and text for everything else."""
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value.as_tuple().exponent == 0 else float(value)
    return value if value is None or isinstance(value, bool | int | float | str | bytes) else str(value)
