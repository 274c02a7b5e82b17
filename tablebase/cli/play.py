"""The command that plays against a person: play."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules, chosen_start, complete_player
from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    from random import Random

    from tablebase.game import Game
    from tablebase.game.moves import Move, Position
    from tablebase.play.match import Ending
    from tablebase.play.player import Player

DEFAULT_PLAYER = "tables"
SEEDS = 1_000_000
"""Upper bound of randomly drawn seeds, which keeps them short to type."""
HINT_NODES = 30_000
"""Positions that are searched for a hint where no table has one: the seventh level, in a fraction of a second."""

HELP = """\
a move, such as {example}
moves   list the legal moves
hint    show the value of the position and the best move
undo    take back your last move and the reply
board   draw the board
{of_player}help    show this list
quit    leave the game
"""


def play(
    game: options.GameName,
    position: options.PositionText = None,
    begin: options.Start = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="Who plays against you: tables, fuzzy, foxbox, ranking, matchboxes or engine; "
            "with chance or several players: computer, random or tables, and may be repeated.",
            autocompletion=complete_player,
        ),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option("--side", metavar="SIDE", help="Letter or number of the side you play; by default the one that moves first."),
    ] = None,
    fuzz: Annotated[
        str | None,
        typer.Option("--fuzz", metavar="P", help="How freely the player chooses: 0 for best moves only, 1 for any move."),
    ] = None,
    boxes: Annotated[
        Path | None, typer.Option("--boxes", metavar="FILE", help="JSON file that keeps the boxes of the player matchboxes.")
    ] = None,
    level: Annotated[
        str | None, typer.Option("--level", metavar="N", help="How well the player engine plays, from 1 to 10; by default 5.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Seed of the player's choices, to repeat a game.")
    ] = None,
    players: options.Players = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
) -> None:
    """Play in the terminal, against perfect or weakened play."""
    from random import SystemRandom

    from tablebase.cli import play_states
    from tablebase.compute.progress import compiling_said
    from tablebase.game import Game

    rules = chosen_rules(game, size, variant, players)
    text = chosen_start(rules, position, begin)
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    # Bytes that are not text are escaped, and then refused like any unknown word.
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="backslashreplace")
    with compiling_said(f"play {rules.name}"):
        if isinstance(rules, Game):
            given = {"fuzz": fuzz, "boxes": boxes, "level": level}
            settings = {name: value for name, value in given.items() if value is not None}
            _play_pieces(rules, text, player or [], side, settings, seed, data)
        else:
            from tablebase.game.game_arguments import refuse_given

            refuse_given(rules, fuzz=fuzz, boxes=boxes, level=level)
            play_states.play(rules, text, player or ["computer"], side, seed, data)
    sys.stdout.write(f"the seed was {seed}: with --seed {seed} the same options and moves give the same game\n")


def _play_pieces(
    game: Game, text: str, names: list[str], side: str | None, settings: dict[str, str | Path], seed: int, folder: Path
) -> None:
    """Play a game of pieces on squares."""
    from random import Random

    from tablebase.building.plan import check_tables
    from tablebase.game.notation import parse
    from tablebase.play.match import side_number
    from tablebase.play.player import Seat
    from tablebase.play.players import find_player, open_player

    if len(names) > 1:
        raise TablebaseError(f"{len(names)} players are named, but one plays against you: name one with --player")
    name = names[0] if names else DEFAULT_PLAYER
    start = parse(game, text)
    person = start.side if side is None else side_number(game, side)
    with open_player(name, Seat(game, start, 1 - person, folder), **settings) as opponent:
        if find_player(name).needs_tables:
            check_tables(game, start, folder)
        _Session(game, start, person, opponent, Random(seed), folder).run()


class _Session:
    """A person at the terminal and a player: one match, or one after another if the player learns from them.

    The player has the other side than the person, chooses by `random`, and hints come from the tables of `folder`.
    """

    def __init__(self, game: Game, start: Position, person: int, player: Player, random: Random, folder: Path) -> None:
        from tablebase.play.match import Match

        self.game, self.start, self.person = game, start, person
        self.player, self.random, self.folder = player, random, folder
        self.match = Match(game, start)

    def run(self) -> None:
        """Play until the game is over or abandoned; a player that learns, until the person leaves."""
        from tablebase.cli.output import legend
        from tablebase.play.match import Match

        you, other = self._name(self.person), self._name(1 - self.person)
        sys.stdout.write(f"{self.game.title}: you play {you}, {self.player.subject} {other}; type help for a list of commands\n")
        if explained := legend(self.game):
            sys.stdout.write(f"{explained}\n")
        while self._play_match() and self.player.learns:
            sys.stdout.write("\nanother game begins; type quit to leave\n")
            self.match = Match(self.game, self.start)

    def _play_match(self) -> bool:
        """Play until the match is over; return False if it is abandoned."""
        match = self.match
        if match.side != self.person:
            self._draw()
        while (ending := match.ending()) is None:
            if match.side != self.person:
                self._reply()
            elif not self._take_turn():
                return False
        self._finish(ending)
        return True

    def _reply(self) -> None:
        """Let the player move or resign."""
        from tablebase.game.notation import render_move

        move = self.player.choose(self.match, self.random)
        shown = "resigns" if move is None else render_move(self.game, move)
        sys.stdout.write(f"\n{self._name(1 - self.person)}: {shown}\n")
        self._write_remark()
        if move is None:
            self.match.resign()
        else:
            self.match.play(move)

    def _take_turn(self) -> bool:
        """Prompt until the person has made a move; return False if the game is abandoned."""
        from tablebase.cli.process import read_word

        of_player = self.player.commands()
        commands: dict[str, Callable[[], None]] = {
            "moves": self._list_moves,
            "hint": self._show_hint,
            "undo": self._undo,
            "board": self._draw,
            "help": self._show_help,
        }
        self._draw()
        while True:
            word = read_word(f"{self._name(self.person)}> ")
            legal = self.match.legal()
            if word is None or word == "quit":
                sys.stdout.write(f"game abandoned after {self._count_plies()}\n")
                return False
            move = legal.get(re.sub("[-x: ]", "", word))
            if move is not None:
                self.match.play(move)
                return True
            if word in commands:
                commands[word]()
            elif word in of_player:
                sys.stdout.write(f"{of_player[word].answer()}\n")
            else:
                _refuse(word, legal)

    def _list_moves(self) -> None:
        sys.stdout.write(f"{' '.join(self.match.legal())}\n")

    def _show_hint(self) -> None:
        """Show what the tables say, or what a search finds where there is no table; if a table is damaged, say so."""
        from tablebase.api.tablebase import Tablebase
        from tablebase.errors import MissingTableError

        try:
            with Tablebase(self.folder) as tables:
                sys.stdout.write(f"{tables.probe(self.game, self.match.position, strict=True).verdict}\n")
        except TablebaseError as fault:
            if isinstance(fault, MissingTableError) or not self.folder.exists():
                self._search_hint()
            else:
                sys.stdout.write(f"no hint: {fault}\n")

    def _search_hint(self) -> None:
        """Show the best move that a search finds, which ends in the tables that there are."""
        from random import Random

        from tablebase.game.notation import render_move
        from tablebase.play.engine_player import EnginePlayer
        from tablebase.play.player import Seat

        with EnginePlayer(Seat(self.game, self.start, self.person, self.folder), nodes=HINT_NODES) as engine:
            best = render_move(self.game, engine.choose(self.match, Random(0)))
            sys.stdout.write(f"{self._name(self.person)} to move: {engine.remark}, best move {best}, by a search\n")

    def _undo(self) -> None:
        if self.match.undo(self.person):
            self._draw()
        else:
            sys.stdout.write("you have no move to take back\n")

    def _draw(self, *, over: bool = False) -> None:
        from tablebase.cli.output import write_board

        match = self.match
        sys.stdout.write("\n")
        from tablebase.game.notation import render_move

        write_board(match.game, match.position, render_move(match.game, match.moves[-1]) if match.moves else None, over=over)

    def _show_help(self) -> None:
        of_player = "".join(f"{word:<8}{command.about}\n" for word, command in self.player.commands().items())
        sys.stdout.write(HELP.format(example=next(iter(self.match.legal())), of_player=of_player))

    def _finish(self, ending: Ending) -> None:
        """Draw the last position, print who has won, and why, and let the player take note."""
        from tablebase.play.match import reason

        self._draw(over=True)
        sys.stdout.write("\n")
        result = "a draw" if ending.winner is None else f"won by {self._name(ending.winner)}"
        sys.stdout.write(f"{result} in {self._count_plies()}: {reason(self.match, ending)}\n")
        self.player.finish(self.match, ending)
        self._write_remark()

    def _write_remark(self) -> None:
        if self.player.remark:
            sys.stdout.write(f"{self.player.remark}\n")

    def _name(self, side: int) -> str:
        return self.game.sides[side].name

    def _count_plies(self) -> str:
        from tablebase.compute.messages import count_plies

        return count_plies(self.match.plies)


def _refuse(word: str, legal: dict[str, Move]) -> None:
    """Print one sentence about input that is neither a legal move nor a command."""
    from reprlib import repr as shortened

    if re.fullmatch("[a-z][0-9]{1,2}[-x: ]?[a-z][0-9]{1,2}", word):
        sys.stdout.write(f"{word} is not a legal move here: type moves to list the legal ones\n")
    else:
        fault = f"{shortened(word)} is neither a move nor a command" if word else "nothing was typed"
        sys.stdout.write(f"{fault}: type a move such as {next(iter(legal))}, or help\n")
