"""The names of Numba outside its public interface: all in one module, and all there in the installed version."""

import ast
from importlib import import_module
from pathlib import Path

import numba
import pytest
from numba.core.codegen import CodeLibrary, CPUCodegen
from numba.core.compiler import CompileResult

import tablebase

PACKAGE = Path(tablebase.__file__).parent
MODULE = PACKAGE / "system" / "compute" / "numba_internals.py"
PUBLIC = {"numba", "numba.types", "numba.extending"}


def names_in(path: Path) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            found += [(str(node.module), alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.split(".")[0] == "numba"]
    return found


@pytest.mark.parametrize(("module", "name"), names_in(MODULE))
def test_a_name_is_there(module: str, name: str) -> None:
    """One that a new version of Numba has moved is named by the failing test."""
    assert module not in PUBLIC
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (numba.njit(lambda: 0), "_cache"),
        (CPUCodegen, "magic_tuple"),
        (CodeLibrary, "has_dynamic_globals"),
        (CompileResult, "_reduce"),
        (CompileResult, "_rebuild"),
    ],
)
def test_an_attribute_is_there(owner: object, name: str) -> None:
    """Numba would not notice that an attribute of another name is set."""
    assert name in MODULE.read_text(encoding="utf-8")
    assert hasattr(owner, name)


def test_no_other_module_uses_such_names() -> None:
    files = {path: names_in(path) for path in PACKAGE.rglob("*.py") if path != MODULE}
    assert sum(map(len, files.values())) >= 5
    assert {str(path): found for path, names in files.items() if (found := [one for one in names if one[0] not in PUBLIC])} == {}
