"""Names that are loaded only when they are used."""

import pytest

import tablebase
import tablebase.testing


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'tablebase' has no attribute 'nothing'"):
        tablebase.nothing  # noqa: B018
    assert not hasattr(tablebase.testing, "nothing")
