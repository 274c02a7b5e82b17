"""What long work on a table says while it lasts: always more, up to all of it."""

from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from support.checks import at_least_one

from tablebase.building import slice_work
from tablebase.compute import messages
from tablebase.compute.messages import Stage, watched
from tablebase.slices.material import parse_material
from tablebase.tables import writer
from tablebase_rules.doushouqi import game as doushouqi


@pytest.fixture(autouse=True)
def _all_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call counts, however soon."""
    monkeypatch.setattr(messages, "INTERVAL", 0)


def stages_of(work: Callable[[], Any]) -> dict[str, list[Stage]]:
    """All stages by name, each of which comes once, with more done each time and one total."""
    seen: list[Stage] = []
    with watched(seen.append):
        work()
    grouped = [(name, list(group)) for name, group in groupby(seen, key=lambda stage: stage.name)]
    assert len(dict(grouped)) == len(grouped)
    for name, group in at_least_one(grouped):
        assert all(one.done < other.done for one, other in pairwise(group)), name
        assert len({stage.total for stage in group}) == 1, name
    return dict(grouped)


def test_a_build_goes_from_stage_to_stage(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SLAB", 1)
    material = parse_material(doushouqi(), "RCvW")
    found = stages_of(lambda: slice_work.make_table("doushouqi", copied, "planes", material))
    assert list(found) == ["loading", "looking up captures", "solving", "writing", "reading", "verifying"]
    for name in ("looking up captures", "writing", "verifying"):
        assert found[name][-1].done == found[name][-1].total, name
    assert len(found["writing"]) > 2
