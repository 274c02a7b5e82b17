"""SQL over all positions, features as columns, and export."""
