"""The SQL index of a tablebase."""
