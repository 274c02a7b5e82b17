"""Charts of tables, and the counts that they are drawn from."""
