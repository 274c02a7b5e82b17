"""Games of chance or of several players: forced chances, finite horizons, paths, and the files of their tables."""
