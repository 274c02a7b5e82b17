"""Examples of Dou Shou Qi: slices for the tests of solvers, and what help and the description of a server's interface show."""

SLICES = (("doushouqi", "CvW"), ("doushouqi", "RvE"), ("doushouqi", "RCvW"))
LOST = "7/7/7/7/3c3/7/7/R6/7 w"
BUILD = "tablebase build doushouqi --pieces 3"
POSITION = "7/7/3t3/7/7/R6/4E2/7/7 w"
PROBE = f'tablebase probe doushouqi "{POSITION}"'
EXAMPLES = {
    "game": "doushouqi",
    "position": LOST,
    "positions": [LOST, "7/7/5c1/R6/7/7/7/7/7 b"],
    "material": "RvC",
    "probe": {
        "game": "doushouqi",
        "position": LOST,
        "side": "w",
        "outcome": "loss",
        "distance": 8,
        "best": "a2a1",
        "moves": [{"move": "a2a1", "position": "7/7/7/7/3c3/7/7/7/R6 b", "outcome": "loss", "distance": 8}],
    },
    "mine": {
        "game": "doushouqi",
        "statement": "SELECT outcome, count(*) AS n FROM positions WHERE material = 'RvC' GROUP BY outcome ORDER BY n",
    },
    "missing": {
        "title": "Not Found",
        "status": 404,
        "detail": "the table RCvW of doushouqi has not been built: run 'tablebase build doushouqi --material RCvW'",
        "game": "doushouqi",
        "material": "RCvW",
        "pieces": None,
        "command": "tablebase build doushouqi --material RCvW",
        "estimate": {
            "tables": 1,
            "placements": 228096,
            "disk": 41000,
            "memory": 301000000,
            "cpu_seconds": 0.1,
            "wall_seconds": 0.1,
        },
    },
    "help of tablebase": (BUILD, PROBE),
    "help of build": (BUILD,),
    "help of probe": (PROBE,),
    "help of games": ("tablebase games",),
    "help of estimate": ("tablebase estimate doushouqi --pieces 4",),
    "help of batch": (
        r"""printf "[[build]]\ngame = 'doushouqi'\npieces = 3\n" > night.toml""",
        "tablebase batch night.toml",
    ),
    "help of verify": ("tablebase verify doushouqi",),
    "help of copy": ("tablebase copy doushouqi --to copies",),
    "help of merge": ("tablebase copy doushouqi --to copies", "tablebase merge copies --data other"),
    "help of pack": ("tablebase pack doushouqi --to packed",),
    "help of unpack": ("tablebase pack doushouqi --to packed", "tablebase unpack packed --to unpacked"),
    "help of reindex": ("tablebase reindex",),
    "help of prune": ("tablebase prune",),
    "help of line": (f'tablebase line doushouqi "{POSITION}"',),
    "help of stats": ("tablebase stats doushouqi",),
    "help of perft": ("tablebase perft doushouqi --depth 5",),
    "help of analyse": ("tablebase analyse doushouqi --depth 6",),
    "help of mine": ('tablebase mine doushouqi "SELECT max(distance) FROM positions"',),
    "help of sql": (
        'tablebase sql "SELECT game, count(*) AS tables FROM tables GROUP BY game"',
        'tablebase sql "SELECT material, longest_win, longest_win_position \\\n'
        '    FROM slice_counts ORDER BY longest_win DESC LIMIT 1"',
    ),
    "help of features": ("tablebase features doushouqi",),
    "help of export": ("tablebase export doushouqi --pieces 2 --to positions",),
    "help of patterns": ("tablebase patterns doushouqi --material RvC",),
    "help of plot": ("tablebase plot distances doushouqi --output distances.svg",),
    "help of serve": ("tablebase serve",),
    "help of uci": ("tablebase uci doushouqi",),
}
