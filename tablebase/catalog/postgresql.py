"""A catalog in PostgreSQL: a schema holds that of one folder, and both have the same id, a row of `HOME` and a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import sqlalchemy as sql

from tablebase.catalog.database import Answer, Database, Patience
from tablebase.catalog.schema import METADATA, version_of
from tablebase.errors import CatalogBusyError, CorruptCatalogError, TablebaseError, UnusableFileError, shell_word, space_error
from tablebase.system.files.outputs import write_text
from tablebase.tables.folder import default_catalog

# ruff: noqa: ARG002, D102 (see `Database`)

ID_FILE = ".catalog-id"
HOME = sql.Table("tablebase", sql.MetaData(), sql.Column("folder", sql.String, nullable=False))
LOCK = f"SELECT pg_try_advisory_xact_lock({int.from_bytes(b'tbls')}, hashtext(current_schema()))"
RIGHTS = """
SELECT current_user, current_schema(), pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean
    OR NOT (to_regclass('tablebase') IS NOT NULL OR has_schema_privilege(current_schema(), 'CREATE')),
    (SELECT min(name) FROM unnest(%s::text[]) AS name, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS change
     WHERE NOT has_table_privilege(to_regclass(name), change))
"""
MAY_WRITE_FILES = "SELECT pg_has_role('pg_write_server_files', 'MEMBER') OR pg_has_role('pg_execute_server_program', 'MEMBER')"


def parsed_url(url: str) -> sql.URL:
    """A URL of a PostgreSQL database; it may hold a password, so that no error quotes it."""
    with suppress(sql.exc.ArgumentError, ValueError):
        # A password would end at its first @, and the rest would be the host, which errors name.
        if re.fullmatch(r"postgres(ql)?(\+psycopg)?://([^/:@]*(:[^@]*)?@)?[^@]*", url):
            return sql.make_url(url).set(drivername="postgresql+psycopg")
    wanted = "expected a PostgreSQL URL, such as postgresql+psycopg://USER@HOST/DATABASE, with %40 for an @ in a name or password"
    raise TablebaseError(f"invalid --catalog: {wanted}")


def without_password(url: sql.URL) -> str:
    """A URL as errors show it, and as commands can be given it: libpq finds the password in PGPASSWORD or ``~/.pgpass``."""
    query = url.difference_update_query(["password", "sslpassword"]).query
    return sql.URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query).render_as_string()


class PostgresqlDatabase(Database):
    """A schema of a PostgreSQL database, the first of the search path; its URL is written as SQLAlchemy does."""

    errors = (sql.exc.SQLAlchemyError, psycopg.Error, UnicodeError)
    another = "choose another database or schema with --catalog"
    hooks = """
    SELECT 'trigger', tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT 'rule', rulename, ev_class::regclass::text FROM pg_rewrite WHERE rulename <> '_RETURN'
    """

    def __init__(self, folder: Path, url: str, patience: float | None) -> None:
        super().__init__(folder, patience)
        self._url = parsed_url(url)
        self.place = without_password(self._url)
        # The environment names the whole URL by itself.
        self.option = "" if url == default_catalog() else f" --catalog {shell_word(self.place)}"
        # A writer that has waited must see the changes of the one before, whatever the server's default is.
        options: Any = {"isolation_level": "READ COMMITTED", "poolclass": sql.NullPool, "use_native_hstore": False}
        named = {"connect_timeout": 10, "application_name": "tablebase"}
        self._engine = sql.create_engine(self._url, connect_args=named, **options)
        self.readers = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        sql.event.listen(self._engine, "begin", self._begun)

    @contextmanager
    def changes(self, *, rebuilds: bool = False) -> Iterator[sql.Connection]:
        patience = Patience(self.place, self.patience)
        with self._engine.begin() as connection:
            while connection.exec_driver_sql(LOCK).scalar() is False:
                patience.wait()
            yield connection

    def _begun(self, connection: sql.Connection) -> None:
        """Limit the time to wait for locks, and check that there is a schema."""
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{self.patience or 0}s'")
        if connection.exec_driver_sql("SELECT current_schema()").scalar() is None:
            name = str(connection.exec_driver_sql("SHOW search_path").scalar()).split(",")[-1].strip()
            url = without_password(self._url.set(drivername="postgresql").difference_update_query(["options"]))
            command = f"psql {shell_word(url)} --command {shell_word(f'CREATE SCHEMA {name}')}"
            raise TablebaseError(f"{self.place} has no schema {name}: run '{command}'").naming(url)

    def version(self, connection: sql.Connection) -> int | None:
        """Other programs may have tables of the same names, but not the one with the id of a folder."""
        if not sql.inspect(connection).has_table(HOME.name):
            return None
        if connection.scalar(sql.select(HOME.c.folder)) != self._folder_id():
            other = "choose the right folder with --data, or another database or schema with --catalog"
            raise TablebaseError(f"the catalog in {self.place} belongs to a folder other than {self.folder}: {other}")
        return version_of(connection) or 0

    def make(self, connection: sql.Connection) -> None:
        super().make(connection)
        HOME.drop(connection, checkfirst=True)
        HOME.create(connection)
        if self._folder_id() is None:
            write_text(self.folder / ID_FILE, f"{uuid4()}\n", "use another folder", own=True)
        connection.execute(sql.insert(HOME).values(folder=self._folder_id()))

    def lacks_rights(self, connection: sql.Connection) -> TablebaseError | None:
        role, schema, is_closed, fixed = connection.exec_driver_sql(RIGHTS, (list(METADATA.tables),)).one()
        if is_closed:
            hint = "ask the database owner for permission, or choose another database with --catalog"
            return TablebaseError(f"the role {role} cannot write to {self.place}: {hint}")
        if fixed is not None:
            grant = f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}"
            hint = f'ask the owner to run "{grant}", or choose another role or database with --catalog'
            return TablebaseError(f"the role {role} cannot write to {fixed!r} and possibly other objects in {self.place}: {hint}")
        return None

    @contextmanager
    def only_reading(self, connection: sql.Connection) -> Iterator[Callable[[], object]]:
        """See `Database.only_reading`; a superuser, who has every role, could write files."""
        if connection.exec_driver_sql(MAY_WRITE_FILES).scalar_one():
            raise TablebaseError("the database role can write files on the server: use a role that cannot")
        driver: Any = connection.connection.driver_connection
        with connection.begin_nested() as statement:
            # Servers that can notice that a client has ended.
            with suppress(sql.exc.DBAPIError), connection.begin_nested():
                connection.exec_driver_sql("SET LOCAL client_connection_check_interval = '1s'")
            yield driver.cancel_safe
            # What a function may have changed is taken back.
            statement.rollback()

    def query(self, connection: sql.Connection, statement: str, timeout: float | None) -> Answer:
        names, rows = super().query(connection, statement, timeout)
        return names, [tuple(map(_plain, row)) for row in rows]

    def error(self, error: Exception) -> TablebaseError:
        reason = self.reason(error)
        match getattr(error, "orig", None) or error:
            case psycopg.errors.LockNotAvailable():
                return CatalogBusyError(self.place)
            case psycopg.errors.DiskFull() | psycopg.errors.OutOfMemory() | psycopg.errors.ConfigurationLimitExceeded():
                return space_error(self.place, reason, "use another server")
            case psycopg.errors.InsufficientPrivilege() | psycopg.errors.ReadOnlySqlTransaction():
                refused = f"used ({reason}): ask the owner for permission, or use another database"
            case psycopg.errors.DependentObjectsStillExist():
                refused = f"rebuilt ({reason}): drop the objects that depend on the catalog, and recreate them later"
            case psycopg.OperationalError() | psycopg.InterfaceError():
                refused = f"reached ({reason}): check the server, and the URL given to --catalog"
            case _:
                return CorruptCatalogError(f"is damaged ({reason})", self.place, self.hint)
        # A client need not know the folder of a socket.
        return UnusableFileError(f"{self.place} cannot be {refused}").naming(self._url.query.get("host"))

    def reason(self, error: Any) -> str:
        """The message by server or driver; of what depends on our tables, the detail."""
        cause = getattr(error, "orig", None) or error
        named = "message_detail" if isinstance(cause, psycopg.errors.DependentObjectsStillExist) else "message_primary"
        return getattr(getattr(cause, "diag", None), named, None) or super().reason(error)

    def _folder_id(self) -> str | None:
        file = self.folder / ID_FILE
        return file.read_text(encoding="utf-8").strip() if file.exists() else None


def _plain(value: Any) -> Any:
    """A value as SQLite would have it: numbers, bytes, and text for everything else."""
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else float(value)
    return value if isinstance(value, int | float | str | bytes | None) else str(value)
