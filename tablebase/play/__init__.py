"""Games against the tables."""
