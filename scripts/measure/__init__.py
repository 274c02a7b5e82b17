"""Measures the program on this machine: ``python -m scripts.measure --help``."""
