"""Slow, obvious twins of what the package computes; they share no code with it but the rules."""
