"""Pictures of boards as SVG, which notebooks show: `tablebase.svg.board("hexapawn", "ppp/3/PPP w")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.system.compute.modules import lazy

if TYPE_CHECKING:
    from tablebase.svg.markup import Svg
    from tablebase.svg.pictures import board
    from tablebase.svg.printing import write
    from tablebase.svg.sheets import Sheet, sheet
    from tablebase.svg.themes import DARK, LIGHT, MONO, Theme, Tint

__all__ = ["DARK", "LIGHT", "MONO", "Sheet", "Svg", "Theme", "Tint", "board", "sheet", "write"]

__getattr__ = lazy(__name__)
