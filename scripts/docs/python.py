"""The reference of Python: public names, the methods that a reader can call on them, and the types that these mention."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, get_args, get_origin, get_overloads, get_type_hints

from tablebase.game.features import Feature

MODULES = (
    "game",
    "game.functions",
    "game.compiled",
    "game.ranks",
    "game.kernels",
    "game.stochastic",
    "features",
    "testing",
    "svg",
)
"""Public modules of the package, besides the package itself."""
DEEPEST = 2
"""Steps from a public name to a type whose members are shown: a probe is one step from `Tablebase`, its moves are two."""
_shown: list[Any] = []


@cache
def _complete(name: str) -> None:
    """Give a module the names that it imports for type checkers only."""
    module = import_module(name)
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), name, "exec"), vars(module))


@cache
def _hints(annotated: Any) -> dict[str, Any]:
    """The annotations of a function or a class as types, without what is said to the command line."""
    _complete(annotated.__module__)
    _shown.append(annotated)
    every = get_type_hints(annotated, localns={"Feature": Feature})
    return {name: every[name] for name in annotated.__annotations__}


def resolve() -> None:
    """Replace the annotations of all that the reference shows by types, for Sphinx; commands cannot be made afterwards."""
    for annotated in _shown:
        # In place, since decorated functions share them.
        annotated.__annotations__.update(_hints(annotated))


def _types(kind: Any) -> Iterator[type]:
    """The classes that an annotation mentions."""
    if isinstance(kind, list | tuple):
        for part in kind:
            yield from _types(part)
    elif get_origin(kind) is not None or isinstance(kind, UnionType):
        yield from _types((get_origin(kind), *get_args(kind)))
    elif isinstance(kind, type):
        yield kind


def _function(member: Any) -> Any:
    """The function behind a member of a class; None for data."""
    member = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
    member = inspect.unwrap(member) if callable(member) else member
    return member if inspect.isfunction(member) else None


def members(owner: type) -> dict[str, Any]:
    """The public members of a class, inherited ones included, unless they come from another project."""
    found: dict[str, Any] = {}
    for base in owner.__mro__:
        if base.__module__.startswith("tablebase"):
            hints = _hints(base)
            for name, member in {**dict.fromkeys(hints), **vars(base)}.items():
                if not name.startswith("_") and not isinstance(member, type):
                    found.setdefault(name, hints.get(name) if _function(member) is None else member)
    return found


def _mentioned(shown: Any) -> Iterator[type]:
    """The types of the package in the signatures of a function, or of a class and its members."""
    for part in [_function(shown.__init__), *members(shown).values()] if isinstance(shown, type) else [shown]:  # type: ignore[misc]
        function = _function(part)
        functions = (
            [one for one in [function, *get_overloads(function)] if one.__module__.startswith("tablebase")] if function else []
        )
        kinds = [part] if function is None else [kind for one in functions for kind in _hints(one).values()]
        yield from (kind for kind in _types(kinds) if kind.__module__.startswith("tablebase"))


@cache
def public_names() -> dict[str, dict[str, Any]]:
    """The public functions and classes by module and full name."""
    found: dict[str, dict[str, Any]] = {}
    for module in ("tablebase", *(f"tablebase.{name}" for name in MODULES)):
        seen = [one for group in found.values() for one in group.values()]
        every = {f"{module}.{name}": getattr(import_module(module), name) for name in sorted(import_module(module).__all__)}
        own = {name: one for name, one in every.items() if callable(one) and one.__module__.startswith("tablebase")}
        found[module] = {name: one for name, one in own.items() if one not in seen}
    return found


@cache
def further_types() -> dict[str, tuple[type, int]]:
    """Further types by full name, with the steps from a public name."""
    queue = [(one, 0) for group in public_names().values() for one in group.values()]
    known = {id(one) for one, _ in queue}
    for shown, depth in queue:
        for kind in _mentioned(shown) if depth <= DEEPEST else ():
            if id(kind) not in known:
                known.add(id(kind))
                queue.append((kind, depth + 1))
    return dict(sorted((f"{kind.__module__}.{kind.__qualname__}", (kind, depth)) for kind, depth in queue if depth))


def _directive(name: str, shown: Any, *, brief: bool = False) -> str:
    """The directive of Sphinx for a function or a class; a brief one has the first paragraph about a class alone."""
    if not isinstance(shown, type):
        return f".. autofunction:: {name}\n"
    if brief:
        first = inspect.cleandoc(shown.__doc__ or "").partition("\n\n")[0]
        return f".. py:class:: {name}\n\n   {' '.join(first.split())}\n"
    lines = [f".. autoclass:: {name}"]
    if issubclass(shown, BaseException):
        lines.append("   :show-inheritance:")
    if members(shown):
        foreign = [base.__name__ for base in shown.__mro__ if not base.__module__.startswith("tablebase")]
        lines += [f"   :members: {', '.join(members(shown))}", "   :undoc-members:", f"   :inherited-members: {', '.join(foreign)}"]
    return "\n".join(lines) + "\n"


def reference() -> dict[str, str]:
    """The reference in Markdown: the package, its public modules, and further types."""
    pages = {"python": "", "python-modules": "", "python-types": ""}

    def add(page: str, title: str, directives: Iterable[str]) -> None:
        pages[page] += "\n".join([f"## {title}\n", "```{eval-rst}", *directives, "```\n\n"])

    own, *modules = public_names().items()
    kinds = {
        name: "Errors" if isinstance(one, type) and issubclass(one, Exception) else type(one).__name__
        for name, one in own[1].items()
    }
    for kind, title in (("function", "Functions"), ("type", "Open tablebase"), ("Errors", "Errors")):
        add("python", title, (_directive(name, one) for name, one in own[1].items() if kinds[name] == kind))
    for module, names in modules:
        add("python-modules", f"`{module}`", (_directive(name, one) for name, one in names.items()))
    further = (_directive(name, kind, brief=depth > DEEPEST) for name, (kind, depth) in further_types().items())
    add("python-types", "Types", further)
    return pages
