"""A catalog in PostgreSQL: a schema holds that of one folder, and both have the same id, a row of `HOME` and a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import sqlalchemy as sql
from psycopg import errors
from sqlalchemy import URL, Connection

from tablebase import errors as sentences
from tablebase.catalog.database import Answer, Database, Patience, statement_error
from tablebase.catalog.schema import METADATA, version_of
from tablebase.errors import TablebaseError, shell_word
from tablebase.system.files.outputs import write_text
from tablebase.tables.folder import default_catalog

# ruff: noqa: ARG002, D102 (see `Database`)

ID_FILE = ".catalog-id"
HOME = sql.Table("tablebase", sql.MetaData(), sql.Column("folder", sql.String, nullable=False))
DENIED = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)
REFUSALS = (
    (DENIED, "used", "ask its owner for permission, or use another database"),
    (errors.DependentObjectsStillExist, "rebuilt", "drop the objects that depend on its tables, and create them again later"),
    ((psycopg.OperationalError, psycopg.InterfaceError), "reached", "check the server, and the URL given to --catalog"),
)
"""Kinds of errors, what cannot be done with the catalog then, and what to do."""
NAMES = list(METADATA.tables)
LOCK = f"SELECT pg_try_advisory_xact_lock({int.from_bytes(b'tbls')}, hashtext(current_schema()))"
OURS = "relnamespace = current_schema()::regnamespace AND relname = ANY(%s)"
HOOKS = f"""
SELECT concat('the trigger "', tgname, '" on the table "', relname, '"') FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid
WHERE NOT tgisinternal AND {OURS}
UNION ALL SELECT concat('the rule "', rulename, '" on the table "', tablename, '"') FROM pg_rules
WHERE schemaname = current_schema() AND tablename = ANY(%s)
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


def parsed_url(url: str) -> URL:
    """A URL of a PostgreSQL database; it may hold a password, so that no error quotes it."""
    parsed = None
    with suppress(sql.exc.ArgumentError, ValueError):
        parsed = sql.make_url(url)
    if parsed is None or parsed.drivername not in ("postgresql", "postgresql+psycopg", "postgres"):
        raise TablebaseError("invalid --catalog: expected a PostgreSQL URL, such as postgresql+psycopg://USER@HOST/DATABASE")
    # A password would end at its first @, and the rest would be the host, which errors name.
    if "@" in f"{parsed.host}{parsed.database}" or (parsed.password and url.partition("://")[2].count("@") > 1):
        raise TablebaseError("the URL given to --catalog has more than one @: write an @ in a name or password as %40")
    return parsed.set(drivername="postgresql+psycopg")


def without_password(url: URL) -> str:
    """A URL as errors show it, and as commands can be given it: libpq finds the password in PGPASSWORD or ``~/.pgpass``."""
    return url.difference_update_query(["password", "sslpassword"])._replace(password=None).render_as_string()


