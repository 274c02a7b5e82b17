"""The solver of groups: like pieces, boards of any size, tiers and escapes."""
