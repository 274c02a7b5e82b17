"""Graphs of the positions that are reachable from a start: counting, forcing, policies."""
