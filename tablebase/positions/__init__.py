"""Slices: materials, their positions and indices, and the moves between them."""
