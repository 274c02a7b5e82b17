"""What is particular to PostgreSQL: the server, connections, and statements that only read.

A schema of a database holds the catalog of one folder. The two know each other by an id, which is both in the database
and in a file of the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from sqlalchemy import Column, Connection, Engine, MetaData, NullPool, String, Table, create_engine, func, insert, inspect, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from tablebase.catalog.database import PATIENCE, Answer, Database
from tablebase.catalog.schema import Base, version_of
from tablebase.errors import CorruptCatalogError, TablebaseError, TimeLimitError, UnusableFileError, shell_word, space_error
from tablebase.tables.folder import default_catalog

ID_FILE = ".catalog-id"
"""In the folder: which catalog is the folder's."""
HOME = Table("tablebase", MetaData(), Column("folder", String, nullable=False))
"""One row: the id of the folder."""
NAMES = list(Base.metadata.tables)
LOCK = int.from_bytes(b"tbls")
"""The first key of the lock that a transaction which changes a catalog holds; the second is the schema."""
SCHEMES = ("postgresql", "postgresql+psycopg", "postgres")
EXAMPLE = "postgresql+psycopg://USER@HOST/DATABASE"
CONNECT_SECONDS = 10
OF_STATEMENTS = ("08P01", "54")
"""Beginnings of SQLSTATEs that say a statement has parameters, or is too large, though the driver takes them for operational."""

OURS = "relnamespace = current_schema()::regnamespace AND relname = ANY(%s)"
HOOKS = f"""
SELECT concat('the trigger "', tgname, '" on the table "', relname, '"') FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid
WHERE NOT tgisinternal AND {OURS}
UNION ALL
SELECT concat('the rule "', rulename, '" on the table "', relname, '"') FROM pg_rewrite JOIN pg_class AS c ON c.oid = ev_class
WHERE relkind = 'r' AND {OURS}
"""
LOCKED = f"""
SELECT relname FROM pg_class WHERE {OURS} AND relkind IN ('r', 'S') AND NOT CASE relkind
    WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE')
    ELSE has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') END
ORDER BY relname
"""
"""Our tables, and the sequences of their numbers, that the role may not change."""
MAY_WRITE_FILES = """
SELECT pg_has_role(current_user, 'pg_write_server_files', 'MEMBER')
    OR pg_has_role(current_user, 'pg_execute_server_program', 'MEMBER')
"""
"""A superuser has every role."""


