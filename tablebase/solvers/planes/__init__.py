"""The solver of planes: retrograde analysis on whole cache lines."""
