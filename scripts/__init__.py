"""Programs around the package, each with ``--help``; run them from the root of the repository."""