class PostgresqlDatabase(Database):
    """A schema of a PostgreSQL database, the first of the search path; its URL is written as SQLAlchemy does."""

    faults = (SQLAlchemyError, psycopg.Error)

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder)
        self._url = _parsed(url)
        # The password is left out; the environment names the whole URL by itself.
        self.place = without_password(self._url).render_as_string()
        self.option = "" if url == default_catalog() else f" --catalog {shell_word(self.place)}"
        self.another = "name another database or schema with --catalog"

    @cached_property
    def _engine(self) -> Engine:
        options = {"connect_timeout": CONNECT_SECONDS, "application_name": "tablebase"}
        # What has waited for the lock must see what the other has written, whatever the server's default is.
        return create_engine(
            self._url, poolclass=NullPool, isolation_level="READ COMMITTED", use_native_hstore=False, connect_args=options
        )

    def exists(self) -> bool:
        """Whether the schema holds a catalog."""
        with self._engine.connect() as connection:
            self._check_schema(connection)
            return inspect(connection).has_table(HOME.name)

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

    def version(self, connection: Connection) -> int | None:
        """Other programs may have tables of the same names, but not the one with the id of a folder."""
        return (version_of(connection) or 0) if inspect(connection).has_table(HOME.name) else None

    def make(self, connection: Connection) -> None:
        """Make the schema, and a table with the folder's id."""
        super().make(connection)
        HOME.drop(connection, checkfirst=True)
        HOME.create(connection)
        connection.execute(insert(HOME).values(folder=self._folder_id() or self._new_id()))

    def hooks(self, connection: Connection) -> list[str]:
        """The triggers and rules on our tables."""
        return list(connection.exec_driver_sql(HOOKS, (NAMES, NAMES)).scalars())

    def check_rights(self, connection: Connection) -> None:
        """Raise an error unless the role may change all tables; it is asked before work that takes hours."""
        role, schema, copy = connection.exec_driver_sql(
            "SELECT current_user, current_schema(), current_setting('transaction_read_only')"
        ).one()
        if copy == "on":
            raise TablebaseError(f"{self.place} can only be read: name another server or role with --catalog")
        if locked := connection.exec_driver_sql(LOCKED, (NAMES + [f"{name}_id_seq" for name in NAMES],)).scalars().all():
            rights = f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}"
            more = f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"
            cure = f'ask its owner to run "{rights}; {more}", or name another role or database with --catalog'
            raise TablebaseError(f"{role} may only read {self.place} ({locked[0]!r}, for one): {cure}")

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
        except (psycopg.Error, UnicodeError) as fault:
            state = getattr(fault, "sqlstate", None) or ""
            if isinstance(fault, psycopg.OperationalError) and not state.startswith(OF_STATEMENTS):
                raise self.error(fault) from fault
            raise TablebaseError(f"the SQL statement failed: {_statement_reason(statement, fault)}") from fault

    def error(self, fault: Exception) -> TablebaseError:
        """The sentence for a fault of PostgreSQL or its driver."""
        cause = getattr(fault, "orig", None) or fault
        code, reason = getattr(cause, "sqlstate", None) or "", _reason(cause)
        if isinstance(cause, psycopg.errors.LockNotAvailable):
            return UnusableFileError(f"{self.place} is being changed by another program: try again when it has finished")
        if code.startswith("53") and not isinstance(cause, psycopg.errors.TooManyConnections):
            return space_error(self.place, reason, "use another server")
        if isinstance(cause, psycopg.errors.InsufficientPrivilege | psycopg.errors.ReadOnlySqlTransaction):
            return TablebaseError(f"{self.place} cannot be used ({reason}): ask its owner for the right, or use another database")
        if isinstance(cause, psycopg.errors.DependentObjectsStillExist):
            detail = " ".join((cause.diag.message_detail or reason).split())
            return TablebaseError(f"{self.place} cannot be rebuilt ({detail}): drop what depends on its tables, and make it again")
        if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
            return TablebaseError(f"{self.place} cannot be reached ({reason}): check the server, and the URL that --catalog names")
        return CorruptCatalogError(f"is damaged ({reason})", self.place, self.cure)

    def _check_schema(self, connection: Connection) -> None:
        """Raise an error if the schema does not exist."""
        if connection.scalar(select(func.current_schema())) is None:
            name = str(connection.exec_driver_sql("SHOW search_path").scalar()).split(",")[-1].strip()
            url = without_password(self._url).set(drivername="postgresql").difference_update_query(["options"])
            command = f"psql {shell_word(url.render_as_string())} --command {shell_word(f'CREATE SCHEMA {name}')}"
            raise TablebaseError(f"{self.place} has no schema {name}: run '{command}'")

    def _check_folder(self, connection: Connection) -> None:
        """Raise an error if this is the catalog of another folder."""
        self._check_schema(connection)
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
        from tablebase.files.outputs import publish

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
    # Otherwise the password would end at its first @, and the rest would be the host, which errors name.
    behind = url.partition("://")[2].partition("@")[2]
    if "@" in f"{parsed.host}{parsed.database}" or (parsed.password is not None and "@" in behind):
        raise TablebaseError("--catalog has an @ beside the one before the host: write an @ in a name or password as %40")
    return parsed.set(drivername="postgresql+psycopg")


def without_password(url: URL) -> URL:
    """A URL as errors show it, and as commands can be given it: libpq finds the password in PGPASSWORD or ``~/.pgpass``."""
    query = {name: value for name, value in url.query.items() if name not in ("password", "sslpassword")}
    return URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)


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
