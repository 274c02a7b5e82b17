"""The player ``matchboxes``: it draws moves from matchboxes, shows them, and keeps them in a file if asked to."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from os.path import expanduser
from pathlib import Path
from random import Random

from tablebase.errors import TablebaseError
from tablebase.game.moves import Position
from tablebase.game.notation import render, render_move
from tablebase.game.rules import Ending
from tablebase.play.learning.matchboxes import (
    BeadDraw,
    Matchboxes,
    as_seen,
    distinct_beads,
    grow_tree,
    read_taken,
    remove_taken,
    representative,
)
from tablebase.play.match import Match
from tablebase.play.player import Command, Player, Seat
from tablebase.play.player_records import read_yes

FEW = 40
"""Up to as many boxes are all shown; of more, only those that have lost a bead."""


class MatchboxPlayer(Player):
    """Draws its moves from matchboxes, and takes away the last bead of each lost game.

    A file, if it is given one, keeps the boxes: each game begins with them as it says, and it is written anew after every game.
    Players of both sides may share it, and several of the same side, who then learn together.
    Without a file, `taken` names the beads that earlier games have cost, as `tablebase.play.learning.matchboxes` writes them.
    """

    learns = True

    def __init__(self, seat: Seat, path: Path | None = None, *, resigns: bool = True, taken: str = "") -> None:
        super().__init__("the matchboxes play")
        game, side = seat.rules, seat.side
        assert side is not None, "boxes are those of one side"
        self.boxes = Matchboxes(game, side, grow_tree(game, seat.start))
        if not self.boxes.boxes:
            never = f"{game.sides[side].name} never moves in {game.name} from {render(game, seat.start)}"
            raise TablebaseError(f"{never}: choose a larger board")
        remove_taken(self.boxes, read_taken(game, taken))
        self._path, self._resigns = path, resigns
        self._drawn: dict[int, BeadDraw] = {}
        with self._kept():
            pass

    def choose(self, match: Match[Position], random: Random) -> str | None:
        """The move of a bead; None if the box is empty, unless the player does not resign."""
        game, position = self.boxes.game, match.position
        box = representative(game, position)
        if box not in self.boxes.boxes:
            raise TablebaseError(f"no matchbox exists for {render(game, position)}: choose another start position or side")
        if not self._drawn and self._path is not None and self._path.exists():
            # Other players of the file may have learned meanwhile.
            self.boxes.load(self._path)
        drawn, self.remark = self.boxes.draw(box, random), "the box is empty"
        if drawn is None:
            if self._resigns:
                return None
            # A move without a bead, which costs nothing: it is the bead before that has led here.
            bead = random.choice(distinct_beads(game, box, self.boxes.tree[box]))
            return render_move(game, as_seen(game, bead, position))
        self._drawn[match.plies] = drawn
        beads = sorted(render_move(game, as_seen(game, bead, position)) for bead in self.boxes.boxes[box])
        self.remark = f"drawn from a box of {_count(len(beads), 'bead')}: {' '.join(beads)}"
        return render_move(game, as_seen(game, drawn.bead, position))

    def finish(self, match: Match[Position], ending: Ending) -> None:
        """Take the last bead away if the game was lost, and save the boxes."""
        # Beads of moves that were taken back do not count.
        plies = [ply for ply, event in enumerate(match.events) if event.player == self.boxes.side]
        with self._kept():
            lost = self.boxes.finish([self._drawn[ply] for ply in plies if ply in self._drawn], ending.winner)
        self._drawn.clear()
        said = "no bead is removed"
        if lost is not None:
            game, position = self.boxes.game, match.positions[plies[-1]]
            move, left = render_move(game, as_seen(game, lost.bead, position)), _count(len(self.boxes.boxes[lost.box]), "bead")
            said = f"the bead {move} is removed from the box {render(game, position)}, which still contains {left}"
        self.remark = f"{said}\n{self._score()}"

    def commands(self) -> Mapping[str, Command]:
        """The command ``boxes``."""
        return {"boxes": Command("show the matchboxes with their beads", self.picture)}

    def picture(self) -> str:
        """The boxes with a number of beads for each move, under the scores so far."""
        full = self.boxes.full_boxes()
        few = len(full) <= FEW
        shown = [box for box in full if few or len(self.boxes.boxes[box]) < len(full[box])]
        game, lines = self.boxes.game, []
        for box in sorted(shown):
            left = self.boxes.boxes[box]
            beads = ", ".join(f"{render_move(game, bead.move)} {int(bead in left)}" for bead in full[box])
            lines.append(f"{render(game, box)}  {beads}")
        rest = "" if few else f"\nboxes without a removed bead: {len(full) - len(shown):,}"
        return "\n".join([f"{self._score()}{rest}", *lines])

    def _score(self) -> str:
        sides = self.boxes.game.sides
        won = ", ".join(f"{side.name} {count:,}" for side, count in zip(sides, self.boxes.won, strict=True))
        boxes = _count(len(self.boxes.boxes), "box", "es")
        return f"games won: {won}; beads left: {self.boxes.beads:,} of {self.boxes.total:,} in {boxes}"

    def _kept(self) -> AbstractContextManager[None]:
        """In the block, the boxes are as the file says, and they are saved at its end; nothing without a file."""
        return nullcontext() if self._path is None else self.boxes.updated(self._path)


def _count(number: int, word: str, plural: str = "s") -> str:
    return f"{number:,} {word}{plural if number != 1 else ''}"


def make(seat: Seat, boxes: str | Path | None = None, resigns: str = "yes", taken: str = "") -> MatchboxPlayer:
    """The player ``matchboxes``."""
    if boxes is not None and taken:
        raise TablebaseError("cannot set both boxes and taken for the player 'matchboxes': set either boxes or taken")
    path = None if boxes is None else Path(expanduser(boxes))
    return MatchboxPlayer(seat, path, resigns=read_yes("resigns", resigns), taken=taken)
