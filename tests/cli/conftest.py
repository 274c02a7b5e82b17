"""Fixtures of tests of the command line."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable

import pytest
from support.asking import Ask
from support.program import Answer


@pytest.fixture
def typed(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs a command with lines of input: ``typed(["a1a2", "quit"], "play", "hexapawn")``."""

    def run(lines: Iterable[str], *words: object) -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return ask(*words)

    return run
