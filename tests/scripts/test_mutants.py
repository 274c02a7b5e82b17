"""The runner of mutants knows killed from survived, and reports a line of its list that no longer fits the source."""

from contextlib import suppress
from pathlib import Path

import pytest

from scripts import mutants as script
from scripts.mutants import Mutant

SIGN = Mutant("tablebase/sign.py", "number > 0", "number < 0", "tests/test_sign.py")


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    """A tree of one function with one test, which notices a change of the sign but not one at zero."""
    for folder in ("tablebase", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / SIGN.file).write_text("def is_positive(number):\n    return number > 0\n")
    test = "from tablebase.sign import is_positive\n\n\ndef test_sign():\n    assert is_positive(1) and not is_positive(-1)\n"
    (tmp_path / SIGN.test).write_text(test)
    # Plugins that it does without take as long to load as pytest itself.
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "-p no:schemathesis -p no:anyio"\n')
    return tmp_path


@pytest.mark.full
def test_killed_and_survived(small_tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A change that no test notices survives and is named; the tree is afterwards as it was."""
    survivor = SIGN._replace(replacement="number >= 0")
    source = (small_tree / SIGN.file).read_text()
    with script.copied_tree(small_tree) as tree:
        assert script.survivors([SIGN, survivor], tree) == [survivor]
        assert (tree / SIGN.file).read_text() == source
    assert "number >= 0" in capsys.readouterr().out
    assert not tree.exists()


@pytest.mark.full
def test_a_test_that_is_not_there_kills_nothing(small_tree: Path) -> None:
    """A misspelt test is an error of the list, not a kill."""
    with script.copied_tree(small_tree) as tree, pytest.raises(SystemExit, match="pytest ended with 4"):
        script.survivors([SIGN._replace(test="tests/test_other.py")], tree)


def test_a_change_is_undone_after_an_error(small_tree: Path) -> None:
    before = (small_tree / SIGN.file).read_text()
    with suppress(KeyError), SIGN.applied(small_tree):
        assert (small_tree / SIGN.file).read_text() != before
        raise KeyError
    assert (small_tree / SIGN.file).read_text() == before


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"text": "number > 1"}, "0 times"),
        ({"text": "number"}, "2 times"),
        ({"file": "tablebase/gone.py"}, "0 times"),
        ({"replacement": "number >"}, "no Python"),
        ({"test": "tests/test_gone.py"}, "does not exist"),
    ],
)
def test_a_line_that_no_longer_fits_is_reported(small_tree: Path, change: dict[str, str], fault: str) -> None:
    """The runner says which line of the list must be corrected, before it runs anything."""
    assert SIGN.fault(small_tree) is None
    assert fault in (SIGN._replace(**change).fault(small_tree) or "")
