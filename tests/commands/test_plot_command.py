"""The command `plot` and the gallery: files, messages, and what is refused."""

from pathlib import Path

import pytest
from support.checks import before_release
from support.program import Ask, ask_fresh, assert_one_sentence

from scripts.reproduce import gallery
from tablebase_rules.doushouqi import game as doushouqi

pytest.importorskip("matplotlib")

GAME = doushouqi()
CHARTS = {
    "distances": ["--pieces", "2"],
    "squares": ["--material", "RvC"],
    "draws": ["--pieces", "2"],
    "parity": ["--material", "RvC"],
}


@pytest.mark.parametrize("chart", ["distances", *before_release("squares", "draws", "parity")])
def test_the_command_draws(chart: str, two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    drawn = []
    for name in (f"{chart}.svg", "again.svg"):
        path = tmp_path / name
        answer = ask("plot", chart, GAME.name, *CHARTS[chart], "--data", two_pieces, "--output", path)
        assert (answer.code, answer.out, answer.errors) == (0, "", [])
        message = answer.err.rpartition("wrote ")[2]
        assert message.startswith(f"{path}: {chart} of Dou Shou Qi, {CHARTS[chart][1].replace('2', '2 pieces')}: ")
        assert "outcomes of the side to move (White)" in message
        drawn.append(path.read_bytes())
    assert drawn[0] == drawn[1]


@pytest.mark.full
def test_another_process_draws_the_same(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    words = ["plot", "parity", GAME.name, "--material", "CvC", "--data", two_pieces, "--output"]
    assert ask(*words, tmp_path / "here.svg").code == 0
    assert ask_fresh(*words, tmp_path / "there.svg").code == 0
    assert (tmp_path / "here.svg").read_bytes() == (tmp_path / "there.svg").read_bytes()


@pytest.mark.full
def test_options_change_the_picture(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    calls = [["squares", "--material", "RvC", *more] for more in ([], ["--outcome", "loss"], ["--piece", "2"])]
    calls += [["distances", *more] for more in ([], ["--log"], ["--outcome", "win"])]
    pictures = set()
    for chart, *options in calls:
        path = tmp_path / "a.svg"
        assert ask("plot", chart, GAME.name, *options, "--data", two_pieces, "--output", path).code == 0
        pictures.add(path.read_bytes())
    assert len(pictures) == len(calls)


def test_chances_need_no_tables(tmp_path: Path, ask: Ask) -> None:
    pictures = set()
    for options in ([], ["--player", "ranking"], ["--side", "h"], ["--from", "2F1/4/H3/3H f"]):
        path = tmp_path / "a.svg"
        answer = ask("plot", "chances", "foxhounds-4x4", *options, "--data", tmp_path / "none", "--output", path)
        assert (answer.code, answer.errors) == (0, [])
        assert answer.err.rpartition("wrote ")[2].startswith(f"{path}: chances of Fox & Hounds 4x4, ")
        pictures.add(path.read_bytes())
    assert len(pictures) == 4


def test_parity_of_any_whole_number(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    words = ["plot", "parity", "hexapawn", "--data", hexapawns, "--output", tmp_path / "a.svg", "--csv", tmp_path / "a.csv"]
    assert ask(*words, "--by", "mobility").code == 0
    rows = [line.split(",")[1:3] for line in (tmp_path / "a.csv").read_text().splitlines()]
    assert rows[0] == ["mobility", "even"]
    assert all(even == str(int(number) % 2 == 0).lower() for number, even in rows[1:])
    assert_one_sentence(ask(*words, "--by", "p1_square"), "p1_square has the value", "not a whole number", "--by")


def test_parity_of_several_numbers_of_pieces(shut_in: Path, tmp_path: Path, ask: Ask) -> None:
    """Slices of different size are refused, since the last piece has no single number."""
    answer = ask("plot", "parity", GAME.name, "--data", shut_in, "--output", tmp_path / "a.svg")
    assert_one_sentence(answer, "2 to 3 pieces", "--pieces")


@pytest.mark.full
def test_the_gallery_of_two_pieces(
    two_pieces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ("squares-RvE.png", "parity-CvC.svg")
    pictures = [picture for picture in gallery.PICTURES if picture.pieces == 2 or picture.file in chosen]
    monkeypatch.setattr(gallery, "PICTURES", pictures)
    made = []
    for name in ("once", "again"):
        folder = tmp_path / name
        assert gallery.main(["--data", str(two_pieces), "--docs", str(folder)]) == 0
        made.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert made[0] == made[1]
    assert len(made[0]) == len(pictures) + 1
    page = (tmp_path / "once" / "gallery.md").read_text()
    for picture in pictures:
        assert f"](images/{picture.file})" in page
        assert f"tablebase {' '.join(picture.arguments)} --output {picture.file}\n" in page
    assert f"{100 * 82_852 / 160_068:.1f}% are wins, {100 * 64_501 / 160_068:.1f}% are losses" in page
    assert "The longest wins take 33 plies" in page
    assert "error" not in capsys.readouterr().err


def test_the_gallery_needs_three_pieces(two_pieces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gallery.main(["--data", str(two_pieces), "--docs", str(tmp_path)]) == 2
    assert "run 'tablebase build doushouqi --pieces 3" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
