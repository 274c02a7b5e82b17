"""PostgreSQL's own part of a catalog: the server, connections, and statements that only read.

A schema of a database holds the catalog of one folder. Both have the same id: a row of the table `HOME`, and a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import errors
from sqlalchemy import Column, Connection, MetaData, NullPool, String, Table, create_engine, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from tablebase.catalog.database import Answer, Database, Patience, statement_error
from tablebase.catalog.schema import METADATA, version_of
from tablebase.catalog.urls import parsed_url, place_of, without_password
from tablebase.errors import (
    CatalogBusyError,
    CorruptCatalogError,
    TablebaseError,
    TimeLimitError,
    UnusableFileError,
    shell_word,
    space_error,
)
from tablebase.tables.folder import default_catalog

ID_FILE = ".catalog-id"
"""In the folder: the id that the table `HOME` of its catalog has in its only row."""
HOME = Table("tablebase", MetaData(), Column("folder", String, nullable=False))
REFUSALS = (
    ((errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction), "used", "ask its owner for the right, or use another database"),
    (errors.DependentObjectsStillExist, "rebuilt", "drop what depends on its tables, and make it again"),
    ((psycopg.OperationalError, psycopg.InterfaceError), "reached", "check the server, and the URL that --catalog names"),
)
"""Kinds of errors, what cannot be done with the catalog then, and what to do."""
NAMES = list(METADATA.tables)
OF_STATEMENTS = ("08P01", "54")
"""Beginnings of SQLSTATEs that say a statement has parameters, or is too large, though the driver takes them for operational."""
LOCK = f"SELECT pg_try_advisory_xact_lock({int.from_bytes(b'tbls')}, hashtext(current_schema()))"
OURS = "relnamespace = current_schema()::regnamespace AND relname = ANY(%s)"
HOOKS = f"""
SELECT concat('the trigger "', tgname, '" on the table "', relname, '"') FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid
WHERE NOT tgisinternal AND {OURS}
UNION ALL
SELECT concat('the rule "', rulename, '" on the table "', relname, '"') FROM pg_rewrite JOIN pg_class AS c ON c.oid = ev_class
WHERE relkind = 'r' AND {OURS}
"""
RIGHTS = f"""
SELECT current_user, current_schema(), pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean,
    has_schema_privilege(current_schema(), 'CREATE'),
    (SELECT min(relname) FROM pg_class WHERE {OURS} AND NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE')
     WHEN 'r' THEN has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
     ELSE true END)
