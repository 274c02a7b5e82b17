"""Kernels as plain functions, with NUMBA_DISABLE_JIT=1."""

from pathlib import Path

import pytest
from support.program import Ask, ask_fresh, assert_refused, contents

UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}


@pytest.mark.release
def test_tables_are_the_same(tmp_path: Path, ask: Ask) -> None:
    plain, compiled = tmp_path / "plain", tmp_path / "compiled"
    assert ask_fresh("build", "hexapawn-3x3", "--data", plain, environment=UNCOMPILED).code == 0
    assert ask("build", "hexapawn-3x3", "--data", compiled).code == 0
    assert contents(plain) == contents(compiled)


@pytest.mark.full
@pytest.mark.parametrize("solver", ["planes", "lean"])
def test_planes_need_compiling(solver: str, tmp_path: Path) -> None:
    words = ("build", "doushouqi", "--material", "RvC", "--solver", solver, "--data", tmp_path / "new")
    answer = ask_fresh(*words, environment=UNCOMPILED)
    assert_refused(answer, 2, "NUMBA_DISABLE_JIT", "--solver groups")
    assert answer.out == ""
