"""Pictures of tables, and the counts that they are drawn of."""
