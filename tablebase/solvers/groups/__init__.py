"""The solver of groups: identical pieces, boards of any size, tiers and escapes."""
