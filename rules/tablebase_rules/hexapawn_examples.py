"""Examples of Hexapawn: slices for the tests of solvers, and what help and the description of a server's interface show."""

MATCH = "tablebase match hexapawn --player engine --player random"
SLICES = (("hexapawn", "PvP"), ("hexapawn", "PPvPP"))
EXAMPLES = {
    "variant": "hexapawn-4x4",
    "counted game": "hexapawn",
    "count": {"game": "hexapawn", "reachable": 135, "final": 65, "games": 134, "won_w": 64, "won_b": 70},
    "play": {"game": "hexapawn", "position": "ppp/3/PPP w", "moves": ["b1b2"], "player": "engine", "seed": 1},
    "help of check-rules": ("tablebase check-rules hexapawn",),
    "help of count": ("tablebase count hexapawn",),
    "help of prove": ("tablebase prove hexapawn",),
    "help of play": ("tablebase play hexapawn --player engine",),
    "help of match": (MATCH,),
    "help of match-stats": (f"{MATCH} --output games.txt", "tablebase match-stats games.txt"),
    "help of train": ("tablebase train hexapawn --games 1000 --output hexapawn.learner",),
    "help of boxes": ("tablebase boxes hexapawn",),
    "help of exploit": ("tablebase exploit hexapawn",),
}
