"""The one-ply check of tables."""
