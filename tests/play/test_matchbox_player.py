"""Matchboxes: which boxes and beads there are, how they learn, what they show, and the file that keeps them.

They are held against `naive_pawns`, a Hexapawn of 3x3 on strings.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from threading import Thread
from typing import Any

import pytest
from twins.pawns import BLACK, START, WHITE, as_cells, flipped, naive_moves

from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.moves import Position, mirrored
from tablebase.game.notation import parse, render_move
from tablebase.game.rules import Ending
from tablebase.play.learning import knowledge
from tablebase.play.learning.matchbox_player import MatchboxPlayer
from tablebase.play.learning.matchboxes import BeadDraw, Matchboxes, grow_tree
from tablebase.play.match import RESIGNED, Match
from tablebase.play.player import Seat
from tablebase.play.players import open_player
from tablebase.play.tournament import Conditions, tournament
from tablebase.system.files.outputs import lock_of, locked

GAME = load_game("hexapawn")
ROOT = parse(GAME, GAME.start)
AFTER_B2, AFTER_C2, AFTER_A2 = (parse(GAME, text) for text in ("ppp/1P1/P1P b", "ppp/2P/PP1 b", "ppp/P2/1PP b"))


def boxes(side: int = BLACK, *, share: bool = True) -> Matchboxes:
    return Matchboxes(GAME, side, grow_tree(GAME, ROOT, share), share)


class First(Random):
    """Always chooses the bead of this move."""

    def __init__(self, *moves: str) -> None:
        super().__init__(0)
        self.moves = list(moves)

    def choice(self, seq: Sequence[Any]) -> Any:
        """The bead of the next of the moves."""
        move = self.moves.pop(0)
        return next(bead for bead in seq if render_move(GAME, bead.move) == move)


def lost(player: MatchboxPlayer, *moves: str, beads: str) -> Match[Position]:
    """A game lost by the player: the person's moves, and the beads drawn in between."""
    match, random = Match(GAME, ROOT), First(*beads.split())
    for move in moves:
        match.play(move)
        if match.ending() is None:
            reply = player.choose(match, random)
            if reply is None:
                match.resign()
            else:
                match.play(reply)
    ending = match.ending()
    assert ending is not None
    assert ending.winner == WHITE
    player.finish(match, ending)
    return match


def texts(player: MatchboxPlayer, box: Position) -> list[str]:
    return sorted(render_move(GAME, bead.move) for bead in player.boxes.boxes[box])


@pytest.fixture
def player() -> MatchboxPlayer:
    return MatchboxPlayer(Seat(GAME, ROOT, BLACK))


@pytest.mark.parametrize(
    ("own", "share", "count"), [(BLACK, True, (19, 45)), (BLACK, False, (37, 90)), (WHITE, False, None)], ids=str
)
def test_there_is_a_box_for_each_position_of_a_side(own: int, share: bool, count: tuple[int, int] | None) -> None:
    """There are 37 positions in which Black moves on 3x3, 19 up to mirror images, just those that games can come to."""
    learner = boxes(own, share=share)
    assert count in (None, (len(learner.boxes), learner.beads))
    waiting, met = [(START, WHITE)], set()
    while waiting:
        cells, side = waiting.pop()
        moves = naive_moves(cells, side)
        if side == own and moves:
            met.add(cells)
        waiting += [(after, 1 - side) for after, won in moves.values() if not won]
    shown = {as_cells(position) for position in learner.boxes}
    assert shown <= met
    assert {min(cells, flipped(cells)) if share else cells for cells in met} == {
        min(cells, flipped(cells)) if share else cells for cells in shown
    }


def test_a_lost_game_takes_the_last_bead_away(player: MatchboxPlayer) -> None:
    """The bead drawn last is gone for good, all others stay, and the remark names it and the box."""
    before = {box: list(beads) for box, beads in player.boxes.boxes.items()}
    match = lost(player, "b1b2", "b2c3", beads="a3a2")
    assert (match.plies, match.ending()) == (3, Ending.of_two(WHITE, "goal", "the pawn has reached c3"))
    changed = {box for box in before if before[box] != player.boxes.boxes[box]}
    assert changed == {AFTER_B2}
    assert texts(player, AFTER_B2) == ["a3b2"]
    assert player.boxes.won == [1, 0]
    assert player.remark.startswith("the bead a3a2 is removed from the box ppp/1P1/P1P b, which still contains 1 bead\n")


