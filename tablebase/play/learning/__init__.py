"""Players that learn: matchboxes with beads, and values that grow in games against oneself."""
