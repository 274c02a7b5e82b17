"""Examples of Hexapawn: slices for the tests of solvers, and what the description of a server's interface shows."""

SLICES = (("hexapawn", "PvP"), ("hexapawn", "PPvPP"))
EXAMPLES = {
    "variant": "hexapawn-4x4",
    "counted game": "hexapawn",
    "count": {"game": "hexapawn", "reachable": 135, "final": 65, "games": 134, "won_w": 64, "won_b": 70},
    "play": {"game": "hexapawn", "position": "ppp/3/PPP w", "moves": ["b1b2"], "player": "engine", "seed": 1},
}
