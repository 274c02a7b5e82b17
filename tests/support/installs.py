"""Small games as installed ones, for commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tablebase.game import installed

NAMES = {"circle": "functions", "misere": "functions", "rows": "functions", "court": "toys"}
"""By name, the module of `support` that makes the game."""


@contextmanager
def functions_installed(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """In the block, and in processes that it starts, they are installed beside all other games."""
    distribution = folder / "functions-1.0.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: functions\nVersion: 1.0\n", encoding="utf-8")
    points = [f"{name} = support.{module}:{name}" for name, module in NAMES.items()]
    (distribution / "entry_points.txt").write_text("\n".join(["[tablebase.rules]", *points]), encoding="utf-8")
    patch.syspath_prepend(folder)
    caches = (installed.installed_games, installed._installed, installed.load_rules)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def small_games(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """During a test they are installed."""
    with functions_installed(tmp_path_factory.mktemp("installed"), monkeypatch):
        yield
