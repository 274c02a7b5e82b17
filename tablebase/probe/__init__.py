"""Looking up positions and their moves in tables."""
