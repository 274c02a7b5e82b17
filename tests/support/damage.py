"""Damage that is done at a moment of a build that a test chooses."""

from collections.abc import Callable
from typing import Any

import pytest


def damage_after_look(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, damage: Callable[[], object], look: int | None = 1
) -> None:
    """Do damage right after a function has looked at the files for the first or a later time; with None, after each look."""
    original, looks = getattr(owner, name), []

    def damaged_afterwards(*arguments: Any) -> Any:
        found = original(*arguments)
        looks.append(arguments)
        if look in (None, len(looks)):
            damage()
        return found

    monkeypatch.setattr(owner, name, damaged_afterwards)
