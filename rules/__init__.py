"""Rules modules: one file a game, each a description of the game as data."""
