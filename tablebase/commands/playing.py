"""Games with people at a terminal: play."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tablebase.commands.arguments import as_folder, checked, rules_for
from tablebase.commands.parameters import Data, GameName, Output, Players, PositionText, Shell, Size, Variant, complete_player
from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    pass

SEEDS = 1_000_000
"""Upper bound of randomly drawn seeds, which keeps them short to type."""


@checked
def play(
    game: GameName,
    position: PositionText = None,
    *,
    player: Annotated[str | Sequence[str], Shell(metavar="NAME", complete=complete_player)] = (),
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
    """Play against the tables or another player, in the terminal.

    Without options, you play the side that moves first. Your opponent plays perfectly, using the tables in the folder 'data'.
    In games with chance, it searches ahead.

    Parameters
    ----------
    player : str or sequence of str
        Your opponent: tables (perfect play), fuzzy (plays from the tables, with mistakes), engine (searches ahead), random,
        learner (trained by self-play), matchboxes (learns from each game), exploit (tries to make you err), ranking (prefers
        moves that leave it the most won games) or foxbox (only for foxhounds). In games with chance or more than two players,
        choose computer (searches ahead), tables, fuzzy or random. Repeat this option for several opponents, in the order in
        which they play.
    side : str or sequence of str
        Letter or number of the side that you play; by default, the side that moves first. Repeat this option if several people
        play.
    fuzz : str, optional
        Weakness of your opponent, from 0 (plays only best moves) to 1 (plays random moves).
    boxes : str or Path, optional
        JSON file in which the player 'matchboxes' saves what it has learned.
    level : str, optional
        Strength of the player 'engine', from 1 to 10; by default, 5.
    seed : int, optional
        Seed for the random number generator; if you make the same moves, the same seed gives the same game.
    """
    from contextlib import ExitStack
    from random import SystemRandom

    from tablebase.building.plan import check_tables
    from tablebase.commands.play_session import Session
    from tablebase.compute.progress import compiling_said
    from tablebase.play.match import side_number
    from tablebase.play.player import Seat
    from tablebase.play.players import find_player, open_player, player_names

    rules, folder = rules_for("play", game, size, variant, players), as_folder(data)
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    given = {"fuzz": fuzz, "boxes": boxes, "level": level}
    settings = {name: value for name, value in given.items() if value is not None}
    # Bytes that are not text are escaped, and then refused like any unknown word.
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="backslashreplace")
    with compiling_said(f"play {rules.name}"), ExitStack() as stack:
        start = rules.initial if position is None else rules.parse(position)
        rules.check(start)
        people = list(dict.fromkeys(side_number(rules, letter) for letter in side)) or [rules.viewer(start)]
        others = [number for number in range(rules.players) if number not in people]
        if len(player) > (seats := len(others)):
            are, verb = "1 player is" if len(player) == 1 else f"{len(player)} players are", "plays" if seats == 1 else "play"
            raise TablebaseError(f"{are} named, but only {seats} {verb} against you: name fewer with --player")
        # The last one has all further seats.
        named = list(player) or list(player_names(rules)[:1])
        chosen = [*named, *[named[-1]] * seats][:seats]
        if settings and not others:
            raise TablebaseError(f"nobody plays against you: leave out --{next(iter(settings))}")
        opened = {
            number: stack.enter_context(open_player(name, Seat(rules, start, number, folder), **settings))
            for number, name in zip(others, chosen, strict=True)
        }
        if "materials" in rules.can and any(find_player(name).needs_tables for name in chosen):
            check_tables(rules, start, folder)
        Session(rules, start, people, opened, seed, folder).run()
    sys.stdout.write(f"the seed was {seed}: with --seed {seed} the same options and moves give the same game\n")
