"""Small games as installed ones, for commands."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from support.toys import DIAGONAL, ORTHOGONAL, SIDES, Directions, symmetries, walk
from tablebase.game import Board, Game, Kind, Outcome, installed

NAMES = {"circle": "functions:circle", "misere": "functions:Misere", "rows": "functions:rows", "court": "installs:court"}
"""By name, what makes the game, within `support`."""


def court() -> Game:
    """Kings and rooks of one step on 3 x 3; who takes the king wins, though other pieces may be left."""
    board = Board.full(3, 3)
    every = tuple(range(len(board)))

    def kind(symbol: str, directions: Directions) -> Kind:
        side = int(symbol.islower())
        steps = walk(board, every, directions, "rR"[side])
        takes = tuple(replace(step, quiet=False, victims=frozenset("kK"[side]), wins=True) for step in steps)
        return Kind(symbol, symbol, side, every, steps + takes)

    kinds = tuple(kind(symbol, ORTHOGONAL + DIAGONAL if symbol in "Kk" else ORTHOGONAL) for symbol in "KRkr")
    return Game("court", "Court", board, SIDES, kinds, "1kr/3/RK1 w", Outcome.LOSS, 4, **symmetries(board))


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
    install_points(folder, patch, "functions", {name: f"support.{point}" for name, point in NAMES.items()})
    yield
    forget_games()


@pytest.fixture
def small_games(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with functions_installed(tmp_path_factory.mktemp("installed"), monkeypatch):
        yield
