"""A private PostgreSQL server in a temporary folder, for tests and torture; it ends with this process at the latest."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil
import psycopg
from psycopg import sql

USER = "postgres"
"""Whom the server runs as if this process is the superuser, as whom it refuses to run; and its own superuser."""
ROLE, PASSWORD = "tablebase", "open:sesame@home"
PATIENCE = 60.0
"""Seconds within which a server must start, also after a crash."""
OPTIONS = {
    "listen_addresses": "",
    # What a killed process has written is not lost with it.
    "fsync": "off",
    "max_wal_size": "64MB",
    "shared_buffers": "16MB",
    # Catalogs are small and soon gone: tidying up and compiling statements cost more than they gain.
    "autovacuum": "off",
    "jit": "off",
}
ACCESS = f"local all {USER} trust\nlocal all all scram-sha-256\n"
SET_PARENT_DEATH_SIGNAL = 1


def binaries() -> Path | None:
    found = shutil.which("initdb")
    if found and shutil.which("postgres", path=str(Path(found).resolve().parent)):
        return Path(found).resolve().parent
    # Where Debian puts them.
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    return max((one for one in folders if (one / "initdb").exists()), key=lambda one: int(one.parent.name), default=None)


class Server:
    """A running server of these programs, with a role that may log in by a password, and a database of its own."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # Short, since the name of a socket has at most 107 bytes; and the server's user must reach it.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self._data = self.folder / "data"
        self._process: subprocess.Popen[str] | None = None
        try:
            if os.geteuid() == 0:
                shutil.chown(self.folder, USER)
            # An order of texts that is not that of their bytes.
            order = ("--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en")
            words = [str(programs / "initdb"), f"--pgdata={self._data}", f"--username={USER}", "--auth=trust", "--no-sync", *order]
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **self._user())
            if done.returncode:
                raise RuntimeError(done.stdout)
            (self._data / "pg_hba.conf").write_text(ACCESS)
            self.start()
            self.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'", f"CREATE DATABASE {ROLE} OWNER {ROLE}")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _user(self) -> dict[str, Any]:
        """Options that let a program run as the server's user."""
        return {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}

    def start(self) -> None:
        """Start it, again if it was killed, and wait until it answers."""
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text())
            # It ends at once as long as processes of one that was killed have not let go.
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()
            time.sleep(0.05)

    def _started(self) -> subprocess.Popen[str]:
        options = {**OPTIONS, "unix_socket_directories": str(self.folder)}
        words = [str(self._programs / "postgres"), "-D", str(self._data), *(f"--{name}={value}" for name, value in options.items())]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(words, stdout=log, stderr=log, text=True, preexec_fn=_end_with_parent, **self._user())

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError):
            self.run("SELECT 1")
            return True
        return False

    def kill(self) -> None:
        """Kill it as a crash would; its other processes end by themselves."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def processes(self) -> list[psutil.Process]:
        """All its processes but the first."""
        assert self._process is not None
        return psutil.Process(self._process.pid).children(recursive=True)

    def close(self) -> None:
        """End all its processes, and remove its folder."""
        if self._process is not None and self._process.poll() is None:
            # An orderly end takes seconds, and nothing that it saves is wanted.
            others = self.processes()
            self.kill()
            psutil.wait_procs(others, PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *statements: str | sql.Composable, database: str = "") -> None:
        """Run statements as the superuser of the server."""
        with psycopg.connect(host=str(self.folder), user=USER, dbname=database or USER, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[arg-type]

    def new_schema(self, name: str) -> str:
        """The URL of a new, empty schema."""
        self.run(f"CREATE SCHEMA {name} AUTHORIZATION {ROLE}", database=ROLE)
        return self.url(name)

    def url(self, schema: str, role: str = ROLE, password: str = PASSWORD, database: str = ROLE) -> str:
        """The URL of a schema."""
        from sqlalchemy.engine import URL

        query = {"host": str(self.folder), "options": f"-csearch_path={schema}"}
        url = URL.create("postgresql+psycopg", role, password, database=database, query=query)
        return url.render_as_string(hide_password=False)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGQUIT)
