"""Endgame tablebases for any small board game described as data."""

__version__ = "0.1.0"
