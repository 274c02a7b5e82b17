"""Matchboxes that learn a game, after Martin Gardner (1962).

The learner has a box for each position in which it may have to move, shared by mirror images. The box holds a bead for each legal
move; moves that mirror each other in a symmetric position share a bead. The learner draws a bead and makes its move. After a lost
game, the last bead drawn is taken away. At an empty box it resigns, and so loses the bead it drew before. Beads are never added.

The beads that lost games have taken out of boxes can be written as a text, ``ppp/1P1/P1P_b:a3b2`` with spaces between. Boxes are
named by their positions, so that a text can be read and extended without finding all positions of the game.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tablebase.errors import CapacityError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Move, Position, legal_moves, mirrored, play, wins_at_once
from tablebase.game.notation import parse, render, render_move
from tablebase.play.learning.knowledge import Knowledge, MisfitError
from tablebase.play.match import Match

LIMIT = 1 << 17
"""The most positions for which there may be boxes; as many take about ten seconds to find."""
MOST = 100
"""The most beads in a text, so that it fits into an address."""
LONGEST = 300
"""Characters of a bead, more than any has."""


class Bead(NamedTuple):
    """A legal move, and the position that it leads to."""

    move: Move
    after: Position | None  # None if the move wins at once


class BeadDraw(NamedTuple):
    """A bead that was drawn, and the box that it was drawn from."""

    box: Position
    bead: Bead


Tree = Mapping[Position, tuple[Bead, ...]]
"""All reachable positions, the start first, with their legal moves."""


def representative(game: Game, position: Position) -> Position:
    """The position that stands for itself and its mirror image."""
    return position if game.mirror is None else min(position, mirrored(game, position))


@lru_cache(maxsize=2)
def grow_tree(game: Game, start: Position, share: bool = True) -> Tree:
    """All reachable positions; with `share`, one of two mirror images represents both.

    The last trees are kept, since a server makes new boxes of the same tree after each game that a visitor has won.
    `CapacityError` if there are more than `LIMIT`.
    """
    tree: dict[Position, tuple[Bead, ...]] = {}
    waiting = [representative(game, start) if share else start]
    while waiting:
        position = waiting.pop()
        if position in tree:
            continue
        if len(tree) == LIMIT:
            raise CapacityError(f"a set of matchboxes for {game.name}", "choose a smaller board", allowed=LIMIT, unit="positions")
        tree[position] = all_beads(game, position, share)
        waiting += [bead.after for bead in tree[position] if bead.after is not None]
    return tree


def all_beads(game: Game, position: Position, share: bool = True) -> tuple[Bead, ...]:
    """A bead for each legal move; with `share`, it leads to the representative of two mirror images."""

    def after(move: Move) -> Position:
        reached = play(position, move)
        return representative(game, reached) if share else reached

    moves = dict.fromkeys(legal_moves(game, position))
    return tuple(Bead(move, None if wins_at_once(game, position, move) else after(move)) for move in moves)


def distinct_beads(game: Game, position: Position, beads: tuple[Bead, ...]) -> list[Bead]:
    """The beads, but only one of two whose moves mirror each other in a symmetric position."""
    image = game.mirror
    if image is None or position != mirrored(game, position):
        return list(beads)
    distinct: dict[tuple[int, int], Bead] = {}
    for bead in beads:
        squares = bead.move.origin, bead.move.target
        distinct.setdefault(min(squares, (image[squares[0]], image[squares[1]])), bead)
    return list(distinct.values())


def as_seen(game: Game, bead: Bead, position: Position) -> Move:
    """The move of a bead in a position, whose box may show its mirror image."""
    move, image = bead.move, game.mirror
    if image is None or position == representative(game, position):
        return move
    return move._replace(origin=image[move.origin], target=image[move.target])


class Matchboxes(Knowledge):
    """A set of matchboxes that learns to play one side of a game; the beads in the boxes represent moves.

    If `share` is true, a position and its mirror image share a box; build the game tree with the same setting. The attribute
    `boxes` contains the beads in each box, `total` is the initial number of beads, and `won` counts the games won by each side.
    """

    noun = "matchboxes"
    other = "choose another file with --boxes"
    fields = frozenset({"sides"})

    def __init__(self, game: Game, side: int, tree: Tree, share: bool = True) -> None:
        self.game, self.side, self.tree, self.share = game, side, tree, share
        self._letter = game.sides[side].letter
        self.start = next(iter(tree))
        self.boxes = self.full_boxes()
        self.total = self.beads
        self.won = [0, 0]

    @property
    def beads(self) -> int:
        """Number of beads in all boxes."""
        return sum(len(box) for box in self.boxes.values())

    def full_boxes(self) -> dict[Position, list[Bead]]:
        """Return the boxes with their initial beads."""
        return {
            position: distinct_beads(self.game, position, beads) if self.share else list(beads)
            for position, beads in self.tree.items()
            if position.side == self.side and beads
        }

    def draw(self, box: Position, random: Random) -> BeadDraw | None:
        """Draw a random bead without removing it from the box; return None if the box is empty."""
        beads = self.boxes[box]
        return BeadDraw(box, random.choice(beads)) if beads else None

    def finish(self, draws: list[BeadDraw], winner: int | None) -> BeadDraw | None:
        """Record the result of a game; after a loss, remove the last drawn bead from its box; return the removed bead.

        If `winner` is None, the game is a draw. If the last drawn bead has already left its box, return None.
        """
        if winner is not None:
            self.won[winner] += 1
        if winner != 1 - self.side or not draws:
            return None
        lost = draws[-1]
        if lost.bead not in self.boxes[lost.box]:
            return None
        self.boxes[lost.box].remove(lost.bead)
        return lost

    def content(self, path: Path) -> dict[str, Any]:
        """Return the data to save; the other side's boxes are copied from the existing file."""
        game, others = self.game, self.read(path)["sides"] if path.is_file() else {}
        if not isinstance(others, dict):
            raise self.damaged(path)
        own = {
            "won": {side.letter: count for side, count in zip(game.sides, self.won, strict=True)},
            "boxes": {render(game, box): [render_move(game, bead.move) for bead in beads] for box, beads in self.boxes.items()},
        }
        sides = {**others, self._letter: own}
        return {"sides": {side.letter: sides[side.letter] for side in self.game.sides if side.letter in sides}}

    def fill(self, content: Mapping[str, Any]) -> None:
        """Load the boxes of this side; if the file only contains boxes of the other side, change nothing."""
        sides, letters = content["sides"], [side.letter for side in self.game.sides]
        if not isinstance(sides, dict) or not sides.keys() <= {*letters}:
            raise ValueError("unexpected sides")
        if self._letter not in sides:
            return
        if not isinstance(sides[self._letter], dict) or sides[self._letter].keys() != {"won", "boxes"}:
            raise ValueError("unexpected fields")
        won, contents = sides[self._letter]["won"], sides[self._letter]["boxes"]
        if not isinstance(won, dict) or list(won) != letters or any(type(count) is not int or count < 0 for count in won.values()):
            raise MisfitError("lacks the number of games won by each side")
        full = self.full_boxes()
        if not isinstance(contents, dict) or contents.keys() != {render(self.game, position) for position in full}:
            raise MisfitError(f"does not match the set of matchboxes of {self.game.name}")
        left: dict[Position, list[Bead]] = {}
        for position, beads in full.items():
            moves, text = {render_move(self.game, bead.move): bead for bead in beads}, render(self.game, position)
            kept = contents[text]
            if not isinstance(kept, list) or kept != [move for move in moves if move in kept]:
                raise MisfitError(f"contains invalid beads in the box {text}")
            left[position] = [moves[move] for move in kept]
        self.boxes, self.won = left, [won[letter] for letter in letters]


