"""Damages, kills and starves the program, and counts what comes of it: ``python -m scripts.torture --help``."""
