"""Changes that some test must notice: apply them one at a time, and run the tests that should fail.

`scripts/mutants.toml` lists them. Each is a small, real fault: a file, a text in it and its replacement, and the tests
that are expected to notice. A mutant is killed if one of them fails, or does not end in time; otherwise it has survived,
and a test is missing.

The changes are made in a copy of the tree. Kernels are found by the contents of their sources, so only the first run compiles
them all. Where a mutant changes a file that kernels are compiled from, those that its tests use are compiled again, which
takes most of the time; all mutants together take about an hour.

Examples
--------
All of them, then those of one folder, then the ten that CI runs::

    python scripts/mutants.py
    python scripts/mutants.py --file tablebase/tables
    python scripts/mutants.py --quick
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tablebase", "rules", "scripts", "docs", "tests", ".ci")
WORK = Path(os.environ.get("TABLEBASE_CACHE") or Path.home() / ".cache" / "tablebase") / "mutants"
"""Holds the copy of the tree while a run lasts, and the kernels compiled in it."""
LOADED = (
    "duckdb",
    "h5py",
    "hypothesis",
    "numba",
    "numpy",
    "pyarrow.parquet",
    "pytest",
    "rich",
    "sqlalchemy.orm",
    "sqlglot",
    "typer",
)
"""What takes long to load is loaded once, in a process from which those that run tests are forked."""
SERVER = multiprocessing.get_context("forkserver")
TIMEOUT = 600
"""Seconds after which tests count as failed: a loop that never ends is noticed, too."""


@dataclass(frozen=True)
class Mutant:
    """A change of the source, and the tests that should notice it.

    Parameters
    ----------
    file : str
        Relative to the root of the tree.
    text : str
        Occurs exactly once in the file.
    replacement : str
    tests : tuple of str
        Arguments of pytest.
    quick : bool
        Whether CI runs it.
    """

    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]
    quick: bool = False

    @property
    def package(self) -> str:
        """The folder that it is about."""
        return str(Path(self.file).parent)

    @contextmanager
    def applied(self, root: Path) -> Iterator[None]:
        """A tree with the change, which is undone in the end.

        Raises
        ------
        ValueError
            If the text does not occur exactly once.
        """
        path = root / self.file
        source = path.read_text()
        if (count := source.count(self.text)) != 1:
            raise ValueError(f"{self.file} holds {self.text!r} {count} times, not once")
        path.write_text(source.replace(self.text, self.replacement))
        try:
            yield
        finally:
            path.write_text(source)

    def __str__(self) -> str:
        shown = (" ".join(text.split()) or "nothing" for text in (self.text, self.replacement))
        return f"{self.file}: " + " -> ".join(shown)


def read_mutants(file: Path = LIST) -> list[Mutant]:
    """All mutants of a list."""
    entries = tomllib.loads(file.read_text())["mutant"]
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of all that tests need."""
    # Not at the top, since processes that test a copy import this file: they would have the package of this tree.
    from tablebase.compute.kernel_cache import folder_name

    tree = WORK / "tree"
    try:
        tree.mkdir(parents=True)
    except FileExistsError:
        raise SystemExit(f"{tree} is there already: wait for the other run, or delete it if there is none") from None
    try:
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(ROOT / name, tree / name)
        # The kernels of this version, as far as they have been compiled.
        kernels = WORK.parent / folder_name()
        if kernels.is_dir():
            shutil.copytree(kernels, WORK / "kernels" / kernels.name, dirs_exist_ok=True)
        yield tree
    finally:
        shutil.rmtree(tree)


def passes(tree: Path, tests: Iterable[str]) -> bool:
    """Whether tests pass in a tree."""
    process = SERVER.Process(target=_run_tests, args=(tree, list(tests)))
    process.start()
    process.join(TIMEOUT)
    if process.is_alive():
        assert process.pid is not None
        # Its own process group, so that the processes that tests have started end, too.
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return False
    # 1 is for failed tests, 2 for files that cannot be imported, less than 0 for a crash; 4 and 5 mean that there are none.
    if process.exitcode is None or process.exitcode > 2:
        raise SystemExit(f"pytest ended with {process.exitcode}: {' '.join(tests)}")
    return process.exitcode == 0


def _run_tests(tree: Path, tests: list[str]) -> None:
    """Run tests in this process, without a word, and exit as pytest does."""
    import pytest

    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    folders = [str(tree), str(tree / "rules")]
    # Bytecode of a file is taken for that of another of the same size from the same second.
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(folders), "TABLEBASE_CACHE": str(WORK / "kernels")}
    sys.path[:0] = folders
    os.chdir(tree)
    sys.exit(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "--hypothesis-seed=0", *tests]))


def survives(mutant: Mutant, tree: Path) -> bool:
    """Whether the tests of a mutant pass in spite of it; the kernels compiled for it are thrown away."""
    kernels = set((WORK / "kernels").glob("*"))
    with mutant.applied(tree):
        survived = passes(tree, mutant.tests)
    for folder in set((WORK / "kernels").glob("*")) - kernels:
        shutil.rmtree(folder)
    return survived


def chosen(mutants: Sequence[Mutant], prefix: str, *, quick: bool) -> list[Mutant]:
    """The mutants of files whose names begin like this, all or only those that CI runs."""
    return [mutant for mutant in mutants if mutant.file.startswith(prefix) and (mutant.quick or not quick)]


def main() -> None:
    """Run the mutants and print which survived; exit with 1 if any of them did."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--file", metavar="PREFIX", default="", help="only mutants of files whose names begin like this")
    parser.add_argument("--quick", action="store_true", help="only the ten that CI runs")
    arguments = parser.parse_args()
    mutants = chosen(read_mutants(), arguments.file, quick=arguments.quick)
    if not mutants:
        raise SystemExit(f"no mutant changes a file whose name begins with {arguments.file}: see {LIST.name}")
    SERVER.set_forkserver_preload(list(LOADED))
    survived: Counter[str] = Counter()
    with copied_tree() as tree:
        # Tests that fail anyway would kill everything.
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        if not passes(tree, tests):
            raise SystemExit(f"tests fail without any change: python -m pytest {' '.join(tests)}")
        for mutant in tqdm(mutants, unit="mutant"):
            if survives(mutant, tree):
                survived[mutant.package] += 1
                tqdm.write(f"survived: {mutant}")
    for package, count in sorted(Counter(mutant.package for mutant in mutants).items()):
        print(f"{package}: {count - survived[package]} of {count} killed")
    killed = len(mutants) - survived.total()
    print(f"killed {killed} of {len(mutants)}, {killed / len(mutants):.0%}; survived {survived.total()}")
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
