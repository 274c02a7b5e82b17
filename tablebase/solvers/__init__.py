"""Solvers: programs that compute the value of every position of a slice."""