def test_a_won_game_and_a_draw_take_nothing(player: MatchboxPlayer) -> None:
    """A game that Black wins is counted; one that nobody wins is not, and neither costs a bead."""
    for winner, won in ((BLACK, [0, 1]), (None, [0, 1])):
        match = Match(GAME, ROOT)
        match.play("b1b2")
        match.play(player.choose(match, Random(0)))  # type: ignore[arg-type]
        player.finish(match, Ending.of_two(winner, "no move"))
        assert (player.boxes.won, player.boxes.beads) == (won, 45)
        assert player.remark.startswith("no bead is removed\n")


def test_mirror_images_share_a_box(player: MatchboxPlayer) -> None:
    """What is lost on one side of the board is not tried on the other; moves and remarks are those of the board as it is."""
    assert mirrored(GAME, AFTER_A2) == AFTER_C2
    seen, unseen = sorted((AFTER_A2, AFTER_C2), key=lambda position: position not in player.boxes.boxes)
    assert unseen not in player.boxes.boxes
    moves = set(texts(player, seen))
    match = Match(GAME, unseen)
    drawn = {player.choose(match, Random(seed)) for seed in range(40)}
    assert drawn == set(match.legal())
    match = Match(GAME, unseen)
    move = player.choose(match, Random(3))
    assert move is not None
    assert player.remark == f"drawn from a box of 3 beads: {' '.join(match.legal())}"
    match.play(move)
    player.finish(match, Ending.of_two(WHITE, RESIGNED))
    assert f"the bead {move} is removed" in player.remark
    (gone,) = moves - set(texts(player, seen))
    image = "".join({"a": "c", "c": "a"}.get(letter, letter) for letter in gone)
    assert move == image != gone


def test_an_empty_box_resigns_and_costs_the_bead_before(player: MatchboxPlayer) -> None:
    """At an empty box Black gives up, and loses the bead that led there; at its first box, nothing."""
    for box in player.boxes.boxes:
        if box != AFTER_B2:
            player.boxes.boxes[box].clear()
    match = lost(player, "b1b2", "c1c2", beads="a3a2")
    assert match.ending() == Ending.of_two(WHITE, RESIGNED, "Black resigns")
    assert texts(player, AFTER_B2) == ["a3b2"]
    player.boxes.boxes[AFTER_B2].clear()
    beads = player.boxes.beads
    lost(player, "b1b2", beads="")
    assert player.boxes.beads == beads == 0
    assert player.remark.startswith("no bead is removed\n")


def test_moves_taken_back_do_not_count(player: MatchboxPlayer) -> None:
    """After undo the bead of the move that stands is the one at stake, not the one drawn in the line that was given up."""
    match, random = Match(GAME, ROOT), First("a3a2", "a3b2")
    for number in range(2):
        match.play("b1b2")
        match.play(player.choose(match, random))  # type: ignore[arg-type]
        if number == 0:
            assert match.undo(WHITE)
    player.finish(match, Ending.of_two(WHITE, "goal"))
    assert texts(player, AFTER_B2) == ["a3a2"]


def test_a_position_without_a_box_is_one_sentence(player: MatchboxPlayer) -> None:
    """On the other side, or after another start, the player says that it was made for something else."""
    with pytest.raises(TablebaseError, match=r"no matchbox exists for ppp/3/PPP w: choose another start position or side"):
        player.choose(Match(GAME, ROOT), Random(0))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "boxes.json"


