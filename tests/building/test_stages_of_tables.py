"""What long work on a table says while it lasts: always more, up to all of it."""

from itertools import groupby, pairwise
from pathlib import Path

import pytest

from tablebase.building import slice_work
from tablebase.compute import messages
from tablebase.compute.messages import Stage, watched
from tablebase.slices.material import parse_material
from tablebase.tables import writer
from tablebase_rules.doushouqi import game as doushouqi


def test_a_build_goes_from_stage_to_stage(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stage comes once, with more done each time, up to all of it."""
    monkeypatch.setattr(messages, "INTERVAL", 0)
    monkeypatch.setattr(writer, "SLAB", 1)
    seen: list[Stage] = []
    with watched(seen.append):
        slice_work.make_table("doushouqi", copied, "planes", parse_material(doushouqi(), "RCvW"))
    found = [(name, list(group)) for name, group in groupby(seen, key=lambda stage: stage.name)]
    assert [name for name, _ in found] == ["loading", "looking up captures", "solving", "writing", "reading", "verifying"]
    for name, group in found:
        assert all(one.done < other.done for one, other in pairwise(group)), name
        assert len({stage.total for stage in group}) == 1, name
        assert name not in ("looking up captures", "writing", "verifying") or group[-1].done == group[-1].total, name
    assert len(dict(found)["writing"]) > 2
