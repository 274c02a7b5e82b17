"""What `StochasticGame.to_move` returns instead of a player; a module of its own, since plain and compiled rules share it."""

CHANCE = -1
"""A card is drawn or a die is rolled."""
OVER = -2
"""The game is over."""
