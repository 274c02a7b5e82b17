"""An optimal line, which consists of probes: as rows, as pictures, and as a sheet to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from tablebase.game.values import Bounds, Value
from tablebase.probe.answers import Probe
from tablebase.system.compute.messages import brief

if TYPE_CHECKING:
    from tablebase.probe.explained import Explained
    from tablebase.svg.markup import Svg
    from tablebase.svg.sheets import Sheet
    from tablebase.svg.themes import Theme

FEW = 4  # moves of a line that its `repr` shows
SHOWN = 30  # positions of a line that a notebook shows as pictures
SMALL = 240  # size of these pictures, in pixels


@brief
class Line(list[Probe]):
    """A line of best play, as a list of `Probe` objects.

    Parameters
    ----------
    probes : iterable of Probe
        Probe result of each position of the line.
    plies : int, optional
        Maximum length of the line, in plies.
    """

    def __init__(self, probes: Iterable[Probe], plies: int | None = None) -> None:
        super().__init__(probes)
        self.plies = plies

    def __repr__(self) -> str:
        first, moves = self[0], [str(probe.best) for probe in self if probe.moves]
        shown = " ".join([*moves[:FEW], *(["…"] if len(moves) > FEW else [])])
        return f"Line({first.game.name}, {first.position!r}, {first.value.said}: {shown})"

    def _repr_html_(self) -> str:
        from tablebase.probe.html import titled_table
        from tablebase.svg.pictures import has_pictures

        first, rows = self[0], self.to_dict()
        pictures = list(islice(self._drawn({"size": SMALL}), SHOWN)) if has_pictures(first.game) else []
        return titled_table(f"{first.position}: {first.value.said}", pictures, rows)

    @property
    def is_certain(self) -> bool:
        """True if every move of the line is certain to be best."""
        return not any(probe.is_open for probe in self)

    @property
    def explained(self) -> Explained:
        """The line with the alternatives to each move; `str` returns one sentence for each ply."""
        from tablebase.probe.explained import Explained

        return Explained(self.to_dict(), self)

    def pictures(self, **options: Any) -> list[Svg]:
        """Return pictures of the positions, with the last and best moves marked; see `tablebase.svg.board` for options."""
        return list(self._drawn(options))

    def sheet(self, *, every: bool = False, page: str = "a4", theme: str | Theme = "light") -> Sheet:
        """Draw the key positions, or all positions if `every` is true, on printable ``a4`` or ``letter`` pages.

        Key positions are the first and last positions, and positions after a capture or a move into terrain such as water.
        Positions with only one move that keeps a win or a draw are also key positions. Raises `RulesError` for games without
        pictures.
        """
        from tablebase.probe.sheets import line_sheet

        return line_sheet(self, self.to_dict(), every, page, theme)

    def _drawn(self, options: Mapping[str, Any]) -> Iterator[Svg]:
        from tablebase.svg.pictures import moved

        last = None
        for row in self.to_dict():
            yield moved(self[0].game, row["position"], last, row["best"], **options)
            last = row["best"]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows of `tablebase line --format json`, one for each position, including the end of the game."""
        rows = [
            {
                "ply": ply,
                "side": probe.side,
                **probe.value.fields,
                # What a game with chance has at its end, and others have not, is stable, too.
                **probe.best_fields,
                "best": probe.step[0] if probe.step else "" if isinstance(probe.value, Bounds) else None,
                "position": probe.position,
            }
            for ply, probe in enumerate(self)
        ]
        last = self[-1]
        if last.distance == 1 and (self.plies is None or len(rows) <= self.plies):
            end = last.moves[0]
            side = last.game.side(end.child)
            ending = last.game.result(end.child)
            assert ending is not None, "a win or a loss in one ply ends the game"
            value = Value(ending.outcome(last.game.viewer(end.child)), 0)
            rows.append({"ply": len(rows), "side": side, **value.fields, "best": None, "position": end.position})
        return rows
