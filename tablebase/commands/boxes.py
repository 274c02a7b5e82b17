"""The matchboxes of a side as rows, and as labels to print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.commands.arguments import as_optional, as_texts
from tablebase.commands.registry import check_verb
from tablebase.commands.row_types import BoxRow
from tablebase.errors import ArgumentError
from tablebase.game.game_arguments import AnyGame, as_position, as_rules
from tablebase.game.notation import render, render_move
from tablebase.game.plain_arguments import as_path, as_text
from tablebase.play.learning.matchboxes import Bead, Matchboxes, grow_tree
from tablebase.play.match import side_number

if TYPE_CHECKING:
    from tablebase.svg.sheets import Sheet
    from tablebase.svg.themes import Theme


class Boxes(list[BoxRow]):
    """The rows of all boxes of a side.

    Attributes
    ----------
    matchboxes : Matchboxes
    """

    def __init__(self, matchboxes: Matchboxes) -> None:
        # Who asks for rows alone loads the pictures, too: they are few, and known by the same numbers.
        from tablebase.play.learning.box_sheet import numbered

        game = self._game = matchboxes.game
        super().__init__(
            {
                "box": one.number,
                "move": one.move,
                "position": render(game, one.position),
                "beads": self._moves(one.left),
                "taken": self._moves([bead for bead in one.full if bead not in one.left]),
            }
            for one in numbered(matchboxes)
        )
        self.matchboxes = matchboxes

    def sheet(self, page: str = "a4", theme: str | Theme = "light") -> Sheet:
        """The labels of all boxes to print, cut out and use, on pages ``a4`` or ``letter``; at most 1,000."""
        from tablebase.play.learning.box_sheet import box_sheet

        return box_sheet(self.matchboxes, page, theme)

    def _moves(self, beads: Sequence[Bead]) -> str:
        return " ".join(render_move(self._game, bead.move) for bead in beads)


def boxes(
    game: AnyGame,
    position: Any = None,
    *,
    side: str | None = None,
    boxes: str | Path | None = None,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
) -> Boxes:
    """The matchboxes of a side, as the player ``matchboxes`` has them: a row for each, with its beads. Needs no tables.

    Parameters
    ----------
    game : str or Game
    position : str or Position, optional
        Where games begin; by default the start.
    side : str, optional
        Letter of the side that has the boxes; by default the one that does not begin.
    boxes : str or Path, optional
        A file in which the player has kept them; by default they are as before the first game.
    size : str, optional
    variant : str or sequence of str, optional

    Returns
    -------
    Boxes
        In the order in which games need them; `Boxes.sheet` draws their labels.

    Raises
    ------
    TablebaseError
        If the game has no pieces on squares, may never end or is too large, the side never moves, or the file holds other boxes.

    Examples
    --------
    >>> boxes("hexapawn")[0]
    {'box': 1, 'move': 2, 'position': 'ppp/1P1/P1P b', 'beads': 'a3a2 a3b2', 'taken': ''}
    """
    rules: Any = as_rules(game, size, as_texts("variant", variant))
    check_verb("boxes", rules)
    from tablebase.graph.reachable import check_finite

    check_finite(rules)
    start = as_position(rules, rules.start if position is None else position)
    letter = as_optional(as_text, "side", side)
    number = 1 - start.side if letter is None else side_number(rules, letter)
    made = Matchboxes(rules, number, grow_tree(rules, start))
    if not made.boxes:
        raise ArgumentError(
            f"{rules.sides[number].name} never moves in {rules.name} from {render(rules, start)}: choose another side"
        )
    if boxes is not None:
        made.load(as_path("boxes", boxes))
    return Boxes(made)
