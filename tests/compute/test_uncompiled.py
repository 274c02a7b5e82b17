"""Kernels as plain functions, with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.program import Answer, ask_fresh, contents

UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}


def test_tables_are_the_same(tmp_path: Path, ask: Callable[..., Answer]) -> None:
    """Byte by byte, though solved, written and verified without a single compiled kernel."""
    plain, compiled = tmp_path / "plain", tmp_path / "compiled"
    assert ask_fresh("build", "hexapawn-3x3", "--data", plain, environment=UNCOMPILED).code == 0
    assert ask("build", "hexapawn-3x3", "--data", compiled).code == 0
    assert contents(plain) == contents(compiled)


@pytest.mark.parametrize("engine", ["planes", pytest.param("lean", marks=pytest.mark.full)])
def test_planes_need_compiling(engine: str, tmp_path: Path) -> None:
    """One sentence says so, and what to use instead."""
    answer = ask_fresh(
        "build", "doushouqi", "--material", "RvC", "--solver", engine, "--data", tmp_path / "new", environment=UNCOMPILED
    )
    assert (answer.code, answer.out) == (2, "")
    assert "its kernels must be compiled, which NUMBA_DISABLE_JIT forbids: use --solver groups" in answer.err
