"""The names that rules modules have for how pieces and squares look in pictures; `tablebase.pictures` draws them."""

from __future__ import annotations

SHAPES = ("cat", "dog", "elephant", "fox", "hound", "lion", "panther", "pawn", "rabbit", "rat", "tiger", "wolf")
"""Shapes of pieces; those of any other kind show its letter."""
TEXTURES = ("den", "trap", "water")
"""Textures of squares; any other terrain gets one that means nothing."""
