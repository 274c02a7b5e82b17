"""Playing games of chance or of several players in a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tablebase.errors import TablebaseError, quoted

if TYPE_CHECKING:
    from tablebase.game.stochastic import StochasticGame
    from tablebase.play.state_match import Ending, Event, StateMatch
    from tablebase.play.state_players import StatePlayer

HELP = """\
a move, such as {example}
moves   list the legal moves
hint    show what looking ahead, or the tables, find best
undo    take back your last move and all that came after it
board   show the position
help    show this list
quit    leave the game
"""
HINT = "computer"
"""The player whose advice is shown."""


def play(game: StochasticGame, text: str, names: Sequence[str], side: str | None, seed: int, folder: Path) -> None:
    """Play from a position until the game is over or abandoned.

    `names` are the players who play against the person, in order; the last one plays all further parts, too. `side` is the
    number of the person's player, from 1; by default the first.
    """
    from tablebase.play.state_match import StateMatch
    from tablebase.play.state_players import open_state_player

    start = game.parse(text)
    person = _player_number(game, side)
    others = [player for player in range(game.players) if player != person]
    if len(names) > len(others):
        raise TablebaseError(f"{len(names)} players are named, but only {len(others)} play against you: name fewer with --player")
    chosen = [names[min(place, len(names) - 1)] for place in range(len(others))]
    with ExitStack() as stack:
        players = {
            player: stack.enter_context(open_state_player(name, game, folder)) for player, name in zip(others, chosen, strict=True)
        }
        match = StateMatch(game, start, Random(f"{seed} draws"))
        _say(f"{game.title}: you are player {person + 1}; type help for a list of commands")
        _say("\n".join(f"player {player + 1}: {name}" for player, name in zip(others, chosen, strict=True)))
        _Session(match, person, players, Random(seed), folder).run()


def _player_number(game: StochasticGame, side: str | None) -> int:
    """The player that a number from 1 stands for, counted from 0."""
    if side is None:
        return 0
    if side not in map(str, range(1, game.players + 1)):
        raise TablebaseError(f"the side to play must be the number of a player from 1 to {game.players}, not {quoted(side)}")
    return int(side) - 1


class _Session:
    """A person at the terminal, and players."""

    def __init__(self, match: StateMatch, person: int, players: dict[int, StatePlayer], random: Random, folder: Path) -> None:
        self.match, self.person, self.players = match, person, players
        self.random, self.folder = random, folder

    def run(self) -> None:
        """Play until the game is over or abandoned."""
        match = self.match
        for event in match.events:
            self._write_event(event)
        while (ending := match.ending()) is None:
            player = match.player
            if player != self.person:
                code = self.players[player].choose(match.state, self.random)
                self._make(code)
                if self.players[player].remark:
                    _say(self.players[player].remark)
            elif not self._take_turn():
                return
        self._finish(ending)

    def _make(self, code: int) -> None:
        """Make a move, and write what comes of it."""
        for event in self.match.play(code):
            self._write_event(event)

    def _write_event(self, event: Event) -> None:
        game = self.match.game
        if event.code is None:
            words = game.draw_text(event.label)
            _say(f"  {event.label}{'' if words == event.label else f': {words}'}")
        else:
            _say(f"\nplayer {event.player + 1}: {event.code} ({game.code_text(event.code)})")

    def _take_turn(self) -> bool:
        """Prompt until the person has made a move; return False if the game is abandoned."""
        from tablebase.cli.streams import read_word

        commands: dict[str, Callable[[], None]] = {
            "moves": self._list_moves,
            "hint": self._show_hint,
            "undo": self._undo,
            "board": self._draw,
            "help": self._show_help,
        }
        self._draw()
        while self.match.player == self.person:
            word = read_word(f"player {self.person + 1}> ")
            legal = {str(code): code for code in self.match.legal()}
            if word is None or word == "quit":
                _say(f"game abandoned after {_turns(self.match.turns)}")
                return False
            if word.removeprefix("+") in legal:
                self._make(legal[word.removeprefix("+")])
                return True
            if word in commands:
                commands[word]()
            else:
                _refuse(word, next(iter(legal)))
        return True

    def _list_moves(self) -> None:
        from tablebase.cli.output import write_table

        game = self.match.game
        rows = [
            {"move": str(code), "meaning": game.code_text(code), "position": game.format(after)}
            for code, after in self.match.legal().items()
        ]
        write_table(rows, ["move", "meaning", "position"])

    def _show_hint(self) -> None:
        """Show what the computer would do; if it cannot play, say why."""
        from tablebase.play.state_players import open_state_player

        game, state = self.match.game, self.match.state
        try:
            with open_state_player(HINT, game, self.folder) as player:
                code = player.choose(state, Random(f"{state}"))
                _say(f"{code} ({game.code_text(code)}): {player.remark}")
        except TablebaseError as fault:
            _say(f"no hint: {fault}")

    def _undo(self) -> None:
        if self.match.undo(self.person):
            self._draw()
        else:
            _say("you have no move to take back")

    def _draw(self) -> None:
        _say(f"\n{self.match.game.format(self.match.state)}")

    def _show_help(self) -> None:
        sys.stdout.write(HELP.format(example=next(iter(self.match.legal()))))

    def _finish(self, ending: Ending) -> None:
        """Write the last position, the places, and why the game is over."""
        from tablebase.play.state_match import EndReason

        self._draw()
        places = ", ".join(f"player {player + 1} is {ordinal(place)}" for player, place in enumerate(ending.places))
        why = {
            EndReason.FINISHED: "",
            EndReason.DEADLOCK: ": nobody can move again",
            EndReason.BROKEN_OFF: ": it has taken too long and is broken off",
        }[ending.why]
        _say(f"\n{places}, after {_turns(self.match.turns)}{why}")


def ordinal(number: int) -> str:
    """A place in words."""
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _refuse(word: str, example: str) -> None:
    """Print one sentence about input that is neither a legal move nor a command."""
    from reprlib import repr as shortened

    if re.fullmatch("[+-]?[0-9]{1,4}", word):
        _say(f"{word} is not a legal move here: type moves to list the legal ones")
    else:
        fault = f"{shortened(word)} is neither a move nor a command" if word else "nothing was typed"
        _say(f"{fault}: type a move such as {example}, or help")
