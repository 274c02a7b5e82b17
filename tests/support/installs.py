"""Small games as installed ones, for commands."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tablebase.game import installed

NAMES = {"circle": "functions", "misere": "functions", "rows": "functions", "court": "toys"}
"""By name, the module of `support` that makes the game."""


CACHES = (installed.installed_games, installed._installed, installed.load_rules)


def forget_games() -> None:
    for cache in CACHES:
        cache.cache_clear()


def install_points(folder: Path, patch: pytest.MonkeyPatch, name: str, points: Mapping[str, str]) -> None:
    """A distribution in a folder of modules, whose games are at these entry points, is installed beside the package."""
    distribution = folder / f"{name}-1.0.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = ["[tablebase.rules]", *(f"{game} = {point}" for game, point in points.items())]
    (distribution / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    patch.syspath_prepend(folder)
    forget_games()


@contextmanager
def functions_installed(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """In the block, and in processes that it starts, they are installed beside all other games."""
    install_points(folder, patch, "functions", {name: f"support.{module}:{name}" for name, module in NAMES.items()})
    yield
    forget_games()


@pytest.fixture
def small_games(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with functions_installed(tmp_path_factory.mktemp("installed"), monkeypatch):
        yield
