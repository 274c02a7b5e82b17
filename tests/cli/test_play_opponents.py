"""Games at the terminal against the players that are not the tables."""

from pathlib import Path

import pytest
from support.pawn_games import SEED, START
from support.program import Ask


@pytest.fixture
def play_without(typed: Ask, tmp_path: Path) -> Ask:
    """Plays any game without tables: ``play_without(["a1a2"], "hexapawn", "--player", "matchboxes")``."""
    return lambda words, *options: typed(words, "play", *options, "--data", tmp_path / "nowhere")


def test_matchboxes_game_after_game(play_without: Ask, tmp_path: Path) -> None:
    """The person plays several games in a row and sees the beads; this is the complete output of two."""
    words = ["b1b2", "b2c3", "boxes", "b1b2", "hint", "help", "quit"]
    options = ["hexapawn", "--player", "matchboxes", "--seed", 6, "--boxes", tmp_path / "boxes.json"]
    answer = play_without(words, *options)
    assert (answer.code, answer.err) == (0, "")
    first, second = answer.out.split("\nanother game begins; type quit to leave\n")
    assert first == (
        f"Hexapawn: you play White, the matchboxes play Black; type help for a list of commands\n{START}"
        "White> \nBlack: a3a2\ndrawn from a box of 2 beads: a3a2 a3b2\n"
        "\n 3[.]p p\n 2[p]P .\n 1 P . P\n   a b c\n   White to move\n"
        "White> \n 3 . p[P]\n 2 p[.].\n 1 P . P\n   a b c\n"
        "\nwon by White in 3 plies: the pawn has reached c3\n"
        "the bead a3a2 is taken out of the box ppp/1P1/P1P b, which keeps 1 bead\n"
        "games won: White 1, Black 0; beads left: 44 of 45 in 19 boxes\n"
    )
    start, boxes, reply, hint, help_, end = second.split("White> ")
    assert start == START
    assert boxes.splitlines()[0] == "games won: White 1, Black 0; beads left: 44 of 45 in 19 boxes"
    assert "\nppp/1P1/P1P b  a3a2 0, a3b2 1\n" in boxes
    assert reply.startswith("\nBlack: a3b2\ndrawn from a box of 1 bead: a3b2\n")
    assert hint.startswith("no hint: there is no tablebase in ")
    assert "\nboxes   show the matchboxes with their beads\nhelp    show this list\n" in help_
    assert end == f"game abandoned after 2 plies\n{SEED.format(6)}"
    # What was learned is there the next time.
    assert "games won: White 1, Black 0; beads left: 44 of 45" in play_without(["boxes"], *options).out


def test_matchboxes_resign_at_an_empty_box(play_without: Ask) -> None:
    """On 1x5 the only bead loses, so that in the second game its box is empty."""
    out = play_without(["a1a2", "a2a3", "a1a2"], "hexapawn", "--size", "1x5", "--player", "matchboxes", "--seed", 0).out
    assert "won by White in 3 plies: Black has no legal move\nthe bead a5a4 is taken out of the box" in out
    assert "\nBlack: resigns\nthe box is empty\n" in out
    assert "\nwon by White in 1 ply: Black resigns\nno bead is taken away\n" in out
    assert "games won: White 2, Black 0; beads left: 0 of 1 in 1 box\n" in out
