"""Patterns: what decides a slice, searched in all its positions."""
