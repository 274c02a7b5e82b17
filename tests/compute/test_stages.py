"""Stages: every new one is reported, and the progress of one not too often."""

from __future__ import annotations

import pytest

from tablebase.compute import messages
from tablebase.compute.messages import Stage, reach, watched


def test_each_new_stage_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages.time, "monotonic", lambda: 1.0)
    seen: list[Stage] = []
    with watched(seen.append):
        for name in ("solving", "solving", "writing", "writing", "solving"):
            reach(name, 3, 7)
    assert seen == [Stage("solving", 3, 7), Stage("writing", 3, 7), Stage("solving", 3, 7)]


def test_progress_is_reported_once_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, messages.INTERVAL / 2, messages.INTERVAL, messages.INTERVAL * 1.5, messages.INTERVAL * 2])
    monkeypatch.setattr(messages.time, "monotonic", lambda: next(clock))
    seen: list[Stage] = []
    with watched(seen.append):
        for done in range(5):
            reach("solving", done)
    assert [stage.done for stage in seen] == [0, 2, 4]


def test_nothing_is_reported_outside_the_block() -> None:
    seen: list[Stage] = []
    with watched(seen.append):
        pass
    reach("solving")
    assert seen == []
