"""Plain functions that are compiled with all that they call."""

from pathlib import Path
from typing import Any

import pytest
from numba import types

from tablebase.system.compute.jit import jit
from tablebase.system.compute.kernel_cache import COMPILES
from tablebase.system.compute.plain_functions import _digest, compiled

NUMBER = types.int64(types.int64)
SOURCE = """
from os import sep
OFFSET = {offset}

def twice(x):
    return 2 * x

def helped(x):
    return twice(x) + OFFSET

def endless(x):
    return endless(x - 1)
"""


@jit
def call(function: Any, number: int) -> Any:
    return function(number)


def module(folder: Path, offset: int) -> dict[str, Any]:
    path = folder / f"rules{offset}.py"
    path.write_text(SOURCE.format(offset=offset))
    names: dict[str, Any] = {"__name__": "rules"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names


def test_helpers_are_compiled_and_stay_plain(tmp_path: Path) -> None:
    names = module(tmp_path, 5)
    made = compiled(names["helped"], NUMBER, {})
    assert call(made, 10) == names["helped"](10) == 25
    assert type(names["twice"]).__name__ == "function"


def test_a_known_function_takes_the_place_of_a_plain_one(tmp_path: Path) -> None:
    names = module(tmp_path, 5)

    def thrice(x: Any) -> Any:
        return 3 * x

    assert call(compiled(names["helped"], NUMBER, {names["twice"]: jit(thrice)}), 10) == 35


@pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
def test_a_function_that_calls_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="endless calls itself"):
        compiled(module(tmp_path, 5)["endless"], NUMBER, {})


def test_the_digest_covers_helpers_and_constants(tmp_path: Path) -> None:
    """Machine code is found by the sources of all functions, which of them are called, and the values that they use."""
    first, second = module(tmp_path, 5), module(tmp_path, 6)
    assert _digest(first["helped"], {}) != _digest(second["helped"], {})
    same = _digest(first["helped"], {})
    assert same == _digest(first["helped"], {}) is not None
    first["OFFSET"] = 7
    assert _digest(first["helped"], {}) != same
    same = _digest(first["helped"], {})
    first["twice"] = first["endless"]
    assert _digest(first["helped"], {}) != same
    names = module(tmp_path, 5)
    exec("def loose(x): return twice(x)", names)
    assert _digest(names["loose"], {}) is None
