"""Changes that some test must notice: apply them one at a time, and run the tests that should fail.

`scripts/mutants.toml` lists them. Each is a small, real fault: a file, a text in it and its replacement, and the tests
that are expected to notice. A mutant is killed if one of them fails, or does not end in time; otherwise it has survived,
and a test is missing.

The changes are made in a copy of the tree. Where a mutant changes a file that kernels are compiled from, they are compiled
again, which takes most of the time; all mutants together take about an hour.

Examples
--------
All of them, then those of one folder, then the ten that CI runs::

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
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tablebase", "rules", "scripts", "docs", "tests", ".ci")
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

    def apply(self, root: Path) -> None:
        """Make the change in a tree.

        Raises
        ------
        ValueError
            If the text does not occur exactly once.
        """
        path = root / self.file
        source = path.read_text()
        if (times := source.count(self.text)) != 1:
            raise ValueError(f"{self.file} holds {self.text!r} {times} times, not once")
        path.write_text(source.replace(self.text, self.replacement))

    def __str__(self) -> str:
        shown = (" ".join(text.split()) or "nothing" for text in (self.text, self.replacement))
        return f"{self.file}: " + " -> ".join(shown)


def read_mutants(file: Path = LIST) -> list[Mutant]:
    """All mutants of a list."""
    entries = tomllib.loads(file.read_text())["mutant"]
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


def copy_tree(target: Path) -> None:
    """Copy all that tests need."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"), symlinks=True)
        else:
            shutil.copy2(source, target / name)


def run_tests(tree: Path, tests: Iterable[str]) -> bool:
    """Whether tests pass in a tree."""
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            code = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            code = 1
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    # 1 is for failed tests, 2 for files that cannot be imported; 4 and 5 mean that the tests are not there.
    if code not in (0, 1, 2):
        raise SystemExit(f"pytest ended with {code}: {' '.join(tests)}")
    return code == 0


def passes(mutant: Mutant | None, tests: Iterable[str]) -> bool:
    """Whether tests pass in a copy of the tree, in which the change of a mutant has been made."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tablebase")
        tree.mkdir()
        copy_tree(tree)
        if mutant is not None:
            mutant.apply(tree)
        return run_tests(tree, tests)


def chosen(mutants: Sequence[Mutant], prefix: str, *, quick: bool) -> list[Mutant]:
    """The mutants of files whose names begin like this, all or only those that CI runs."""
    return [mutant for mutant in mutants if mutant.file.startswith(prefix) and (mutant.quick or not quick)]


def main() -> None:
    """Run the mutants and print which survived; exit with 1 if any of them did."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--file", metavar="PREFIX", default="", help="only mutants of files whose names begin like this")
    parser.add_argument("--quick", action="store_true", help="only the ten that CI runs")
    arguments = parser.parse_args()
    mutants = chosen(read_mutants(), arguments.file, quick=arguments.quick)
    if not mutants:
        raise SystemExit(f"no mutant changes a file whose name begins with {arguments.file}: see {LIST.name}")
    # Tests that fail anyway would kill everything.
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    if not passes(None, tests):
        raise SystemExit(f"tests fail without any change: python -m pytest {' '.join(tests)}")
    survived: Counter[str] = Counter()
    for mutant in tqdm(mutants, unit="mutant"):
        if passes(mutant, mutant.tests):
            survived[mutant.package] += 1
            tqdm.write(f"survived: {mutant}")
    for package, count in sorted(Counter(mutant.package for mutant in mutants).items()):
        print(f"{package}: {count - survived[package]} of {count} killed")
    killed = len(mutants) - survived.total()
    print(f"killed {killed} of {len(mutants)}, {killed / len(mutants):.0%}; survived {survived.total()}")
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
