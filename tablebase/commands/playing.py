"""Games with people at a terminal: what they type and what is shown to them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random, SystemRandom
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands import lib
from tablebase.commands.arguments import as_folder, checked, rules_for
from tablebase.commands.drawings import write_drawing
from tablebase.commands.parameters import PLAYERS, Data, GameName, Output, Players, PositionText, Shell, Size, Variant
from tablebase.commands.process import read_word
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError, NotationError, TablebaseError
from tablebase.system.compute.messages import count_plies

if TYPE_CHECKING:
    from tablebase.game.rules import Ending, Rules
    from tablebase.play.player import Player

ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


@checked
def play(
    game: GameName,
    position: PositionText = None,
    *,
    player: Annotated[str | Sequence[str], Shell(metavar="NAME", complete=PLAYERS)] = (),
    side: Annotated[str | Sequence[str], Shell(metavar="SIDE")] = (),
    fuzz: Annotated[str | None, Shell(metavar="P")] = None,
    boxes: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    level: Annotated[str | None, Shell(metavar="N")] = None,
    seed: Annotated[int | None, Shell(metavar="N", least=0)] = None,
    players: Players = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = None,
) -> None:
    """Play in the terminal against the tables or another player.

    By default, you play the side that moves first, and your opponent plays perfectly, using the tables in the folder 'data'. In
    games with chance, your opponent searches ahead by default.

    Parameters
    ----------
    player : str or sequence of str
        Type of opponent. 'tables' plays perfectly, 'fuzzy' plays from the tables but makes mistakes, 'engine' searches ahead, and
        'random' makes random moves. 'learner' was trained by self-play, 'matchboxes' learns from each game, and 'exploit'
        provokes mistakes. Among equally good moves, 'ranking' prefers moves after which most possible games are won.
        'foxbox' supports only the game foxhounds. In games with chance or more than two players, choose computer (searches
        ahead), tables, fuzzy or random. For several opponents, list them in playing order.
    side : str or sequence of str
        Letter or number of each side played by a human; by default, only the side that moves first.
    fuzz : str, optional
        Weakness of your opponent, from 0 (only best moves) to 1 (random moves); by default, 0 for 'tables' and 0.1 for 'fuzzy'.
        The probability of each inferior move is the probability of a best move, multiplied by the weakness.
    boxes : str or Path, optional
        JSON file in which the player 'matchboxes' saves its matchboxes after each game.
    level : str, optional
        Strength of the player 'engine', from 1 to 10; by default, 5.
    seed : int, optional
        Seed for the random number generator; if you make the same moves, the same seed gives the same game.
    """
    rules, folder = rules_for("play", game, size, variant, players), as_folder(data)
    seed = SystemRandom().randrange(lib.player.SEEDS) if seed is None else seed
    given = {"fuzz": fuzz, "boxes": boxes, "level": level}
    settings = {name: value for name, value in given.items() if value is not None}
    # Bytes that are not text are escaped, and then refused like any unknown word.
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="backslashreplace")
    with lib.progress.compiling_said(f"play {rules.name}"), ExitStack() as stack:
        start = rules.initial if position is None else rules.parse(position)
        rules.check(start)
        people = list(dict.fromkeys(lib.match.side_number(rules, letter) for letter in side)) or [rules.viewer(start)]
        others = [number for number in range(rules.players) if number not in people]
        if len(player) > (seats := len(others)):
            raise TablebaseError(f"too many opponents ({len(player)}, but the limit is {seats}): leave out a --player option")
        # The last one has all further seats.
        named = list(player) or list(lib.players.player_names(rules)[:1])
        chosen = [*named, *[named[-1]] * seats][:seats]
        if settings and not others:
            raise TablebaseError(f"cannot use --{next(iter(settings))} when all players are human: remove the option")
        opened = {
            number: stack.enter_context(lib.players.open_player(name, lib.player.Seat(rules, start, number, folder), **settings))
            for number, name in zip(others, chosen, strict=True)
        }
        if "materials" in rules.can and any(lib.players.find_player(name).needs_tables for name in chosen):
            lib.plan.check_tables(rules, start, folder)
        Session(rules, start, people, opened, seed, folder).run()
    sys.stdout.write(f"to repeat this game, use --seed {seed} with the same options and moves\n")


class Session:
    """People and players: one match, or one after another if a player learns from them; hints come from the tables of `folder`."""

    def __init__(
        self, rules: Rules[Any], start: Any, people: Sequence[int], players: Mapping[int, Player], seed: int, folder: Path
    ) -> None:
        self.rules, self.start, self.people, self.players, self.folder = rules, start, people, players, folder
        self.choices, self.draws = Random(seed), Random(f"{seed} draws")
        self.match: lib.match.Match[Any] = lib.match.Match(rules, start, self.draws)

    def run(self) -> None:
        """Play until the game is over or abandoned; against a player that learns, until a person quits."""
        sides = [f"{'you play' if len(self.people) == 1 else 'people play'} {_listed(map(self._name, self.people))}"]
        for subject, group in groupby(self.players.items(), lambda item: item[1].subject):
            sides.append(f"{subject} {_listed(self._name(side) for side, _ in group)}")
        _say(f"{self.rules.title}: {', '.join(sides)}; type help for a list of commands")
        if explained := self.rules.legend():
            _say(explained)
        while self._play_match() and any(player.learns for player in self.players.values()):
            _say("\nnew game; type quit to leave")
            self.match = lib.match.Match(self.rules, self.start, self.draws)

    def _play_match(self) -> bool:
        """Play until the match is over; return False if it is abandoned."""
        match = self.match
        self._write_events(match.events)
        if match.player in self.players:
            self._draw()
        while (ending := match.ending()) is None:
            if match.player in self.players:
                self._reply(self.players[match.player])
            elif not self._take_turn():
                return False
        self._finish(ending)
        return True

    def _reply(self, player: Player) -> None:
        move = player.choose(self.match, self.choices)
        if move is None:
            _say(f"\n{self._name(self.match.player)}: resigns")
            self.match.resign()
        else:
            self._make(move, always=True)
        self._write_remark(player)

    def _make(self, move: str, *, always: bool) -> None:
        """Make a move, and write what comes of it: the move itself always, or if its words say more than what was typed."""
        mover, words = self._name(self.match.player), self.rules.words(self.match.position, move)
        if always or words != move:
            _say(f"\n{mover}: {words}")
        self._write_events(self.match.play(move))

    def _write_events(self, events: Sequence[lib.match.Event[Any]]) -> None:
        for event in events:
            if event.drawn:
                words = self.rules.draw_text(event.text)
                _say(f"  {event.text}{'' if words == event.text else f': {words}'}")

    def _take_turn(self) -> bool:
        """Prompt until the person to move has moved; return False if the game is abandoned."""
        match, mover, commands = self.match, self._name(self.match.player), self._commands()
        self._draw()
        while True:
            word = read_word(f"{mover}> ")
            if word is None or word == "quit":
                _say(f"game abandoned after {self._count()}")
                return False
            move = ""  # what does not look like one
            with suppress(NotationError):
                move = self.rules.read_move(word)
            if move in match.legal():
                self._make(move, always=False)
                return True
            if word in commands:
                commands[word][1]()
                if match.ending() is not None:
                    return True
            elif move:
                _say(f"{word} is not a legal move here: type moves to list the legal moves")
            else:
                error = f"{shortened(word)} is neither a move nor a command" if word else "the line is empty"
                _say(f"{error}: type a move such as {next(iter(match.legal()))}, or help")

    def _commands(self) -> dict[str, tuple[str, Callable[[], None]]]:
        commands = {
            "moves": ("list the legal moves", self._list_moves),
            "hint": ("show the best move from the tables, or the move that a search would play", self._show_hint),
            "undo": ("take back your last move and all later moves", self._undo),
            "board": ("draw the board", self._draw),
            "help": ("show this list", self._show_help),
        }
        if self.rules.players == 2:
            # Of more players the others would have to continue.
            commands["resign"] = ("resign the game", self.match.resign)
        for player in self.players.values():
            for word, command in player.commands().items():
                commands.setdefault(word, (command.about, partial(lambda one: _say(one.answer()), command)))
        return commands

    def _show_help(self) -> None:
        _say(f"a move, such as {next(iter(self.match.legal()))}")
        _say("\n".join(f"{word:<8}{about}" for word, (about, _) in self._commands().items()) + "\nquit    leave the game")

    def _list_moves(self) -> None:
        rules, at, legal = self.rules, self.match.position, self.match.legal()
        if "squares" in rules.can:
            _say(" ".join(legal))
            return
        rows = [{"move": one, "meaning": rules.move_text(at, one), "position": rules.format(legal[one])} for one in legal]
        lib.output.write_table(rows, list(rows[0]))

    def _show_hint(self) -> None:
        try:
            hints = [self._said_by_tables(), *(player.hint(self.match) for player in self.players.values())]
            _say("\n".join(filter(None, hints)) or self._found_by_search())
        except TablebaseError as error:
            _say(f"no hint: {error}")

    def _said_by_tables(self) -> str | None:
        """The value and the best move; None without a table. With chance tables have bounds, of which a search makes more."""
        if "exact values" not in self.rules.can or not self.folder.exists():
            return None
        try:
            with Tablebase(self.folder) as tables:
                return tables.probe(self.rules, self.match.position, strict=True).verdict
        except MissingTableError:
            return None

    def _found_by_search(self) -> str:
        name = lib.players.adviser_of(self.rules)
        if name is None and "exact values" in self.rules.can:
            raise lib.missing.missing_game(self.rules, self.folder)
        seat = lib.player.Seat(self.rules, self.start, self.match.player, self.folder)
        # The last one says why it cannot play.
        with lib.players.open_player(name or lib.players.ADVISERS[-1], seat) as adviser:
            best = adviser.choose(self.match, Random(0))
            assert best is not None, "no adviser resigns"
            words = self.rules.words(self.match.position, best)
            return f"{self._name(self.match.player)} to move: {adviser.remark}; a search would play {words}"

    def _undo(self) -> None:
        if self.match.undo(self.match.player):
            self._draw()
        else:
            _say("you have no move to take back")

    def _draw(self) -> None:
        _say("")
        last = self.match.events[-1].text if self.match.events else None
        write_drawing(self.rules, self.match.position, last, over=self.match.ending() is not None)

    def _finish(self, ending: Ending) -> None:
        self._draw()
        result = f"{'a draw' if ending.winner is None else f'won by {self._name(ending.winner)}'} in"
        if self.rules.players > 2:
            places = [f"{self._name(player)} is {ORDINALS.get(place, f'{place}th')}" for player, place in enumerate(ending.places)]
            result = f"{', '.join(places)}, after"
        _say(f"\n{result} {self._count()}{ending.said and ': '}{ending.said}")
        for player in self.players.values():
            player.finish(self.match, ending)
            self._write_remark(player)

    def _count(self) -> str:
        """Return how long the game was: a turn of a game of chance may be of several moves."""
        turns = self.match.turns
        return count_plies(self.match.plies) if "chance" not in self.rules.can else f"{turns} turn{'s' if turns != 1 else ''}"

    def _name(self, side: int) -> str:
        return self.rules.sides[side].name

    def _write_remark(self, player: Player) -> None:
        if player.remark:
            _say(player.remark)


def _listed(words: Any) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else str(last)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
