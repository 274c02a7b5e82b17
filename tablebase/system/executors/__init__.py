"""Where work runs: in this process or in others, in the order of its dependencies."""
