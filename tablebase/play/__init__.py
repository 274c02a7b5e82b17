"""Games, and the players that choose moves in them."""
