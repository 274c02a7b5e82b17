"""The board and the animals of Dou Shou Qi."""

from __future__ import annotations

from tablebase.game import Board

WIDTH, HEIGHT = 7, 9
BOARD = Board.full(WIDTH, HEIGHT)
DENS = BOARD.squares("d1 d9")
TRAPS = (frozenset(BOARD.squares("c1 e1 d2")), frozenset(BOARD.squares("c9 e9 d8")))
WATER = frozenset(BOARD.squares("b4 c4 b5 c5 b6 c6 e4 f4 e5 f5 e6 f6"))
ANIMALS = {"R": "rat", "C": "cat", "W": "wolf", "D": "dog", "P": "panther", "T": "tiger", "L": "lion", "E": "elephant"}
STRENGTHS = {letter: strength for strength, letter in enumerate(ANIMALS, start=1)}
