"""Pictures of boards as SVG, which notebooks show: `tablebase.svg.board("hexapawn", "ppp/3/PPP w")`."""

from tablebase.pictures.board import board
from tablebase.pictures.markup import Svg
from tablebase.pictures.themes import DARK, LIGHT, MONO, Theme, Tint

__all__ = ["DARK", "LIGHT", "MONO", "Svg", "Theme", "Tint", "board"]
