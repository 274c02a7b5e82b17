"""Table files: format, reading, writing, statistics."""