"""
"""The last column is one of our tables, or a sequence of their numbers, that the role may not change."""
MAY_WRITE_FILES = "SELECT pg_has_role('pg_write_server_files', 'MEMBER') OR pg_has_role('pg_execute_server_program', 'MEMBER')"
"""A superuser has every role."""


class PostgresqlDatabase(Database):
    """A schema of a PostgreSQL database, the first of the search path; its URL is written as SQLAlchemy does."""

    faults = (SQLAlchemyError, psycopg.Error)

    def __init__(self, folder: Path, url: str, patience: float | None) -> None:
        super().__init__(folder, patience)
        self._url = parsed_url(url)
        # The password is left out; the environment names the whole URL by itself.
        self.place = place_of(url)
        self.option = "" if url == default_catalog() else f" --catalog {shell_word(self.place)}"
        self.another = "name another database or schema with --catalog"
        options = {"connect_timeout": 10, "application_name": "tablebase"}
        # A writer that has waited must see the changes of the one before, whatever the server's default is.
        level = "READ COMMITTED"
        self._engine = create_engine(
            self._url, poolclass=NullPool, isolation_level=level, use_native_hstore=False, connect_args=options
        )

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction that reads one state, and may change none."""
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._begin(connection)
            yield connection

    @contextmanager
    def changes(self, *, rebuilds: bool = False) -> Iterator[Connection]:  # noqa: ARG002 (each row that is deleted is ours)
        """A transaction that holds the lock of the schema."""
        patience = Patience(self.place, self.patience)
        with self._engine.begin() as connection:
            while connection.exec_driver_sql(LOCK).scalar() is False:
                patience.wait()
            self._begin(connection)
            yield connection

    def _begin(self, connection: Connection) -> None:
        """Limit the time to wait for locks, and check that this is not the catalog of another folder."""
        # Zero would be no limit.
        limit = 0 if self.patience is None else max(1, round(1000 * self.patience))
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {limit}")
        if connection.exec_driver_sql("SELECT current_schema()").scalar() is None:
            name = str(connection.exec_driver_sql("SHOW search_path").scalar()).split(",")[-1].strip()
            url = without_password(self._url).set(drivername="postgresql").difference_update_query(["options"])
            command = f"psql {shell_word(url.render_as_string())} --command {shell_word(f'CREATE SCHEMA {name}')}"
            raise TablebaseError(f"{self.place} has no schema {name}: run '{command}'").naming(url.render_as_string())
        if inspect(connection).has_table(HOME.name) and connection.scalar(select(HOME.c.folder)) != self._folder_id():
            other = "name that one with --data, or another database or schema with --catalog"
            raise TablebaseError(f"{self.place} holds the catalog of another folder than {self.folder}: {other}")

    def version(self, connection: Connection) -> int | None:
        """Other programs may have tables of the same names, but not the one with the id of a folder."""
        return (version_of(connection) or 0) if inspect(connection).has_table(HOME.name) else None

    def make(self, connection: Connection) -> None:
        """Make the schema, and a table with the folder's id."""
        super().make(connection)
        HOME.drop(connection, checkfirst=True)
        HOME.create(connection)
        if self._folder_id() is None:
            # Imported here because reading the catalog needs no HDF5.
            from tablebase.files.outputs import write_text

            write_text(self.folder / ID_FILE, f"{uuid4()}\n", "use another folder", own=True)
        connection.execute(insert(HOME).values(folder=self._folder_id()))

    def hooks(self, connection: Connection) -> list[str]:
        """The triggers and rules on our tables."""
        return list(connection.exec_driver_sql(HOOKS, (NAMES, NAMES)).scalars())

    def lacks_rights(self, connection: Connection) -> TablebaseError | None:
        """The error that the role may not make and change all tables; None if it may."""
        names = NAMES + [f"{name}_id_seq" for name in NAMES]
        role, schema, is_copy, may_make, locked = connection.exec_driver_sql(RIGHTS, (names,)).one()
        if is_copy:
            return TablebaseError(f"{self.place} can only be read: name another server or role with --catalog")
        if locked is not None:
            rights = f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}"
            more = f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"
            cure = f'ask its owner to run "{rights}; {more}", or name another role or database with --catalog'
            return TablebaseError(f"{role} may only read {self.place} ({locked!r}, for one): {cure}")
        if not may_make and self.version(connection) is None:
            return self.error(errors.InsufficientPrivilege(f"permission denied for schema {schema}"))
        return None

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
        except errors.QueryCanceled as fault:
            raise (self.error(fault) if timeout is None else TimeLimitError(timeout)) from fault
        except (psycopg.Error, UnicodeError) as fault:
            if isinstance(fault, psycopg.OperationalError) and not (fault.sqlstate or "").startswith(OF_STATEMENTS):
                raise self.error(fault) from fault
            reason = _reason(fault)
            if isinstance(fault, errors.SyntaxError) and not re.match(r"\s*(SELECT|WITH|VALUES|TABLE)\b", statement, re.IGNORECASE):
                reason += " (only SELECT is allowed)"
            elif isinstance(fault, errors.FeatureNotSupported | errors.ReadOnlySqlTransaction):
                reason += " (only reading is allowed)"
            raise statement_error(reason) from fault

    def error(self, fault: Exception) -> TablebaseError:
        """The sentence for a fault of PostgreSQL or its driver."""
        cause = getattr(fault, "orig", None) or fault
        code, reason = getattr(cause, "sqlstate", None) or "", _reason(cause)
        if isinstance(cause, errors.LockNotAvailable):
            return CatalogBusyError(self.place)
        if code.startswith("53") and not isinstance(cause, errors.TooManyConnections):
            return space_error(self.place, reason, "use another server")
        if isinstance(cause, errors.DependentObjectsStillExist):
            reason = " ".join((cause.diag.message_detail or reason).split())
        for kinds, fate, cure in REFUSALS:
            if isinstance(cause, kinds):
                # The folder of a socket is none of a client's business.
                return UnusableFileError(f"{self.place} cannot be {fate} ({reason}): {cure}").naming(self._url.query.get("host"))
        return CorruptCatalogError(f"is damaged ({reason})", self.place, self.cure)

    def _folder_id(self) -> str | None:
        file = self.folder / ID_FILE
        return file.read_text(encoding="utf-8").strip() if file.exists() else None


def _reason(fault: BaseException) -> str:
    """What the server or the driver says of a fault, in one line."""
    return getattr(getattr(fault, "diag", None), "message_primary", None) or " ".join(str(fault).split())


def _plain(value: Any) -> Any:
    """A value as SQLite would have it: numbers, bytes, and text for everything else."""
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value.as_tuple().exponent == 0 else float(value)
    return value if value is None or isinstance(value, bool | int | float | str | bytes) else str(value)
