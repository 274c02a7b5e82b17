"""What a statement says differently to DuckDB than it was written.

Each rewriter is a function of a statement's tree and a `Reading`; it returns the tree, changed in place. A statement that no
rewriter has changed reaches DuckDB as it was typed.
"""