def read_taken(game: Game, text: str) -> tuple[BeadDraw, ...]:
    """The beads of a text, each with its box; `TablebaseError` if one of them is not a bead of a box, or is named twice."""
    words = text.split()
    if len(words) > MOST:
        raise TablebaseError(f"too many beads in 'taken' ({len(words):,}): give at most {MOST} beads")
    taken: dict[BeadDraw, None] = {}
    for word in words:
        draw = _read_bead(game, word)
        if draw in taken:
            raise TablebaseError(f"the bead {quoted(word)} is listed twice: list each bead only once")
        taken[draw] = None
    return tuple(taken)


def write_taken(game: Game, taken: Iterable[BeadDraw]) -> str:
    """The text of beads, in their order."""
    return " ".join(f"{render(game, draw.box).replace(' ', '_')}:{render_move(game, draw.bead.move)}" for draw in taken)


def remove_taken(boxes: Matchboxes, taken: Iterable[BeadDraw]) -> None:
    """Take beads out of the boxes of a side; those of the other side do not matter."""
    for draw in taken:
        if draw.box.side == boxes.side:
            if draw.box not in boxes.boxes:
                box = render(boxes.game, draw.box)
                raise TablebaseError(f"no game reaches {box}: remove the bead of {box} from 'taken'")
            boxes.boxes[draw.box].remove(draw.bead)


def last_drawn(game: Game, match: Match[Position], side: int, taken: Collection[BeadDraw]) -> BeadDraw | None:
    """The last bead that the boxes of a side have drawn in a match, after others were taken; None if they have drawn none."""
    for before, event in zip(reversed(match.positions[:-1]), reversed(match.events), strict=True):
        if event.player == side:
            box = representative(game, before)
            left = [bead for bead in _full_box(game, box) if BeadDraw(box, bead) not in taken]
            if left:
                made = [bead for bead in left if render_move(game, as_seen(game, bead, before)) == event.text]
                return BeadDraw(box, made[0]) if made else None
            # A move at an empty box costs the bead drawn before it.
    return None


def _full_box(game: Game, box: Position) -> list[Bead]:
    return distinct_beads(game, box, all_beads(game, box))


def _read_bead(game: Game, word: str) -> BeadDraw:
    text, _, move = word.rpartition(":")
    if not text or len(word) > LONGEST:
        first = representative(game, game.initial)
        example = write_taken(game, [BeadDraw(first, _full_box(game, first)[0])])
        raise TablebaseError(f"invalid bead {quoted(word)}: expected a box and a move, as in {example}")
    box = parse(game, text.replace("_", " "))
    game.check(box)
    shown = representative(game, box)
    if box != shown:
        raise TablebaseError(f"{render(game, box)} shares the box of its mirror image: write {render(game, shown)} instead")
    beads = {render_move(game, bead.move): bead for bead in _full_box(game, box)}
    if move not in beads:
        raise TablebaseError(f"the box {render(game, box)} has no bead {quoted(move)}: choose one of {', '.join(beads)}")
    return BeadDraw(box, beads[move])
