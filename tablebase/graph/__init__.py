"""Explicit graphs of the positions that a start leads to."""
