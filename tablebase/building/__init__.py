"""From rules to a tablebase: plan, estimate, solve, verify, write, register."""
