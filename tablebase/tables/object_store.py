"""Files in an object store, such as ``s3://bucket/path``, through `fsspec`: read and written whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tablebase.errors import TablebaseError, check_extra, quoted


def is_url(place: str) -> bool:
    """Return whether a place is the address of an object store, and not a folder."""
    return "://" in place


class ObjectStore:
    """A place in an object store; all methods raise `TablebaseError` for whatever the store refuses."""

    def __init__(self, url: str) -> None:
        """The URL is in a scheme that `fsspec` knows; raise `MissingExtraError` if that or `s3fs` is not installed."""
        check_extra("object stores", "store")
        import fsspec.core

        self.url = url.rstrip("/")
        with self._guard():
            self._files, self._root = fsspec.core.url_to_fs(self.url)

    def has(self, file: str) -> bool:
        """Return whether there is a file of this name, which is relative to the place."""
        with self._guard():
            return bool(self._files.exists(self._path(file)))

    def get(self, file: str, path: Path) -> None:
        """Copy a file to the disk."""
        with self._guard():
            self._files.get_file(self._path(file), str(path))

    def put(self, path: Path, file: str) -> None:
        """Copy a file from the disk, in place of an older one."""
        with self._guard():
            self._files.put_file(str(path), self._path(file))

    def _path(self, file: str) -> str:
        return f"{self._root.rstrip('/')}/{file}"

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn whatever a store's own package raises into one sentence."""
        try:
            yield
        except Exception as error:
            reason = " ".join(f"{type(error).__name__} {error}".split())
            raise TablebaseError(f"{self.url} cannot be used ({quoted(reason)}): check the address and your permissions") from error
