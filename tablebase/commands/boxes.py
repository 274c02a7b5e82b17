"""The matchboxes of a side as rows, and as labels to print."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tablebase.commands import lib
from tablebase.commands.arguments import checked, rules_for
from tablebase.commands.calls import Call
from tablebase.commands.drawings import write_sheet
from tablebase.commands.parameters import AnyPosition, GameName, Output, Page, Shell, Size, Variant
from tablebase.errors import ArgumentError
from tablebase.system.compute.messages import brief

if TYPE_CHECKING:
    from tablebase.commands.row_types import BoxRow
    from tablebase.play.learning.matchboxes import Bead, Matchboxes
    from tablebase.svg.sheets import Sheet
    from tablebase.svg.themes import Theme


@brief
class Boxes(list["BoxRow"]):
    """List of rows, one for each matchbox of a side, sorted by move number; the attribute `matchboxes` contains the boxes."""

    def __init__(self, matchboxes: Matchboxes) -> None:
        def moves(beads: Iterable[Bead]) -> str:
            return " ".join(lib.notation.render_move(matchboxes.game, bead.move) for bead in beads)

        super().__init__(
            {
                "box": one.number,
                "move": one.move,
                "position": lib.notation.render(matchboxes.game, one.position),
                "beads": moves(one.left),
                "taken": moves(bead for bead in one.full if bead not in one.left),
            }
            for one in lib.box_sheet.numbered(matchboxes)
        )
        self.matchboxes = matchboxes

    def sheet(self, page: str = "a4", theme: str | Theme = "light") -> Sheet:
        """Return printable labels for up to 1,000 boxes, on ``a4`` or ``letter`` pages."""
        return lib.box_sheet.box_sheet(self.matchboxes, page, theme)


@checked
def boxes(
    game: GameName,
    position: AnyPosition = None,
    *,
    side: Annotated[str | None, Shell(metavar="w")] = None,
    boxes: Annotated[str | Path | None, Shell(metavar="FILE")] = None,
    size: Size = None,
    variant: Variant = None,
) -> Boxes:
    """List the boxes of MENACE, a player that learns with matchboxes. This command does not need tables.

    By default, list MENACE's boxes for the side that moves second, before any training. Each box
    represents a position, and each bead in it represents a move; a move with more beads is played more often.

    Parameters
    ----------
    position : str or Position, optional
        First position of each game; by default, the initial position.
    side : str, optional
        Side that MENACE plays; by default, the side that moves second.
    boxes : str or Path, optional
        File of boxes to list, written by 'play --boxes'; by default, the boxes before any training.
    game, size, variant : see `tablebase.build`

    Examples
    --------
    >>> boxes("hexapawn")[0]
    {'box': 1, 'move': 2, 'position': 'ppp/1P1/P1P b', 'beads': 'a3a2 a3b2', 'taken': ''}
    """
    rules = rules_for("boxes", game, size, variant)
    lib.reachable.check_finite(rules)
    start = lib.game_arguments.as_position(rules, rules.start if position is None else position)
    number = 1 - start.side if side is None else lib.match.side_number(rules, side)
    made = lib.matchboxes.Matchboxes(rules, number, lib.matchboxes.grow_tree(rules, start))
    if not made.boxes:
        never = f"{rules.sides[number].name} never moves in {rules.name} from {lib.notation.render(rules, start)}"
        raise ArgumentError(f"{never}: choose the other side with --side")
    if boxes is not None:
        made.load(Path(boxes))
    return Boxes(made)


def show_boxes(
    call: Call,
    *,
    output: Annotated[Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    page: Page = "a4",
) -> None:
    """
    Parameters
    ----------
    output : Path, optional
        Also draw printable labels for real matchboxes, as a PDF, SVG or PNG file.
    """
    if output is not None:
        lib.printing.check_sheet(output)
    found = call()
    if output is not None:
        write_sheet(found.sheet(page), output)
    call.write(found)
