"""Verification of tables, one ply deep."""
