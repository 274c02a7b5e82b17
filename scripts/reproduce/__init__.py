"""Claims of the documents, computed again, and published results: ``python -m scripts.reproduce.NAME --help``."""
