"""Values of parameters that need no pydantic, with which recent versions of typer convert all values: it is slow to load."""

from __future__ import annotations

import os
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any


class PlainValues:
    """A command of typer that converts what `plain_value` does without pydantic, and everything else as before.

    In versions of typer without pydantic, this changes nothing.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of the command, --help included."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if hasattr(parameter, "get_runtime_param") and "get_runtime_param" not in vars(parameter):
                parameter.get_runtime_param = partial(_Conversion, parameter.get_runtime_param)
        return parameters


class _Conversion:
    """What typer calls to convert a value."""

    def __init__(self, by_typer: Any) -> None:
        self._by_typer = by_typer

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a value; None if the parameter is not given."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        plain = plain_value(value, param.type_descriptor.annotation)
        return self._by_typer().coerce(value, param=param, ctx=ctx) if plain is None else plain


def plain_value(value: object, kind: Any) -> Any:
    """A text, a path, a word of an enumeration or a list of texts or paths as its kind; None if it is of another kind, or refused.

    Examples
    --------
    >>> plain_value("data", Path), plain_value(["a", "b"], list[str]), plain_value("3", int)
    (PosixPath('data'), ['a', 'b'], None)
    """
    if kind == list[str] and isinstance(value, list | tuple):
        return list(value) if all(map(_is_text, value)) else None
    if kind == list[Path] and isinstance(value, list | tuple):
        paths = [plain_value(one, Path) for one in value]
        return None if None in paths else paths
    if kind is str:
        return value if _is_text(value) else None
    if kind is Path and (isinstance(value, Path) or _is_text(value)):
        path = Path(str(value))
        return path if not path.exists() or os.access(path, os.R_OK) else None
    if isinstance(kind, type) and issubclass(kind, Enum):
        with suppress(ValueError):
            return kind(value)
    return None


def _is_text(value: object) -> bool:
    """Whether this is a text without the surrogates that stand for bytes of a command line in another encoding."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
