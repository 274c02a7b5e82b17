"""The command that plays against a person: play."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import DEFAULT_DATA, Data, GameName, PositionText, Size, Start, Variant, chosen_game, chosen_start

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from tablebase.game import Game
    from tablebase.game.moves import Move, Position
    from tablebase.play.match import Ending, Match

SEEDS = 1_000_000
"""Upper bound of randomly drawn seeds, which keeps them short to type."""

HELP = """\
a move, such as {example}
moves   list the legal moves
hint    show the value of the position and the best move
undo    take back your last move and the reply
board   draw the board
help    show this list
quit    leave the game
"""


def play(
    game: GameName,
    position: PositionText = None,
    begin: Start = None,
    side: Annotated[
        str | None, typer.Option("--side", metavar="LETTER", help="The side you play; by default the one that moves first.")
    ] = None,
    fuzz: Annotated[
        float, typer.Option("--fuzz", metavar="P", help="How freely the tables choose: 0 for best moves only, 1 for any move.")
    ] = 0.0,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Seed of the tables' choices, to repeat a game.")
    ] = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = DEFAULT_DATA,
) -> None:
    """Play against the tables in the terminal, on either side."""
    from random import Random, SystemRandom

    from tablebase.api.tablebase import Tablebase
    from tablebase.game.notation import parse
    from tablebase.play.fallible import check_fuzz
    from tablebase.play.match import Match, side_number

    rules = chosen_game(game, size, variant)
    check_fuzz(fuzz)
    start = parse(rules, chosen_start(rules, position, begin))
    person = start.side if side is None else side_number(rules, side)
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    # Bytes that are not text are escaped, and then refused like any unknown word.
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="backslashreplace")
    with Tablebase(data) as tables:
        _check_tables(rules, start, data)
        match = Match(rules, tables.prober, start)
        _Session(match, person, fuzz, Random(seed)).run()
    sys.stdout.write(f"the seed was {seed}: with --seed {seed} the same options and moves give the same game\n")


def _check_tables(game: Game, start: Position, folder: Path) -> None:
    """Raise `MissingTableError` unless there is a table for every position that can come up in a game."""
    from tablebase.build.plan import with_dependencies
    from tablebase.slices.limits import is_buildable
    from tablebase.slices.material import material_of
    from tablebase.tables.format import table_path
    from tablebase.tables.missing import missing_table

    material = material_of(game, start)
    if not is_buildable(game, material):
        raise missing_table(game, material, folder)
    for needed in with_dependencies(game, [material]):
        if not table_path(folder, game, needed).exists():
            raise missing_table(game, needed, folder, material)


@dataclass
class _Session:
    """A match with a person at the terminal.

    Parameters
    ----------
    match : Match
    person : int
        The person's side, 0 or 1; the tables play the other.
    fuzz : float
    random : Random
    """

    match: Match
    person: int
    fuzz: float
    random: Random

    def run(self) -> None:
        """Play until the game is over or abandoned."""
        from tablebase.cli.boards import legend

        match = self.match
        you, tables = self._name(self.person), self._name(1 - self.person)
        sys.stdout.write(f"{match.game.title}: you play {you}, the tables play {tables}; type help for a list of commands\n")
        if explained := legend(match.game):
            sys.stdout.write(f"{explained}\n")
        if match.side != self.person:
            self._draw()
        while (ending := match.ending()) is None:
            if match.side != self.person:
                chosen = match.reply(self.fuzz, self.random)
                sys.stdout.write(f"\n{tables}: {chosen.move}\n")
            elif not self._take_turn():
                return
        self._finish(ending)

    def _take_turn(self) -> bool:
        """Prompt until the person has made a move; return False if the game is abandoned."""
        commands: dict[str, Callable[[], None]] = {
            "moves": self._list_moves,
            "hint": self._show_hint,
            "undo": self._undo,
            "board": self._draw,
            "help": self._show_help,
        }
        self._draw()
        while True:
            word = self._read_word()
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
            else:
                _refuse(word, legal)

    def _read_word(self) -> str | None:
        """The next line that the person types, None at the end of the input."""
        prompt = f"{self._name(self.person)}> "
        try:
            if sys.stdin.isatty() and sys.stdout.isatty():
                # Lines can be edited and called back.
                with suppress(ImportError):
                    import readline  # noqa: F401
                return input(prompt).strip().lower()
            # Without a terminal on both sides, input(prompt) would write the prompt to standard error.
            sys.stdout.write(prompt)
            return input().strip().lower()
        except EOFError:
            sys.stdout.write("\nend of input\n")
            return None

    def _list_moves(self) -> None:
        sys.stdout.write(f"{' '.join(self.match.legal())}\n")

    def _show_hint(self) -> None:
        from tablebase.cli.probe import verdict

        sys.stdout.write(f"{verdict(self.match.probe())}\n")

    def _undo(self) -> None:
        if self.match.undo(self.person):
            self._draw()
        else:
            sys.stdout.write("you have no move to take back\n")

    def _draw(self, *, over: bool = False) -> None:
        from tablebase.cli.boards import write_board

        match = self.match
        sys.stdout.write("\n")
        write_board(match.game, match.position, match.moves[-1] if match.moves else None, over=over)

    def _show_help(self) -> None:
        sys.stdout.write(HELP.format(example=next(iter(self.match.legal()))))

    def _finish(self, ending: Ending) -> None:
        """Draw the last position and print who has won, and why."""
        self._draw(over=True)
        sys.stdout.write("\n")
        result = "a draw" if ending.winner is None else f"won by {self._name(ending.winner)}"
        sys.stdout.write(f"{result} in {self._count_plies()}: {reason(self.match, ending)}\n")

    def _name(self, side: int) -> str:
        return self.match.game.sides[side].name

    def _count_plies(self) -> str:
        from tablebase.cli.probe import count_plies

        return count_plies(self.match.plies)


def reason(match: Match, ending: Ending) -> str:
    """Why a match has ended, as a clause."""
    from tablebase.play.match import EndReason

    game, to_move = match.game, match.game.sides[match.side].name
    if ending.why is EndReason.GOAL:
        last = match.moves[-1]
        return f"the {game.kinds[last.kind].name} has reached {game.board.names[last.target]}"
    if ending.why is EndReason.ESCAPED and game.escape is not None:
        return f"the {game.kinds[game.by_symbol[game.escape.runner]].name} has escaped"
    return {
        EndReason.LAST_PIECE: f"{to_move} has no pieces left",
        EndReason.NO_MOVE: f"{to_move} has no legal move",
        EndReason.REPEATED: "the same position has occurred three times",
    }[ending.why]


def _refuse(word: str, legal: dict[str, Move]) -> None:
    """Print one sentence about input that is neither a legal move nor a command."""
    from reprlib import repr as shortened

    if re.fullmatch("[a-z][0-9]{1,2}[-x: ]?[a-z][0-9]{1,2}", word):
        sys.stdout.write(f"{word} is not a legal move here: type moves to list the legal ones\n")
    else:
        fault = f"{shortened(word)} is neither a move nor a command" if word else "nothing was typed"
        sys.stdout.write(f"{fault}: type a move such as {next(iter(legal))}, or help\n")


COMMANDS = (play,)
