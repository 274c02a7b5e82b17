"""Machine code, threads and words of bits."""