def test_the_file_keeps_what_was_learned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second player with the same file goes on where the first stopped, after every game."""
    first = MatchboxPlayer(Seat(GAME, ROOT, BLACK), path)
    assert json.loads(path.read_text())["sides"]["b"]["won"] == {"w": 0, "b": 0}
    lost(first, "b1b2", "b2c3", beads="a3a2")
    monkeypatch.setenv("HOME", str(path.parent))
    with open_player("matchboxes", Seat(GAME, ROOT, BLACK), boxes=f"~/{path.name}") as second:
        assert isinstance(second, MatchboxPlayer)
        assert second.boxes.boxes == first.boxes.boxes
        assert second.boxes.won == [1, 0]
        assert second.picture() == first.picture()
    document = json.loads(path.read_text())
    assert (document["format"], document["player"]) == ("learned 1", "matchboxes")
    assert (document["game"], document["start"]) == ("hexapawn", "ppp/3/PPP w")
    assert list(document["sides"]) == ["b"]
    assert document["sides"]["b"]["boxes"]["ppp/1P1/P1P b"] == ["a3b2"]
    assert document["sides"]["b"]["won"] == {"w": 1, "b": 0}


def test_both_sides_share_a_file(path: Path) -> None:
    """White's boxes are added to Black's and neither loses what the other has learned; two players of Black learn together."""
    black, other, white = (MatchboxPlayer(Seat(GAME, ROOT, side), path) for side in (BLACK, BLACK, WHITE))
    lost(black, "b1b2", "b2c3", beads="a3a2")
    match = Match(GAME, ROOT)
    match.play(white.choose(match, First("b1b2")))  # type: ignore[arg-type]
    white.finish(match, Ending.of_two(BLACK, "goal"))
    kept = json.loads(path.read_text())["sides"]
    assert [list(kept), kept["w"]["boxes"]["ppp/3/PPP w"], kept["b"]["won"]] == [["w", "b"], ["a1a2"], {"w": 1, "b": 0}]
    match = Match(GAME, AFTER_B2)
    assert {other.choose(match, Random(seed)) for seed in range(9)} == {"a3b2"}
    match.play("a3b2")
    other.finish(match, Ending.of_two(WHITE, "goal"))
    # The game has been lost with a bead that another player has taken meanwhile.
    match = Match(GAME, AFTER_B2)
    black._drawn[0] = BeadDraw(AFTER_B2, next(bead for bead in black.boxes.full_boxes()[AFTER_B2]))
    match.play("a3a2")
    black.finish(match, Ending.of_two(WHITE, "goal"))
    assert (texts(other, AFTER_B2), black.boxes.won, texts(black, AFTER_B2)) == ([], [3, 0], [])
    assert black.remark.startswith("no bead is removed\n")


def test_players_that_write_at_the_same_time_lose_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every game of each is counted; one that waits too long says so, and the file stays as it was."""

    def play() -> None:
        player = MatchboxPlayer(Seat(GAME, ROOT, BLACK), path)
        for _ in range(15):
            player.finish(Match(GAME, ROOT), Ending.of_two(WHITE, "goal"))

    threads = [Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    player = MatchboxPlayer(Seat(GAME, ROOT, BLACK), path)
    assert player.boxes.won == [60, 0]
    monkeypatch.setattr(knowledge, "PATIENCE", 0.01)
    with locked(lock_of(path), "taken"), pytest.raises(TablebaseError, match=r"another player has locked .* for more than"):
        player.finish(Match(GAME, ROOT), Ending.of_two(WHITE, "goal"))
    assert MatchboxPlayer(Seat(GAME, ROOT, BLACK), path).boxes.won == [60, 0]


def test_players_learn_in_matches(path: Path) -> None:
    """Games of a match change the boxes of either side, and the last games are won more often than the first."""
    names, conditions = ["matchboxes:resigns=no", "random"], Conditions(ROOT, opening=0, folder=path.parent / "none")
    won = [game.ending.winner == game.fixture.seats.index(0) for game in tournament(GAME, names, 600, conditions)]
    assert fmean(won[-200:]) > 0.8 > fmean(won[:20])
    names = [f"matchboxes:boxes={path}"] * 2
    played = list(tournament(GAME, names, 40, conditions))
    assert [json.loads(path.read_text())["sides"][side]["won"] for side in "wb"] == [
        {letter: sum(game.ending.winner == side for game in played) for side, letter in enumerate("wb")}
    ] * 2


def test_beads_can_be_taken_at_the_beginning() -> None:
    """The setting `taken` names them for each side; it is not given with a file, which says the same."""
    player = open_player("matchboxes:taken=ppp/1P1/P1P_b:a3a2 ppp/3/PPP_w:a1a2", Seat(GAME, ROOT, BLACK))
    assert isinstance(player, MatchboxPlayer)
    assert (texts(player, AFTER_B2), player.boxes.total - player.boxes.beads) == (["a3b2"], 1)
    # A visitor who wins game after game does not wait for all positions each time.
    known = grow_tree.cache_info().misses
    again = open_player("matchboxes:taken=ppp/1P1/P1P_b:a3b2", Seat(GAME, ROOT, BLACK))
    assert isinstance(again, MatchboxPlayer)
    assert (texts(again, AFTER_B2), texts(player, AFTER_B2)) == (["a3a2"], ["a3b2"])
    assert grow_tree.cache_info().misses == known
    with pytest.raises(TablebaseError, match="cannot set both boxes and taken"):
        open_player("matchboxes:boxes=x.json,taken=ppp/1P1/P1P_b:a3a2", Seat(GAME, ROOT, BLACK))


def test_who_does_not_resign_plays_on(player: MatchboxPlayer) -> None:
    """At an empty box any move is made, no bead is at stake for it, and the one before is lost with the game."""
    stubborn = MatchboxPlayer(Seat(GAME, ROOT, BLACK), resigns=False)
    for box in stubborn.boxes.boxes:
        stubborn.boxes.boxes[box].clear()
    match = Match(GAME, ROOT)
    match.play("a1a2")
    assert {stubborn.choose(match, Random(seed)) for seed in range(40)} == set(match.legal())
    assert (stubborn.remark, player.choose(match, Random(0)) is None) == ("the box is empty", False)
    match.play("b3b2")
    stubborn.finish(match, Ending.of_two(WHITE, "goal"))
    assert stubborn.remark.startswith("no bead is removed\n")
    with pytest.raises(TablebaseError, match="the setting resigns must be yes or no, not 'maybe'"):
        open_player("matchboxes:resigns=maybe", Seat(GAME, ROOT, BLACK))


def changed(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(fields)


def black(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["sides"]["b"].update(fields)


def box(content: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["sides"]["b"]["boxes"].update({"ppp/1P1/P1P b": content})


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another format": (changed(format="learned 0"), "does not contain matchboxes"),
    "what another player has learned": (changed(player="learner"), "does not contain matchboxes"),
    "other rules": (changed(digest="0"), "a different digest ('0', not "),
    "a field too many": (changed(more=1), "does not contain matchboxes"),
    "a third side": (lambda document: document["sides"].update(x={}), "does not contain matchboxes"),
    "another game": (changed(game="hexapawn-4x4"), "a different game ('hexapawn-4x4', not 'hexapawn')"),
    "another start": (changed(start="ppp/1P1/P1P b"), "a different start ('ppp/1P1/P1P b', not 'ppp/3/PPP w')"),
    "a long name": (changed(game="x" * 9999), "a different game"),
    "games in a list": (black(won=[1, 2]), "lacks the number of games won by each side"),
    "true games": (black(won={"w": True, "b": 0}), "lacks the number of games won by each side"),
    "no boxes": (black(boxes={}), "does not match the set of matchboxes of hexapawn"),
    "an unknown bead": (box(["a3a2", "a3c2"]), "contains invalid beads in the box ppp/1P1/P1P b"),
    "a number for a box": (box(7), "contains invalid beads in the box ppp/1P1/P1P b"),
    **{
        f"the text {content[:6]!r}": (lambda _, content=content: content, " matchboxes: ")
        for content in (b"", b"\xff", b"null", b"[]", b"[" * 100_000, b"{")
    },
}
"""How a file is damaged, in its document or, if the function returns bytes, as a whole, and what is said of it."""


@pytest.mark.parametrize(("damage", "error"), DAMAGE.values(), ids=DAMAGE)
def test_a_file_of_something_else_is_refused(damage: Callable[[dict[str, Any]], object], error: str, path: Path) -> None:
    """One sentence says what is wrong; the boxes and the file stay as they were."""
    learner = boxes()
    learner.save(path)
    document = json.loads(path.read_text())
    content = damage(document)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(document).encode())
    before, left = path.read_bytes(), {position: list(beads) for position, beads in learner.boxes.items()}
    with pytest.raises(TablebaseError) as refused:
        learner.load(path)
    assert f"{path} " in str(refused.value)
    assert error in str(refused.value)
    assert str(refused.value).endswith(": use another file, or delete this file")
    assert len(str(refused.value)) < 400
    with pytest.raises(TablebaseError):
        MatchboxPlayer(Seat(GAME, ROOT, BLACK), path)
    assert (path.read_bytes(), learner.boxes, learner.won) == (before, left, [0, 0])
