"""Charts of tables, and the counts they are drawn from."""
