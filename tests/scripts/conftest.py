"""A way to run scripts in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.program import Answer


@pytest.fixture
def tell(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs a script on the tables of a module's own `folder`, or on others that are named: ``tell(hexapawn, "--size", "3x3")``."""

    def told(script: Any, *arguments: object) -> Answer:
        capsys.readouterr()
        code = script.main(["--data", str(folder), *map(str, arguments)])
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return told
