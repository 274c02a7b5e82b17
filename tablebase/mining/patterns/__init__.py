"""Patterns that decide a slice, searched in all its positions."""
