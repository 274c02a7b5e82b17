"""What people open: a tablebase that is asked in names and texts."""
