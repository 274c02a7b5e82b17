"""Where compiled kernels are kept: in another folder once anything that they are made of has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tablebase.engine import jit


@pytest.mark.parametrize(
    ("source", "made_of"),
    [
        ("engine/kernels.py", True),
        ("engine/chase.py", True),
        ("values.py", True),
        # Kernels have these numbers in them: STAYS, ENDS and NEVER; NOWHERE.
        ("exits.py", True),
        ("chase.py", True),
        ("cli/output.py", False),
    ],
)
def test_kernels_are_kept_by_their_sources(source: str, made_of: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of a source of kernels, and of no other, leads to another folder."""
    shutil.copytree(jit.PACKAGE, tmp_path / "tablebase", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "PACKAGE", tmp_path / "tablebase")
    before = jit.cache_folder()
    with (tmp_path / "tablebase" / source).open("a", encoding="utf-8") as file:
        file.write("\nMORE = 1\n")
    assert (jit.cache_folder() != before) == made_of


def test_the_environment_names_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLEBASE_CACHE comes before XDG_CACHE_HOME, and that before the home folder; the last part is the same."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("TABLEBASE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    parents = [jit.cache_folder()]
    for name in ("XDG_CACHE_HOME", "TABLEBASE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
        parents.append(jit.cache_folder())
    expected = [tmp_path / ".cache" / "tablebase", tmp_path / "XDG_CACHE_HOME" / "tablebase", tmp_path / "TABLEBASE_CACHE"]
    assert [folder.parent for folder in parents] == expected
    assert len({folder.name for folder in parents}) == 1
