"""Compiled kernels, threads and 64-bit words."""
