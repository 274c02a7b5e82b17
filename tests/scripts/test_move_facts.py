"""Facts about moves: two counts that share no code, with two pieces."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.program import load_script


def test_both_counts_agree(two_pieces: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The script fails if a statement and the plain loop differ; here a statement is changed, too."""
    script = load_script("move_facts")
    monkeypatch.setattr(sys, "argv", ["move_facts.py", "--data", str(two_pieces), "--pieces", "2"])
    chosen = ["won positions with an only move", "zugzwang", "only moves that jump"]
    statements = {name: script.STATEMENTS[name] for name in chosen}
    monkeypatch.setattr(script, "STATEMENTS", statements)
    script.main()
    counts = [line.split()[-2:] for line in capsys.readouterr().out.splitlines()]
    assert len(counts) == 3
    assert all(mined == plain != "0" for mined, plain in counts)
    changed = statements["zugzwang"].replace("AND zugzwang", "AND NOT zugzwang")
    monkeypatch.setattr(script, "STATEMENTS", {**statements, "zugzwang": changed})
    with pytest.raises(SystemExit, match="1 counts differ"):
        script.main()
