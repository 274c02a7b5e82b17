"""Execution of work in this process or others, in the order of its dependencies."""
