"""Questions about all positions: SQL over them, and patterns in them."""
