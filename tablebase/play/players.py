"""The players: which there are, by name, which games each can play, and which settings it takes.

They have the same names wherever a player is named: on the command line, in matches, on pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tablebase.errors import TablebaseError, did_you_mean, quoted
from tablebase.game import Game
from tablebase.play.player import Player, Seat

FUZZ = {"fuzz": "weight of a move that is not best, from 0 (only best moves) to 1 (any move)"}

Make = Callable[..., Player]
"""Called with a `Seat`, and with the settings by name."""
Objection = Callable[[Game], str | None]
"""Says why not to play a game, as a clause; None if nothing is against it."""


def _no_objection(_game: Game) -> None:
    return None


def _loaded_later(module: str, function: str = "make") -> Make:
    """A function of a module, which is not loaded before it is called."""

    def make(seat: Seat, **settings: Any) -> Player:
        player: Player = getattr(import_module(module), function)(seat, **settings)
        return player

    return make


@dataclass(frozen=True)
class PlayerRecord:
    """What is known of a player before it is made.

    Parameters
    ----------
    name : str
    about : str
        How it plays, in a few words.
    make : callable
        Makes it for a `Seat`.
    settings : mapping of str to str
        The settings it takes, each with what it means; all may be left out.
    needs_tables : bool
        Whether it needs the tables of all positions that can come up.
    refuses : callable
        Why it cannot play a game; None if it can.
    """

    name: str
    about: str
    make: Make
    settings: Mapping[str, str] = field(default_factory=dict)
    needs_tables: bool = False
    refuses: Objection = _no_objection


def _not_fox_and_hounds(game: Game) -> str | None:
    return None if game.name.partition("-")[0] == "foxhounds" else "only Fox & Hounds has FoxBoxes"


def _endless(game: Game) -> str | None:
    from tablebase.graph.reachable import one_way_sides

    return None if one_way_sides(game) else "that game can go on for ever"


PLAYERS = (
    PlayerRecord(
        "tables",
        "makes the best moves: the quickest win, or the slowest loss",
        _loaded_later("tablebase.play.from_tables"),
        FUZZ,
        needs_tables=True,
    ),
    PlayerRecord(
        "fuzzy",
        "like tables, but errs: its fuzz is 0.1 unless set",
        _loaded_later("tablebase.play.from_tables", "make_fuzzy"),
        FUZZ,
        needs_tables=True,
    ),
    PlayerRecord(
        "foxbox",
        "keeps its result in Fox & Hounds, and makes the game as long or as hard as possible",
        _loaded_later("tablebase.play.foxbox"),
        {"fuzz": f"{FUZZ['fuzz']}, or fair for an even chance of a perfect opponent"},
        refuses=_not_fox_and_hounds,
    ),
    PlayerRecord(
        "ranking",
        "ranks moves by forced result, by its length, and by the share of all games that are won",
        _loaded_later("tablebase.play.ranking"),
        FUZZ,
        refuses=_endless,
    ),
    PlayerRecord(
        "matchboxes",
        "draws its moves as beads from matchboxes, and loses a bead with each lost game",
        _loaded_later("tablebase.play.matchbox_player"),
        {"boxes": "JSON file that keeps the boxes"},
        refuses=_endless,
    ),
    PlayerRecord(
        "engine",
        "searches ahead, and ends in the tables where there are any",
        _loaded_later("tablebase.play.engine_player"),
        {
            "level": "how much it searches, from 1 (little, and carelessly) to 10 (a million positions a move)",
            "nodes": "positions it may search for a move, instead of a level",
            "tables": "whether it uses tables: yes or no",
        },
    ),
)
"""All players, first the one that plays if none is named."""


def player_names(game: Game | None = None) -> tuple[str, ...]:
    """Names of all players, or of those that can play a game."""
    return tuple(record.name for record in PLAYERS if game is None or record.refuses(game) is None)


def find_player(name: str) -> PlayerRecord:
    """The record of a player.

    Raises
    ------
    TablebaseError
        If there is none of that name.
    """
    for record in PLAYERS:
        if record.name == name:
            return record
    names = player_names()
    raise TablebaseError(f"there is no player {quoted(name)}{did_you_mean(name, names)}: choose {', '.join(names)}")


def open_player(name: str, seat: Seat, **settings: Any) -> Player:
    """Make a player, to be closed after its last game.

    Parameters
    ----------
    name : str
    seat : Seat
        What it plays.
    **settings
        Those that its record lists.

    Raises
    ------
    TablebaseError
        If there is no such player, it cannot play the game, or it does not take the settings.
    CapacityError
        If it has to know all positions of the game, and there are too many.

    Examples
    --------
    >>> from random import Random
    >>> from tablebase.game import load_game
    >>> from tablebase.game.notation import parse, render_move
    >>> from tablebase.play.match import Match
    >>> game = load_game("hexapawn")
    >>> start = parse(game, game.start)
    >>> with open_player("ranking", Seat(game, start, side=0)) as player:
    ...     render_move(game, player.choose(Match(game, start), Random(1)))
    'b1b2'
    """
    record = find_player(name)
    fault = record.refuses(seat.game)
    if fault is not None:
        choice = ", ".join(player_names(seat.game))
        raise TablebaseError(f"the player {name} cannot play {seat.game.name}, because {fault}: choose {choice}")
    for setting in settings:
        if setting not in record.settings:
            known = f"it takes {', '.join(record.settings)}" if record.settings else "it takes none"
            raise TablebaseError(
                f"the player {name} has no setting {quoted(setting)}{did_you_mean(setting, record.settings)}: {known}"
            )
    return record.make(seat, **settings)
