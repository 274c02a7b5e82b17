"""The value of a position and of its moves, from tables."""
