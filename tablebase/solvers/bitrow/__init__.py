"""Retrograde analysis on rows of up to 64 positions, each row one word of bits."""
