"""The names of Numba outside its public interface, which are all in one module, are all there in the installed version."""

import ast
from importlib import import_module
from pathlib import Path

import numba
import pytest
from numba.core.codegen import CodeLibrary, CPUCodegen
from numba.core.compiler import CompileResult

from tablebase.system.compute import numba_internals

MODULE = Path(numba_internals.__file__)
IMPORTS = [node for node in ast.walk(ast.parse(MODULE.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)]


@pytest.mark.parametrize(
    ("module", "name"), [(node.module, one.name) for node in IMPORTS for one in node.names if "numba." in f"{node.module}."]
)
def test_a_name_is_there(module: str, name: str) -> None:
    """One that a new version of Numba has moved is named by the failing test."""
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
