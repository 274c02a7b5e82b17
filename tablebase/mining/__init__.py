"""Questions about all positions: SQL over them, and their export."""
