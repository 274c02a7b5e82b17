"""Exact values of games by functions without chance: listing, solving, counting, and the file."""
