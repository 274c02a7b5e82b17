"""Games by functions: positions listed or ranked, solved exactly, or bounded where chance moves."""
