"""Rules modules: one file for each game, which describes the game as data."""
