"""Verifying bytes alone: every flipped one is noticed, without a look at any position."""

import hashlib
import shutil
from pathlib import Path

import pytest
from support.catalogs import forge
from support.program import Ask, assert_refused, flip, reseal

UNCHECKED = "; positions were not checked\n"


@pytest.fixture
def mixed(copied: Path, hexapawns: Path, piglet_tables: Path, tmp_path: Path, ask: Ask) -> Path:
    """Tables of two games, and layers of a third; of none of its files there is another link."""
    for name, folder in {"hexapawns": hexapawns, "piglets": piglet_tables}.items():
        own = Path(shutil.copytree(folder, tmp_path / name))
        assert ask("merge", own, "--data", copied).code == 0
    return copied


def test_all_games_at_once(mixed: Path, ask: Ask) -> None:
    """Without the name of a game, all files that the catalog lists are checked; with one, those of the game."""
    answer = ask("verify", "--quick", "--data", mixed, "--workers", "2")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == f"tables with unchanged bytes: 18 of 18{UNCHECKED}"
    for words, count in (
        (["doushouqi"], 10),
        (["hexapawn", "--pieces", "4"], 2),
        (["hexapawn", "--material", "PvP"], 1),
        (["pig-die=2-target=3"], 1),
        (["pig", "--variant", "die=2", "--variant", "target=2"], 1),
    ):
        answer = ask("verify", *words, "--quick", "--data", mixed)
        assert answer.code == 0
        assert answer.err == f"tables with unchanged bytes: {count} of {count}{UNCHECKED}"


@pytest.mark.parametrize(
    ("place", "file"), [(20, "doushouqi/2/RvC.h5"), (3000, "pig-die=2-target=3/all/all.h5"), (-1, "doushouqi/2/RvC.h5")]
)
def test_a_flipped_bit_is_noticed(place: int, file: str, mixed: Path, ask: Ask) -> None:
    """In the seal, in the middle or at the end; the file is named, and all others are still checked."""
    flip(mixed / file, place % (mixed / file).stat().st_size)
    answer = ask("verify", "--quick", "--data", mixed)
    assert_refused(answer, 1, f"{mixed / file} is not the file listed in the catalog")
    assert answer.err.endswith(f"17 of 18{UNCHECKED}")


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("its own seal fits", "is not the file listed in the catalog"),
        ("the catalog lists it", "has changed since it was written (SHA-256 differs)"),
        ("the catalog lists another table", "has changed since it was written"),
    ],
)
def test_neither_a_seal_nor_the_catalog_is_enough(what: str, error: str, copied: Path, ask: Ask) -> None:
    """A file must be what its seal, its title and the catalog say."""
    path = copied / "doushouqi/2/RvC.h5"
    if what == "the catalog lists another table":
        shutil.copy(copied / "doushouqi/2/RvT.h5", path)
    else:
        flip(path, 3000)
    if what == "its own seal fits":
        reseal(path)
    else:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        forge(copied, f"UPDATE tables SET file_sha256 = '{digest}' WHERE material = 'RvC'")
    assert_refused(ask("verify", "--quick", "--data", copied), 1, f"{path} {error}")


def test_what_cannot_be_read_is_named(copied: Path, ask: Ask) -> None:
    """A file that is lost, and a folder in the place of one."""
    for name in ("RvC", "RvT"):
        (copied / f"doushouqi/2/{name}.h5").unlink()
    (copied / "doushouqi/2/RvT.h5").mkdir()
    answer = ask("verify", "--quick", "--data", copied)
    assert (answer.code, len(answer.errors)) == (1, 2)
    assert f"{copied}/doushouqi/2/RvC.h5 is missing, although the catalog lists it" in answer.err
    assert f"{copied}/doushouqi/2/RvT.h5 is not a regular file" in answer.err


def test_other_rules_have_bytes_too(copied: Path, ask: Ask) -> None:
    """Tables of old rules, and of games that are not installed, are checked with all others."""
    forge(copied, "UPDATE tables SET rules_digest = 'other' WHERE material = 'CvW'")
    assert "10 of 10" in ask("verify", "--quick", "--data", copied).err
    assert "9 of 9" in ask("verify", "doushouqi", "--quick", "--data", copied).err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "missing GAME: give a game"),
        (["--quick", "--pieces", "2"], "without GAME: add GAME"),
        (["--quick", "--material", "RvC"], "without GAME: add GAME"),
        (["doushouqi", "--quick", "--published", "list.csv"], "cannot use --published with --quick"),
        (["doushouqi", "--quick", "--material", "CWvT"], "the table CWvT of doushouqi has not been built"),
        (["hexapawn", "--quick"], "no table of hexapawn is in the catalog"),
    ],
)
def test_what_cannot_be_checked(words: list[str], sentence: str, two_pieces: Path, ask: Ask) -> None:
    """One sentence says what to name or to leave out."""
    assert_refused(ask("verify", *words, "--data", two_pieces), 2, sentence)
