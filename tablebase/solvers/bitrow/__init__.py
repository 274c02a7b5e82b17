"""Retrograde analysis on rows of up to 64 positions, each row one 64-bit word."""
