"""What the documents claim, computed again, and what is published: ``python -m scripts.reproduce.NAME --help``."""