class PostgresqlDatabase(Database):
    """A schema of a PostgreSQL database, the first of the search path; its URL is written as SQLAlchemy does."""

    errors = (sql.exc.SQLAlchemyError, psycopg.Error)
    another = "choose another database or schema with --catalog"

    def __init__(self, folder: Path, url: str, patience: float | None) -> None:
        super().__init__(folder, patience)
        self._url = parsed_url(url)
        self.place = without_password(self._url)
        # The environment names the whole URL by itself.
        self.option = "" if url == default_catalog() else f" --catalog {shell_word(self.place)}"
        named = {"connect_timeout": 10, "application_name": "tablebase"}
        # A writer that has waited must see the changes of the one before, whatever the server's default is.
        more: Any = {"isolation_level": "READ COMMITTED", "poolclass": sql.NullPool, "use_native_hstore": False}
        self._engine = sql.create_engine(self._url, connect_args=named, **more)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield self._begun(connection)

    @contextmanager
    def changes(self, *, rebuilds: bool = False) -> Iterator[Connection]:
        patience = Patience(self.place, self.patience)
        with self._engine.begin() as connection:
            while connection.exec_driver_sql(LOCK).scalar() is False:
                patience.wait()
            yield self._begun(connection)

    def _begun(self, connection: Connection) -> Connection:
        """Limit the time to wait for locks, and check that this is not the catalog of another folder."""
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_milliseconds(self.patience)}")
        if connection.exec_driver_sql("SELECT current_schema()").scalar() is None:
            name = str(connection.exec_driver_sql("SHOW search_path").scalar()).split(",")[-1].strip()
            url = without_password(self._url.set(drivername="postgresql").difference_update_query(["options"]))
            command = f"psql {shell_word(url)} --command {shell_word(f'CREATE SCHEMA {name}')}"
            raise TablebaseError(f"{self.place} has no schema {name}: run '{command}'").naming(url)
        if sql.inspect(connection).has_table(HOME.name) and connection.scalar(sql.select(HOME.c.folder)) != self._folder_id():
            other = "choose that folder with --data, or another database or schema with --catalog"
            raise TablebaseError(f"{self.place} contains the catalog of a folder other than {self.folder}: {other}")
        return connection

    def version(self, connection: Connection) -> int | None:
        """Other programs may have tables of the same names, but not the one with the id of a folder."""
        return (version_of(connection) or 0) if sql.inspect(connection).has_table(HOME.name) else None

    def make(self, connection: Connection) -> None:
        super().make(connection)
        HOME.drop(connection, checkfirst=True)
        HOME.create(connection)
        if self._folder_id() is None:
            write_text(self.folder / ID_FILE, f"{uuid4()}\n", "use another folder", own=True)
        connection.execute(sql.insert(HOME).values(folder=self._folder_id()))

    def hooks(self, connection: Connection) -> list[str]:
        return list(connection.exec_driver_sql(HOOKS, (NAMES, NAMES)).scalars())

    def lacks_rights(self, connection: Connection) -> TablebaseError | None:
        names = NAMES + [f"{name}_id_seq" for name in NAMES]
        role, schema, is_copy, may_make, locked = connection.exec_driver_sql(RIGHTS, (names,)).one()
        if is_copy:
            return TablebaseError(f"{self.place} is read-only: choose another server or role with --catalog")
        if locked is not None:
            rights = "INSERT, UPDATE, DELETE ON ALL TABLES", "USAGE ON ALL SEQUENCES"
            grants = "; ".join(f"GRANT {right} IN SCHEMA {schema} TO {role}" for right in rights)
            hint = f'ask its owner to run "{grants}", or choose another role or database with --catalog'
            return TablebaseError(f"the role {role} cannot write to {self.place} (such as {locked!r}): {hint}")
        if not may_make and self.version(connection) is None:
            return self.error(errors.InsufficientPrivilege(f"permission denied for schema {schema}"))
        return None

    def query(self, connection: Connection, statement: str, timeout: float | None) -> Answer:
        """See `Database.query`; only a SELECT or VALUES defines a cursor, and a superuser, who could write files, is refused."""
        if connection.exec_driver_sql(MAY_WRITE_FILES).scalar_one():
            raise TablebaseError("this role can write files on the server, so statements are refused: connect as another role")
        driver: Any = connection.connection.driver_connection
        try:
            # What a function may have changed is taken back.
            with driver.transaction(force_rollback=True), driver.cursor(name="answer") as cursor:
                driver.execute(f"SET LOCAL statement_timeout = {_milliseconds(timeout)}")
                # Otherwise, and where a server cannot do this, it does not notice that nobody waits for the answer any more.
                with suppress(psycopg.Error), driver.transaction():
                    driver.execute("SET LOCAL client_connection_check_interval = '1s'")
                cursor.execute(statement)
                rows = [tuple(map(_plain, row)) for row in cursor.fetchall()]
                return [column.name for column in cursor.description], rows
        except errors.QueryCanceled as error:
            raise (self.error(error) if timeout is None else sentences.TimeLimitError(timeout)) from error
        except (psycopg.Error, UnicodeError) as error:
            # The driver also takes a statement with parameters, or one that is too large, for an operational error.
            if isinstance(error, psycopg.OperationalError) and not (error.sqlstate or "").startswith(("08P01", "54")):
                raise self.error(error) from error
            reason = _reason(error)
            is_query = statement.lstrip().upper().startswith(("SELECT", "WITH", "VALUES", "TABLE"))
            if isinstance(error, errors.SyntaxError) and not is_query:
                reason += " (only SELECT is allowed)"
            elif isinstance(error, errors.FeatureNotSupported | errors.ReadOnlySqlTransaction):
                reason += " (only reading is allowed)"
            raise statement_error(reason) from error

    def error(self, error: Exception) -> TablebaseError:
        cause = getattr(error, "orig", None) or error
        reason = _reason(cause)
        if isinstance(cause, errors.LockNotAvailable):
            return sentences.CatalogBusyError(self.place)
        if (getattr(cause, "sqlstate", None) or "").startswith("53") and not isinstance(cause, errors.TooManyConnections):
            return sentences.space_error(self.place, reason, "use another server")
        for kinds, fate, hint in REFUSALS:
            if isinstance(cause, kinds):
                # A client need not know the folder of a socket.
                refused = sentences.UnusableFileError(f"{self.place} cannot be {fate} ({reason}): {hint}")
                return refused.naming(self._url.query.get("host"))
        return sentences.CorruptCatalogError(f"is damaged ({reason})", self.place, self.hint)

    def _folder_id(self) -> str | None:
        file = self.folder / ID_FILE
        return file.read_text(encoding="utf-8").strip() if file.exists() else None


def _milliseconds(seconds: float | None) -> int:
    return 0 if seconds is None else max(1, round(1000 * seconds))


def _reason(error: BaseException) -> str:
    """Return an error's message by server or driver, in one line; of what depends on our tables, the detail."""
    named = "message_detail" if isinstance(error, errors.DependentObjectsStillExist) else "message_primary"
    return " ".join((getattr(getattr(error, "diag", None), named, None) or str(error)).split())


def _plain(value: Any) -> Any:
    """A value as SQLite would have it: numbers, bytes, and text for everything else."""
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value.as_tuple().exponent == 0 else float(value)
    return value if value is None or isinstance(value, bool | int | float | str | bytes) else str(value)
