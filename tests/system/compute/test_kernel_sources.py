"""The name of the folder of kernels: another one once a file that kernels are compiled from has changed."""

import ast
import shutil
from pathlib import Path

import pytest

from tablebase.system.compute import jit, kernel_cache


def imported(sources: dict[Path, ast.Module], tree: ast.Module) -> set[Path]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    parts = [name.split(".") for name in names]
    packages = {tuple(some[:count]) for some in parts for count in range(2, len(some) + 1)}
    files = {kernel_cache.PACKAGE.parent.joinpath(*some).with_suffix(".py") for some in packages}
    files |= {kernel_cache.PACKAGE.parent.joinpath(*some, "__init__.py") for some in packages}
    return files & sources.keys()


@pytest.mark.full
def test_all_that_kernels_import_counts() -> None:
    """The sources are the files that import `jit`, and all that these import, as the syntax trees have it."""
    sources = {path: ast.parse(path.read_text(encoding="utf-8")) for path in kernel_cache.PACKAGE.rglob("*.py")}
    imports = {path: imported(sources, tree) for path, tree in sources.items()}
    pending = [path for path, named in imports.items() if Path(jit.__file__) in named]
    reached: set[Path] = set()
    while pending:
        path = pending.pop()
        if path not in reached:
            reached.add(path)
            pending += imports[path]
    assert set(kernel_cache.kernel_sources()) == reached
    assert Path(jit.__file__) in reached
    assert 5 < len(reached) < len(sources)
    # What plans and runs builds can change without compiling anything again.
    assert not {"building", "executors"} & {path.parent.name for path in reached}


def test_kernels_are_kept_by_their_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of a source of kernels, and of no other file, leads to another folder."""
    shutil.copytree(kernel_cache.PACKAGE, tmp_path / "tablebase", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernel_cache, "PACKAGE", tmp_path / "tablebase")
    sources = set(kernel_cache.kernel_sources())
    others = set(kernel_cache.PACKAGE.rglob("*.py")) - sources
    before = kernel_cache.folder_name()
    for path in [*sorted(sources)[::40], *sorted(others)[::100]]:
        path.write_text(path.read_text(encoding="utf-8") + "\nMORE = 1\n", encoding="utf-8")
        after = kernel_cache.folder_name()
        assert (after != before) == (path in sources), path
        before = after
