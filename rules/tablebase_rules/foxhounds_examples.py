"""Examples of Fox & Hounds: slices for the tests of solvers."""

SLICES = (("foxhounds-4x4", "FvHH@3"), ("foxhounds-4x4", "FvHH@4"))
