"""An engine for tests that plays the first legal move of Hexapawn in alphabetical order, and fails as it is told.

Its argument is ``none``, or what it does instead of its first move in a game: ``crash``, ``hang``, ``illegal``, ``empty``,
``close``, ``talk`` (lines without end) or ``mumble`` (one line without end).
"""

import os
import sys
import time

from tablebase.game import load_game
from tablebase.game.moves import legal_moves, play
from tablebase.game.notation import parse, render_move


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def fail(how: str) -> None:
    if how == "crash":
        os._exit(3)
    if how == "hang":
        time.sleep(600)
    if how == "close":
        os.close(1)
        time.sleep(600)
    while how in ("talk", "mumble"):
        # As fast as anyone can read, but not as fast as a processor can write.
        time.sleep(0.005)
        sys.stdout.write(("info string still thinking\n" if how == "talk" else "info string") * 1000)
    say({"illegal": "bestmove a1a1", "empty": "bestmove"}[how])


def main() -> None:
    game, how, searches = load_game("hexapawn"), sys.argv[1], 0
    position = parse(game, game.start)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "quit":
            return
        if words[0] in ("uci", "isready"):
            say("id name odd\nuciok" if words[0] == "uci" else "readyok")
        elif words[0] == "ucinewgame":
            searches = 0
        elif words[0] == "position":
            position = parse(game, " ".join(words[2:4]))
            for text in words[5:]:
                position = play(position, next(move for move in legal_moves(game, position) if render_move(game, move) == text))
        elif words[0] == "go":
            searches += 1
            if how != "none" and searches == 1:
                fail(how)
            else:
                say(f"bestmove {min(render_move(game, move) for move in legal_moves(game, position))}")


if __name__ == "__main__":
    main()
