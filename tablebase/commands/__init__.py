"""The Python interface: a tablebase that is queried by names and texts."""
