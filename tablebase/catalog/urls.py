"""The URL that names a PostgreSQL database: as it is given, and as it is shown."""

from __future__ import annotations

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from tablebase.errors import TablebaseError


def parsed_url(url: str) -> URL:
    """A URL of a PostgreSQL database; it may hold a password, so that no error quotes it."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        parsed = None
    if parsed is None or parsed.drivername not in ("postgresql", "postgresql+psycopg", "postgres"):
        example = "postgresql+psycopg://USER@HOST/DATABASE"
        raise TablebaseError(f"--catalog names no PostgreSQL database: write its URL as {example}")
    # Otherwise the password would end at its first @, and the rest would be the host, which errors name.
    behind = url.partition("://")[2].partition("@")[2]
    if "@" in f"{parsed.host}{parsed.database}" or (parsed.password is not None and "@" in behind):
        raise TablebaseError("--catalog has an @ beside the one before the host: write an @ in a name or password as %40")
    return parsed.set(drivername="postgresql+psycopg")


def without_password(url: URL) -> URL:
    """A URL as errors show it, and as commands can be given it: libpq finds the password in PGPASSWORD or ``~/.pgpass``."""
    query = {name: value for name, value in url.query.items() if name not in ("password", "sslpassword")}
    return URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)


def place_of(url: str) -> str:
    """Return the name of a database in errors."""
    return without_password(parsed_url(url)).render_as_string()
