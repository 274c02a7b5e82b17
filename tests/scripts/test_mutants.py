"""The list of mutants fits the source, and the runner knows killed from survived."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from scripts import mutants as script

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = script.read_mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=[f"{number}-{mutant.file}" for number, mutant in enumerate(MUTANTS, start=1)])
def test_every_mutant_can_be_made(mutant: script.Mutant) -> None:
    """The text occurs once, the change is one, the result is Python, and the tests are there."""
    source = (ROOT / mutant.file).read_text()
    assert source.count(mutant.text) == 1
    assert mutant.text != mutant.replacement
    compile(source.replace(mutant.text, mutant.replacement), mutant.file, "exec")
    assert mutant.tests
    for test in mutant.tests:
        assert (ROOT / test.partition("::")[0]).exists()


def test_the_list_is_spread_over_all_packages() -> None:
    """At least 120 mutants, at least one in each folder of the package and in the rules, and ten for CI."""
    assert len(MUTANTS) >= 120
    assert len(set(MUTANTS)) == len(MUTANTS)
    folders = {str(file.parent.relative_to(ROOT)) for file in ROOT.glob("tablebase/**/*.py") if file.name != "__init__.py"}
    assert {mutant.package for mutant in MUTANTS} >= {*folders, "rules/tablebase_rules"}
    assert sum(mutant.quick for mutant in MUTANTS) == 10


def test_a_text_that_is_gone_is_a_fault(tmp_path: Path) -> None:
    """Nothing is changed where the text does not occur exactly once."""
    (tmp_path / "file.py").write_text("a = b\na = b\n")
    for text in ("a = b", "a = c"):
        with pytest.raises(ValueError, match="not once"), script.Mutant("file.py", text, "", ("tests",)).applied(tmp_path):
            pass
    assert (tmp_path / "file.py").read_text() == "a = b\na = b\n"


def test_a_change_is_undone(tmp_path: Path) -> None:
    """Afterwards, even after an error, a file is as it was."""
    path = tmp_path / "file.py"
    path.write_text("a = b\n")
    with suppress(KeyError), script.Mutant("file.py", "b", "c", ("tests",)).applied(tmp_path):
        assert path.read_text() == "a = c\n"
        raise KeyError
    assert path.read_text() == "a = b\n"


@pytest.fixture
def small_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> script.Mutant:
    """A tree of one function with one test, and a mutant of it that the test notices."""
    (tmp_path / "sign.py").write_text("def is_positive(number):\n    return number > 0\n")
    test = "from sign import is_positive\n\n\ndef test_sign():\n    assert is_positive(1) and not is_positive(-1)\n"
    (tmp_path / "test_sign.py").write_text(test)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "WORK", tmp_path / "work")
    monkeypatch.setattr(script, "COPIED", ("sign.py", "test_sign.py"))
    return script.Mutant("sign.py", "number > 0", "number < 0", ("test_sign.py",))


def test_killed_and_survived(small_tree: script.Mutant) -> None:
    """A change is killed if a test fails; that zero is not positive is not tested, so that change survives."""
    with script.copied_tree() as tree:
        assert script.passes(tree, small_tree.tests)
        assert not script.survives(small_tree, tree)
        assert script.survives(replace(small_tree, replacement="number >= 0"), tree)
        assert script.passes(tree, small_tree.tests)
    assert not tree.exists()


def test_a_test_that_is_not_there_kills_nothing(small_tree: script.Mutant) -> None:
    """A misspelt test is an error of the list, not a kill."""
    with script.copied_tree() as tree, pytest.raises(SystemExit, match="pytest ended with 4"):
        script.survives(replace(small_tree, tests=("test_other.py",)), tree)


def test_two_runs_do_not_share_a_copy(small_tree: script.Mutant) -> None:
    """A second run is refused while one goes on, and leaves its copy alone."""
    with script.copied_tree() as tree:
        with pytest.raises(SystemExit, match="wait for the other run"), script.copied_tree():
            pass
        assert (tree / small_tree.file).exists()
