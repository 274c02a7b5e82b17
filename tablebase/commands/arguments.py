"""Arguments of the Python interface, checked; each check raises a `TablebaseError` that names the argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial, wraps
from inspect import signature
from itertools import chain, repeat
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from tablebase.commands import lib
from tablebase.commands.parameters import Parameter, parameters_of, words_of
from tablebase.commands.registry import check_verb
from tablebase.errors import ArgumentError
from tablebase.game import plain_arguments as plain
from tablebase.system.compute.messages import brief

if TYPE_CHECKING:
    import pyarrow as pa

    from tablebase.features import Feature
    from tablebase.game.game_arguments import AnyGame

Kind = TypeVar("Kind")
Given = ParamSpec("Given")


@brief
class _List(list[Any]):
    """A list with a short `repr`."""


@brief
class _Tuple(tuple[Any, ...]):
    __slots__ = ()


@brief
class _Dict(dict[str, Any]):
    """A dict with a short `repr`."""


SHORT: dict[type, Any] = {list: _List, tuple: _Tuple, dict: _Dict}
CHECKS: dict[frozenset[Any], Callable[[str, Any], Any]] = {
    frozenset({float}): plain.as_real,
    frozenset({str}): plain.as_text,
    frozenset({str, Path}): plain.as_path,
    frozenset({str, Sequence[str]}): plain.as_texts,
}
"""By the types that a parameter may have, beside None."""


def checked(function: Callable[Given, Kind]) -> Callable[Given, Kind]:
    """Check the arguments of a public function by their annotations before it is called; its result is `shortened`.

    Whole numbers are not below the least one, words are known, one text becomes a list where several are allowed, and a path
    becomes an object. Other types, and texts to parse, are left to the function.
    """
    names = list(signature(function).parameters)

    @cache
    def checks() -> dict[str, Callable[[str, Any], Any]]:
        return {one.name: check for one in parameters_of(function) if (check := _check_of(one))}

    def seen(name: str, value: Any) -> Any:
        return checks()[name](name, value) if name in checks() else value

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Kind:
        first: list[Any] = [seen(name, value) for name, value in zip(chain(names, repeat("")), given, strict=False)]
        return shortened(function(*first, **{name: seen(name, value) for name, value in named.items()}))

    return called


def shortened(found: Kind) -> Kind:
    """The result of a public function; a plain list, tuple or dict gets a `repr` that fits on a screen."""
    short = SHORT.get(type(found))
    return found if short is None else short(found)


def _check_of(one: Parameter) -> Callable[[str, Any], Any] | None:
    kinds = frozenset(one.kinds) - {type(None)} if one.shell.parse is None else frozenset()
    check = partial(plain.as_number, least=int(one.shell.least or 0)) if kinds == {int} else CHECKS.get(kinds)
    if words := words_of(kinds):
        check = partial(as_word, words)
    return partial(as_optional, check) if check and type(None) in one.kinds else check


def rules_for(verb: str, game: AnyGame, size: str | None, variant: str | Sequence[str] | None, players: int | None = None) -> Any:
    """The game of a command, which takes it."""
    rules = lib.game_arguments.as_rules(game, size, variant, players)
    check_verb(verb, rules)
    return rules


def as_folder(data: str | Path | None) -> Path:
    """The folder of the tables."""
    return lib.folder.default_folder() if data is None else plain.as_path("data", data)


def optional_folder(data: str | Path | None) -> Path | None:
    """The folder of the tables, or None if it does not exist; one that is not the usual folder must exist."""
    folder = as_folder(data)
    lib.folder.check_folder(folder, built=data is not None and folder != Path("data"))
    return folder if folder.exists() else None


def as_catalog(catalog: str | None) -> str | None:
    """The URL of the catalog; None for the file in the folder."""
    return lib.folder.default_catalog() if catalog is None else plain.as_text("catalog", catalog)


def as_counts(pieces: Any) -> range | None:
    """Numbers of pieces."""
    if isinstance(pieces, str):
        return plain.parse_pieces(pieces)
    if pieces is None or (isinstance(pieces, range) and len(pieces)):
        return pieces
    count = plain.as_number("pieces", pieces, expected="a number such as 3 or a range such as range(2, 5)")
    return range(count, count + 1)


def as_optional(check: Callable[[str, Any], Kind], name: str, value: Any) -> Kind | None:
    """An argument that may be left out."""
    return None if value is None else check(name, value)


def as_time(name: str, value: Any) -> float:
    """Seconds since the epoch."""
    if isinstance(value, datetime):
        value = value.isoformat()
    return plain.parse_time(value) if isinstance(value, str) else plain.as_real(name, value)


def as_duration(name: str, value: Any) -> float:
    """Seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    return plain.parse_duration(value) if isinstance(value, str) else plain.as_real(name, value)


def known_features(game: Any, features: Any) -> tuple[Feature, ...]:
    """The features of a game's positions, with those of the user or of a file."""
    if isinstance(features, (str, PathLike)):
        features = lib.game_features.load_features(plain.as_path("features", features))
    elif features is not None:
        features = plain.as_list("features", features, "[my_feature]")
        for one in features:
            if not isinstance(one, lib.features.Feature):
                raise plain.refused("each of features", "a Feature", one)
    return lib.common_features.features_of(game, features or ())


def as_tables(tables: Any) -> Mapping[str, Path | str | pa.Table]:
    """The user's tables by name, perhaps from texts such as ``games=games.parquet``."""
    import pyarrow as pa

    if tables is None or isinstance(tables, (list, tuple)):
        return lib.own_tables.named_files(plain.as_texts("table", tables))
    if not isinstance(tables, Mapping):
        raise plain.refused("table", "a dict of tables or files by name", tables)
    for name, table in tables.items():
        plain.as_text("the name of a table", name)
        if not isinstance(table, pa.Table):
            plain.as_path(f"the table {name}", table)
    return tables


def as_column_names(columns: str | Iterable[str] | None) -> list[str] | None:
    """Names of columns, from a list or from one text with commas."""
    listed = columns.split(",") if isinstance(columns, str) else columns
    return (
        None if listed is None else [plain.as_text("a column", name).strip() for name in plain.as_list("columns", listed, "['p1']")]
    )


def as_word(words: Sequence[str], name: str, value: Any) -> str:
    """One of some words."""
    if value not in words:
        raise plain.refused(name, " or ".join(repr(str(one)) for one in words), value, ArgumentError)
    return str(value)
