"""A revision for each version of the schema."""
