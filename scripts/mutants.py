"""Small faults that some test must notice: make them one at a time, and run the tests that should fail.

`mutants.toml` lists them, one a line: the file, a text that occurs in it once, what stands there instead, and the cheapest
test that notices. A mutant is killed if the test fails, or does not end in time; otherwise it has survived, and a test is
missing. The changes are made in a copy of the tree, with kernels of its own. All of them take about half an hour.

Examples
--------
All of them, then those of one folder, then the few that every build of the project runs::

    python scripts/mutants.py
    python scripts/mutants.py --file tablebase/tables
    python scripts/mutants.py --quick
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tablebase", "rules", "scripts", "docs", "tests", ".ci")
PYTEST = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "--hypothesis-seed=0")
TIMEOUT = 600
"""Seconds after which a test counts as failed: a loop that never ends is noticed, too."""


class Mutant(NamedTuple):
    """A change of the source, and the test that should notice it."""

    file: str  # relative to the root of the tree
    text: str  # occurs in it once
    replacement: str
    test: str  # an argument of pytest

    def error(self, root: Path) -> str | None:
        """Return what is wrong with this line of the list: a text that occurs no more, or a change that is no Python."""
        source = (root / self.file).read_text() if (root / self.file).exists() else ""
        if (count := source.count(self.text)) != 1:
            return f"{self.file} holds {self.text!r} {count} times, not once"
        if not (root / self.test.partition("::")[0]).exists():
            return f"{self.test} does not exist"
        try:
            compile(source.replace(self.text, self.replacement), self.file, "exec")
        except SyntaxError as error:
            return f"{self.file} with {self.replacement!r} is no Python: {error.msg}"
        return None

    @contextmanager
    def applied(self, root: Path) -> Iterator[None]:
        """A tree with the change, which is undone in the end."""
        path = root / self.file
        source = path.read_text()
        path.write_text(source.replace(self.text, self.replacement))
        try:
            yield
        finally:
            path.write_text(source)


def read_mutants(file: Path = LIST, *, quick: bool = False) -> list[Mutant]:
    """The mutants of a list, all of them or the quick ones only."""
    lists = tomllib.loads(file.read_text())
    return [Mutant(*line) for line in (lists["quick"] if quick else lists["quick"] + lists["others"])]


@contextmanager
def copied_tree(root: Path = ROOT) -> Iterator[Path]:
    """A copy of all that tests need, for as long as a run lasts."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for name in (each for each in COPIED if (root / each).exists()):
            if (root / name).is_dir():
                shutil.copytree(root / name, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(root / name, folder)
        yield Path(folder)


def passes(tree: Path, tests: Iterable[str]) -> bool:
    """Return whether tests pass in a tree; they run in a group of processes of their own, so that all of them end in time."""
    folders = os.pathsep.join([str(tree), str(tree / "rules")])
    # Bytecode of a file is taken for that of another of the same size from the same second.
    own = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": folders, "TABLEBASE_CACHE": str(tree / "kernels")}
    process = subprocess.Popen(
        [sys.executable, *PYTEST, *tests],
        cwd=tree,
        env=os.environ | own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False
    # 1 is for failed tests, 2 for files that cannot be imported, less than 0 for a crash; 4 and 5 mean that there are none.
    if code > 2:
        raise SystemExit(f"pytest ended with {code}: {' '.join(tests)}")
    return code == 0


def survivors(mutants: Sequence[Mutant], tree: Path) -> list[Mutant]:
    """The mutants that their tests do not notice, each reported when it is found."""
    survived = []
    for mutant in tqdm(mutants, unit="mutant", disable=None):
        with mutant.applied(tree):
            if passes(tree, [mutant.test]):
                survived.append(mutant)
                tqdm.write(f"survived: {mutant.file}: {mutant.text} -> {mutant.replacement or 'nothing'}")
    return survived


def main() -> None:
    """Run the mutants and print which survived; exit with 1 if any did, or if the list no longer fits the source."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--file", metavar="PREFIX", default="", help="only mutants of files whose names begin like this")
    parser.add_argument("--quick", action="store_true", help="only the few that compile nothing")
    arguments = parser.parse_args()
    mutants = [mutant for mutant in read_mutants(quick=arguments.quick) if mutant.file.startswith(arguments.file)]
    if not mutants:
        raise SystemExit(f"no mutant changes a file whose name begins with {arguments.file}: see {LIST.name}")
    if errors := [error for mutant in mutants if (error := mutant.error(ROOT))]:
        raise SystemExit("\n".join([*errors, f"correct these lines of {LIST.name}"]))
    with copied_tree() as tree:
        # Tests that fail anyway would kill everything.
        if not passes(tree, tests := sorted({mutant.test for mutant in mutants})):
            raise SystemExit(f"tests fail without any change: python -m pytest {' '.join(tests)}")
        survived = survivors(mutants, tree)
    print(f"killed {len(mutants) - len(survived)} of {len(mutants)}")
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
