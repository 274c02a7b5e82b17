"""Names that are loaded only when they are used."""

from __future__ import annotations

import pytest
from support.program import ask_fresh

import tablebase
import tablebase.testing


def test_a_module_is_loaded_when_it_is_used() -> None:
    """`tablebase.svg` needs no import of its own, and takes no time where nothing is drawn."""
    program = "import sys, tablebase; print('tablebase.svg' in sys.modules, tablebase.svg.__name__)"
    assert ask_fresh(program=program).out == "False tablebase.svg\n"


def test_a_name_that_is_not_there() -> None:
    """It is missing as from any other module, so that `hasattr` works."""
    with pytest.raises(AttributeError, match="module 'tablebase' has no attribute 'nothing'"):
        tablebase.nothing  # noqa: B018
    assert not hasattr(tablebase.testing, "nothing")
